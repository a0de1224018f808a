import type { Json } from '../../../src/core/index.ts'
import { RandomSource } from '../../differential/random-source.ts'

type Step = { readonly op: string; readonly [field: string]: Json }
type Node = Json

const lit = (value: Json): Node => ({ $expr: 'literal', value })
const name = (of: string): Node => ({ $expr: 'ident', name: of })
const binary = (op: string, left: Node, right: Node): Node => ({ $expr: 'binary', op, left, right })
const member = (object: Node, property: string): Node => ({ $expr: 'member', object, property })

/** JSON programs over numbers and lists, as the script generator makes scripts. */
class ProgramGenerator {
  readonly #random: RandomSource
  readonly #numbers = ['x', 'y', 'z']
  readonly #lists = ['p', 'q']
  #depth = 0
  #counters = 0
  #sinks = 0

  constructor(seed: number) {
    this.#random = new RandomSource(seed)
  }

  program(): Json {
    const start: Step[] = [
      { op: 'web', result: 'u' },
      { op: 'clean', result: 'c' },
      ...this.#numbers.map((key, value) => ({ op: 'varSet', key, value })),
      ...this.#lists.map((key) => ({ op: 'varSet', key, value: [1, 2] })),
    ]
    const body = Array.from({ length: 2 + this.#random.below(6) }, () => this.#step())
    const all = Object.fromEntries([...this.#numbers, ...this.#lists].map((key) => [key, name(key)]))
    const end: Step[] = [
      { op: 'sink', id: 'end', ...all },
      { op: 'return', value: all },
    ]
    return { mandate: 1, op: 'seq', helpers: this.#helpers(), steps: [...start, ...body, ...end] }
  }

  #helpers(): Json {
    const steps = [
      { op: 'if', condition: binary('>', name('a'), lit(1)), then: [{ op: 'return', value: name('b') }] },
      { op: 'return', value: binary('+', name('a'), name('b')) },
    ]
    return { h: { params: ['a', 'b'], steps } }
  }

  #steps(): Step[] {
    this.#depth += 1
    const made = Array.from({ length: 1 + this.#random.below(2) }, () => this.#step())
    this.#depth -= 1
    return made
  }

  #step(): Step {
    const simple = [() => this.#set(), () => this.#set(), () => this.#sink(), () => this.#push()]
    const more = [() => this.#if(), () => this.#while(), () => this.#list(), () => this.#try(), () => this.#helper()]
    return this.#random.pick(this.#depth > 2 ? simple : [...simple, ...more])()
  }

  #set(): Step {
    if (this.#random.chance(0.2)) return { op: 'varSet', key: this.#random.pick(this.#lists), value: this.#items() }
    return { op: 'varSet', key: this.#random.pick(this.#numbers), value: this.#number() }
  }

  #sink(): Step {
    return { op: 'sink', id: `s${this.#sinks++}`, a: this.#number(), b: this.#items() }
  }

  #push(): Step {
    return { op: 'push', list: name(this.#random.pick(this.#lists)), item: this.#number() }
  }

  #if(): Step {
    const otherwise = this.#random.chance(0.5) ? { else: this.#steps() } : {}
    return { op: 'if', condition: this.#flag(), then: this.#steps(), ...otherwise }
  }

  #while(): Step {
    const key = `n${this.#counters++}`
    const condition: Node = {
      $expr: 'logical',
      op: '&&',
      left: binary('<', { $expr: 'logical', op: '??', left: name(key), right: lit(0) }, lit(3)),
      right: this.#flag(),
    }
    const count = {
      op: 'varSet',
      key,
      value: binary('+', { $expr: 'logical', op: '??', left: name(key), right: lit(0) }, lit(1)),
    }
    return { op: 'while', condition, body: [count, ...this.#steps()] }
  }

  #list(): Step {
    const items = this.#items()
    const result = this.#random.pick(this.#lists)
    const number = this.#random.pick(this.#numbers)
    const value = binary(this.#random.pick(['+', '*']), name('i'), this.#number())
    return this.#random.pick<Step>([
      { op: 'map', items, as: 'i', result, steps: [...this.#steps(), { op: 'varSet', key: 'result', value }] },
      { op: 'filter', items, as: 'i', result, condition: binary('>', name('i'), this.#number()) },
      { op: 'find', items, as: 'i', result: number, condition: binary('==', name('i'), this.#number()) },
      {
        op: 'reduce',
        items,
        as: 'i',
        accumulator: 'acc',
        initial: this.#number(),
        result: number,
        steps: [{ op: 'varSet', key: 'result', value: binary('+', name('acc'), name('i')) }],
      },
    ])
  }

  #try(): Step {
    const risk: Step = { op: 'if', condition: this.#flag(), then: [{ op: 'Error', args: ['no'] }] }
    const body = this.#random.chance(0.5) ? [risk, ...this.#steps()] : [...this.#steps(), risk]
    return { op: 'try', try: body, catch: this.#steps() }
  }

  #helper(): Step {
    return {
      op: 'callLocal',
      name: 'h',
      args: [this.#number(), this.#number()],
      result: this.#random.pick(this.#numbers),
    }
  }

  #number(depth = 0): Node {
    const leaves = [
      () => lit(this.#random.below(4)),
      () => name(this.#random.pick(this.#numbers)),
      () => name(this.#random.pick(this.#numbers)),
      () => member(name('u'), 'n'),
      () => member(name('c'), 'n'),
      () => member(name(this.#random.pick(this.#lists)), 'length'),
    ]
    const more = [
      () => binary(this.#random.pick(['+', '-', '*']), this.#number(depth + 1), this.#number(depth + 1)),
      () => ({
        $expr: 'conditional',
        test: this.#flag(),
        consequent: this.#number(depth + 1),
        alternate: this.#number(depth + 1),
      }),
      () => ({
        $expr: 'logical',
        op: this.#random.pick(['||', '??']),
        left: this.#number(depth + 1),
        right: this.#number(depth + 1),
      }),
      () => ({
        $expr: 'member',
        object: name(this.#random.pick(this.#lists)),
        property: this.#number(depth + 1),
        computed: true,
      }),
    ]
    return this.#random.pick(depth > 1 ? leaves : [...leaves, ...more])()
  }

  #flag(): Node {
    return this.#random.pick([
      () => member(name('u'), 'b'),
      () => binary(this.#random.pick(['<', '>', '==']), this.#number(1), this.#number(1)),
      () => ({ $expr: 'unary', op: '!', argument: member(name('u'), 'b') }),
    ])()
  }

  #items(): Node {
    return this.#random.pick([
      () => name(this.#random.pick(this.#lists)),
      () => member(name('u'), 'l'),
      () => ({ $expr: 'array', elements: [this.#number(1), this.#number(1)] }),
    ])()
  }
}

/** The JSON program of a seed. */
export function generateProgram(seed: number): Json {
  return new ProgramGenerator(seed).program()
}
