import type { FunctionCode } from '../compile/code.ts'
import { GUARDED, live } from '../meter/live.ts'
import { BuiltinFunction } from '../value/builtin-function.ts'
import type { Guest } from '../value/guest.ts'
import { GuestArray } from '../value/guest-array.ts'
import { GuestFunction } from '../value/guest-function.ts'
import { BITS, CHOSEN } from './bits.ts'
import { callFunction, callWithOne, callWithTwo } from './entry.ts'
import type { Going } from './door.ts'
import { allOf, partOf, raiseDeep, wholeOf } from './heap.ts'
import { guard } from './rules/leaves.ts'
import { isFolding, raiseCallback } from './raised-labels.ts'

/** What is known of one call of a method while its callback is called for one item after another. */
class Turns {
  readonly target: GuestFunction
  readonly list: GuestArray
  /** Labels of the reference to the list. */
  readonly through: number
  /** Labels of the callback: of what decided which one it is. */
  readonly chosen: number
  /** Labels of what decides which turns there are, and that they are taken. */
  lead: number
  /** Labels of what each item gave. */
  readonly given: number[] = []
  /** All that any of them gave. */
  all = 0
  /** Labels of what `reduce` hands on. */
  sum = 0

  constructor({ receiver, values, bits, receiverBits, of }: Going) {
    this.target = values[0] as GuestFunction
    this.list = receiver as GuestArray
    this.through = receiverBits
    const callback = bits[0] ?? 0
    this.chosen = callback === 0 ? 0 : callback | CHOSEN
    this.lead = receiverBits | of | callback | (bits.beyond ?? 0)
  }

  part(index: number): number {
    return partOf(this.list, index) | live.floor | this.through
  }

  /** Before a turn: how many items there are decides that it is taken. */
  begin(): void {
    this.lead |= wholeOf(this.list) | live.floor
    if (this.lead !== 0) live.pc |= this.lead | CHOSEN
    live.lab = 0
  }

  end(): number {
    const bits = live.lab | this.chosen
    this.all |= bits
    return bits
  }

  /** Calls it for an item; functions see only the parameters they declare. */
  call(item: Guest, index: Guest): Guest {
    const { target, list, through } = this
    const code = target.code as FunctionCode
    const part = this.part(index as number)
    this.begin()
    const body = code.labelled
    const { params } = code
    if (body === undefined || code.hasRest || params > 2)
      return callFunction(target, [item, index, list], [part, 0, through])
    return params === 2 ? callWithTwo(target, [item, index], part, 0) : callWithOne(target, item, part)
  }
}

/** What a method makes of the labels of its turns. */
interface Method {
  /** After a turn that gave a value with these labels. */
  turn(turns: Turns, value: Guest, index: number, bits: number): void
  /** Labels of the result; what is new gets those of its parts here. */
  result(turns: Turns, result: Guest): number
}

/** Whether there is another turn depends on what this one gave. */
const untilFound: Method = {
  turn: (turns, _value, _index, bits) => {
    turns.lead |= bits
  },
  result: ({ lead }) => lead & ~CHOSEN,
}

/** The item that was found: it could have been any. */
const picking: Method = {
  turn: (turns, value, index, bits) => {
    turns.lead |= bits
    if (value) turns.sum = turns.part(index)
  },
  result: ({ lead, sum, list }) => (lead === 0 ? sum : lead | sum | allOf(list) | CHOSEN),
}

function labelParts(result: Guest, whole: number, { given, all }: Turns): void {
  if ((whole | all) === 0) return
  ;(result as GuestArray).label = { whole, all: whole | all, low: whole, parts: new Map(), items: given }
}

