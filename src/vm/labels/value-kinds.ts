import { children } from '../compile/children.ts'
import type { FunctionCode } from '../compile/code.ts'
import type { Call, Ex, Method, New } from '../compile/ir.ts'
import type { St } from '../compile/ir-statements.ts'
import type { Variable } from '../compile/lower/scope.ts'
import { isCallable } from '../value/convert.ts'
import { CALLED, PATTERNED } from './rules/builtin-flows.ts'
import { globalOf } from './rules/node-facts.ts'

/** Kinds of values that built-ins act on: functions are called, regular expressions with state are written. */
export type Kind = 'function' | 'pattern'

type Codes = readonly FunctionCode[]

/** Flow-insensitive analysis of where a program may hold values of a kind. */
class KindAnalysis {
  readonly #kind: Kind
  readonly #variables = new Set<object>()
  /** Some may be in an object or list, or be an argument, a result or an exception. */
  #isStored = false
  #isAnywhere = false
  #hasChanged = true

  constructor(kind: Kind, codes: Codes) {
    this.#kind = kind
    while (this.#hasChanged) {
      this.#hasChanged = false
      for (const { fn } of codes) {
        this.#hold(fn.self, kind === 'function')
        for (const { variable, initial } of fn.params)
          this.#hold(variable, this.#isStored || (initial !== undefined && this.mayBe(initial)))
        this.#visit(fn.body)
      }
    }
  }

  /** Whether an expression may have a value of the kind. */
  mayBe(node: Ex): boolean {
    switch (node.k) {
      case 'fn':
      case 'class':
      case 'regex':
        return this.#isSource(node)
      case 'var':
        if (node.ref?.to === 'global') return this.#kind === 'function' && isCallable(node.ref.value)
        return (node.ref?.to === 'local' || node.ref?.to === 'box') && this.#variables.has(identity(node.ref.variable))
      case 'temp':
        return this.#isAnywhere
      case 'conditional':
        return this.mayBe(node.then) || this.mayBe(node.otherwise)
      case 'logical':
        return this.mayBe(node.left) || this.mayBe(node.right)
      case 'sequence':
        return this.mayBe(node.items.at(-1)!)
      case 'assign':
        return this.mayBe(node.target) || this.mayBe(node.value)
      case 'chain':
        return this.mayBe(node.expression)
      case 'new':
      case 'call':
        return this.#isStored || this.#isSource(node)
      case 'method':
      case 'member':
      case 'index':
      case 'await':
      case 'yield':
      case 'found':
      case 'super':
      case 'spread':
        return this.#isStored
      default:
        return false
    }
  }

  /** Whether the program has any value of the kind. */
  get isAnywhere(): boolean {
    return this.#isAnywhere
  }

  #isSource(node: Ex | St): boolean {
    if (this.#kind === 'function') return node.k === 'fn' || node.k === 'function' || node.k === 'class'
    if (node.k === 'regex') return /[gy]/.test(node.flags)
    return (node.k === 'new' || node.k === 'call') && globalOf(node.callee)?.path === 'RegExp'
  }

  #hold(variable: Variable | undefined, isHeld: boolean): void {
    if (!isHeld || variable === undefined || this.#variables.has(identity(variable))) return
    this.#variables.add(identity(variable))
    this.#hasChanged = true
  }

  #store(nodes: readonly (Ex | undefined)[]): void {
    if (nodes.some((node) => node !== undefined && this.mayBe(node))) this.#keep()
  }

  #keep(): void {
    if (!this.#isStored) this.#hasChanged = true
    this.#isStored = true
  }

  #visit(node: Ex | St): void {
    if (['fn', 'function', 'class', 'regex', 'new', 'call'].includes(node.k)) this.#isAnywhere ||= this.#isSource(node)
    switch (node.k) {
      case 'fn':
        return
      case 'function':
        return this.#hold(node.variable, this.#kind === 'function')
      case 'let':
        this.#hold(node.variable, node.value !== undefined && this.mayBe(node.value))
        break
      case 'forof':
        this.#hold(node.variable, this.#isStored)
        break
      case 'try':
        for (const param of [node.param, node.opParam]) this.#put(param, this.#isStored)
        break
      case 'assign':
      case 'constset':
        if (!this.#put(node.target, this.mayBe(node.value))) this.#store([node.value])
        break
      case 'object':
        this.#store(node.properties.map((property) => ('k' in property ? undefined : property.value)))
        break
      case 'class':
        if (this.#kind === 'function') this.#keep()
        break
      case 'list':
        this.#store(node.items)
        break
      case 'yield':
        this.#store([node.argument])
        break
      case 'return':
      case 'throw':
      case 'append':
      case 'yieldto':
        this.#store([node.value])
        break
      case 'new':
      case 'call':
      case 'method':
        this.#call(node)
        break
      default:
    }
    for (const part of children(node)) this.#visit(part)
  }

  /** Whether the target is a variable; if so, records whether it may hold a value of the kind. */
  #put(target: Ex | undefined, isHeld: boolean): boolean {
    if (target?.k !== 'var') return false
    if (target.ref?.to === 'local' || target.ref?.to === 'box') this.#hold(target.ref.variable, isHeld)
    return true
  }

  /** Arguments escape into the heap, unless the callee is a built-in that only calls or matches with them. */
  #call(node: Call | Method | New): void {
    const isPromise = node.k !== 'method' && globalOf(node.callee)?.path === 'Promise'
    // The executor receives two functions.
    if ((isPromise || (node.k === 'method' && node.name === 'withResolvers')) && this.#kind === 'function') this.#keep()
    const name = node.k === 'method' && typeof node.name === 'string' ? node.name : ''
    const known = this.#kind === 'function' ? CALLED.get(name) : PATTERNED.has(name) ? [0] : undefined
    this.#store(node.args.filter((_, at) => known?.includes(at) !== true))
  }
}

/** Programs of one session have their own objects for the same variable. */
function identity(variable: Variable): object {
  return variable.shared ?? variable
}

const known: Readonly<Record<Kind, WeakMap<Codes, KindAnalysis>>> = { function: new WeakMap(), pattern: new WeakMap() }

function analysisOf(kind: Kind, codes: Codes): KindAnalysis {
  let found = known[kind].get(codes)
  if (found === undefined) known[kind].set(codes, (found = new KindAnalysis(kind, codes)))
  return found
}

/** Whether an expression may be a function, or a regular expression with state (`g` or `y`). */
export function mayBe(kind: Kind, node: Ex, codes: Codes): boolean {
  return analysisOf(kind, codes).mayBe(node)
}

/** Whether a program has regular expressions with state (`g` or `y`). */
export function hasPatterns(codes: Codes): boolean {
  return analysisOf('pattern', codes).isAnywhere
}