const METHODS: ReadonlyMap<string, Method> = new Map<string, Method>([
  ['array.forEach', { turn: () => {}, result: () => 0 }],
  [
    'array.map',
    {
      turn: ({ given }, _value, index, bits) => {
        while (given.length < index) given.push(0)
        given.push(bits)
      },
      result: (turns, result) => {
        const { lead, given } = turns
        if (lead !== 0) for (let i = 0; i < given.length; i++) given[i]! |= lead
        labelParts(result, lead, turns)
        return 0
      },
    },
  ],
  [
    'array.filter',
    {
      turn: (turns, value, index) => {
        if (value) turns.given.push(turns.part(index))
      },
      result: (turns, result) => {
        const whole = turns.lead | turns.all
        const { given } = turns
        for (let i = 0; i < given.length; i++) {
          given[i]! |= whole
          turns.all |= given[i]!
        }
        labelParts(result, whole, turns)
        return 0
      },
    },
  ],
  ['array.some', untilFound],
  ['array.every', untilFound],
  ['array.findIndex', untilFound],
  ['array.findLastIndex', untilFound],
  ['array.find', picking],
  ['array.findLast', picking],
])

const isReducing = (path: string): boolean => path === 'array.reduce' || path === 'array.reduceRight'

/** Whether labels of a call are followed item by item. */
export function goesThroughItems({ path }: BuiltinFunction, { receiver, values }: Going): boolean {
  return receiver instanceof GuestArray && values[0] instanceof GuestFunction && (METHODS.has(path) || isReducing(path))
}

/** A function of ours in the place of the callback. */
function standIn(call: (args: Guest[]) => Guest): BuiltinFunction {
  return new BuiltinFunction('', { builtin: { name: '', cost: 0, call: (_receiver, args) => call(args) } })
}

/**
 * A method of lists that calls back: the built-in itself goes through the list, and what it calls for each item notes the labels on
 * the way. So an item that is clean stays clean in what `map` makes of it, whatever the others are.
 */
export function throughItems(target: BuiltinFunction, going: Going): Guest {
  const { receiver, values, bits } = going
  const turns = new Turns(going)
  const outer = live.lab
  const { pc } = live
  const method = METHODS.get(target.path)
  const callback = method === undefined ? folding(turns, going) : visiting(turns, method)
  if ((live.fuel -= target.builtin!.cost) < 0) live.machine.refuel()
  live.lab = turns.lead
  const result = target.builtin!.call(receiver, [callback, ...values.slice(1)])
  turns.lead |= wholeOf(turns.list) | live.floor
  const own = method === undefined ? turns.sum | turns.lead : method.result(turns, result)
  if (turns.lead !== 0) {
    const lead = (turns.lead & BITS) | CHOSEN
    const folds = method === undefined && isFolding(turns.target, bits[1] ?? bits.beyond ?? 0)
    raiseCallback(turns.target, lead, folds ? 0 : lead)
    if (folds) raiseDeep(values[1], lead)
  }
  if ((pc & GUARDED) === 0) live.pc = pc
  live.lab = turns.lead | turns.all
  guard()
  live.lab = outer | own
  return result
}

function visiting(turns: Turns, method: Method): BuiltinFunction {
  return standIn(([item, index]) => {
    const value = turns.call(item, index)
    method.turn(turns, value, index as number, turns.end())
    return value
  })
}

function folding(turns: Turns, { values, bits }: Going): BuiltinFunction {
  // Without a value to begin with, one of the items is it.
  turns.sum = values.length < 2 ? allOf(turns.list) | live.floor | turns.through : (bits[1] ?? 0)
  const { params, hasRest, labelled } = turns.target.code as FunctionCode
  const takesTwo = params === 2 && !hasRest && labelled !== undefined
  return standIn(([sum, item, index, list]) => {
    const part = turns.part(index as number)
    turns.begin()
    const before = turns.sum
    const value = takesTwo
      ? callWithTwo(turns.target, [sum, item], before, part)
      : callFunction(turns.target, [sum, item, index, list], [before, part, 0, turns.through])
    turns.sum = turns.end()
    return value
  })
}
