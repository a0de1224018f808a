import type { FunctionCode } from '../compile/code.ts'
import { IN_TRY, live } from '../meter/live.ts'
import { BuiltinFunction } from '../value/builtin-function.ts'
import type { Guest } from '../value/guest.ts'
import { GuestArray } from '../value/guest-array.ts'
import { GuestFunction } from '../value/guest-function.ts'
import { LABEL_BITS, CHOSEN } from './bits.ts'
import { callFunction, callWithOne, callWithTwo } from './function-entry.ts'
import type { LabelledCall } from './labelled-call.ts'
import { totalLabel, partLabel, raiseDeep, structureLabel } from './heap.ts'
import { noteMayThrow } from './rules/variables.ts'
import { writesOnlyAccumulator, raiseCallback } from './raise-effects.ts'

/** The labels of one call of a list method, while its callback runs item by item. */
class ItemCalls {
  readonly target: GuestFunction
  readonly list: GuestArray
  /** Label of the reference to the list. */
  readonly referenceLabel: number
  /** Label of the callback: of what decided which function it is. */
  readonly chosen: number
  /** Label of what decides which iterations happen. */
  controlLabel: number
  /** Label of each callback result, by index. */
  readonly given: number[] = []
  /** Join of the labels of all callback results. */
  all = 0
  /** Label of the accumulator of `reduce`. */
  sum = 0

  constructor({ receiver, values, bits, receiverBits, calleeLabel }: LabelledCall) {
    this.target = values[0] as GuestFunction
    this.list = receiver as GuestArray
    this.referenceLabel = receiverBits
    const callback = bits[0] ?? 0
    this.chosen = callback === 0 ? 0 : callback | CHOSEN
    this.controlLabel = receiverBits | calleeLabel | callback | (bits.absent ?? 0)
  }

  part(index: number): number {
    return partLabel(this.list, index) | live.heapFloor | this.referenceLabel
  }

  /** Before an iteration: the structure of the list decides that it happens. */
  begin(): void {
    this.controlLabel |= structureLabel(this.list) | live.heapFloor
    if (this.controlLabel !== 0) live.pc |= this.controlLabel | CHOSEN
    live.label = 0
  }

  end(): number {
    const bits = live.label | this.chosen
    this.all |= bits
    return bits
  }

  /** Calls the callback for an item; functions see only the parameters they declare. */
  call(item: Guest, index: Guest): Guest {
    const { target, list, referenceLabel } = this
    const code = target.code as FunctionCode
    const part = this.part(index as number)
    this.begin()
    const body = code.labelled
    const { params } = code
    if (body === undefined || !code.isPlain || params > 2)
      return callFunction(target, [item, index, list], [part, 0, referenceLabel])
    return params === 2 ? callWithTwo(target, [item, index], part, 0) : callWithOne(target, item, part)
  }
}

/** How a list method combines the labels of its iterations. */
interface ItemMethod {
  /** Called after each iteration with the callback result and its label. */
  turn(turns: ItemCalls, value: Guest, index: number, bits: number): void
  /** Returns the label of the result, and labels the parts of a fresh one. */
  result(turns: ItemCalls, result: Guest): number
}

/** The callback result decides whether there is another iteration. */
const untilFound: ItemMethod = {
  turn: (turns, _value, _index, bits) => {
    turns.controlLabel |= bits
  },
  result: ({ controlLabel: lead }) => lead & ~CHOSEN,
}

/** The callback results select the item, so it may have been any. */
const findingItem: ItemMethod = {
  turn: (turns, value, index, bits) => {
    turns.controlLabel |= bits
    if (value) turns.sum = turns.part(index)
  },
  result: ({ controlLabel: lead, sum, list }) => (lead === 0 ? sum : lead | sum | totalLabel(list) | CHOSEN),
}

function labelParts(result: Guest, whole: number, { given, all }: ItemCalls): void {
  if ((whole | all) === 0) return
  ;(result as GuestArray).label = { whole, all: whole | all, low: whole, parts: new Map(), items: given }
}

const METHODS: ReadonlyMap<string, ItemMethod> = new Map<string, ItemMethod>([
  ['array.forEach', { turn: () => {}, result: () => 0 }],
  [
    'array.map',
    {
      turn: ({ given }, _value, index, bits) => {
        while (given.length < index) given.push(0)
        given.push(bits)
      },
      result: (turns, result) => {
        const { controlLabel: lead, given } = turns
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
        const whole = turns.controlLabel | turns.all
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
  ['array.find', findingItem],
  ['array.findLast', findingItem],
])

const isReducing = (path: string): boolean => path === 'array.reduce' || path === 'array.reduceRight'

/** Whether the labels of a call are tracked item by item. */
export function isItemwise({ path }: BuiltinFunction, { receiver, values }: LabelledCall): boolean {
  return receiver instanceof GuestArray && values[0] instanceof GuestFunction && (METHODS.has(path) || isReducing(path))
}

/** A host function in place of the callback. */
function standIn(call: (args: Guest[]) => Guest): BuiltinFunction {
  return new BuiltinFunction('', { builtin: { name: '', cost: 0, call: (_receiver, args) => call(args) } })
}

/**
 * Calls a list method with a wrapped callback that records labels per item. The built-in itself iterates. So a clean item stays clean in the
 * result of `map`, whatever labels the other items carry.
 */
export function callItemwise(target: BuiltinFunction, call: LabelledCall): Guest {
  const { receiver, values, bits } = call
  const turns = new ItemCalls(call)
  const outer = live.label
  const { pc } = live
  const method = METHODS.get(target.path)
  const callback = method === undefined ? reduceCallback(turns, call) : itemCallback(turns, method)
  if ((live.fuel -= target.builtin!.cost) < 0) live.machine.refuel()
  live.label = turns.controlLabel
  const result = target.builtin!.call(receiver, [callback, ...values.slice(1)])
  turns.controlLabel |= structureLabel(turns.list) | live.heapFloor
  const own = method === undefined ? turns.sum | turns.controlLabel : method.result(turns, result)
  if (turns.controlLabel !== 0) {
    const lead = (turns.controlLabel & LABEL_BITS) | CHOSEN
    const folds = method === undefined && writesOnlyAccumulator(turns.target, bits[1] ?? bits.absent ?? 0)
    raiseCallback(turns.target, lead, folds ? 0 : lead)
    if (folds) raiseDeep(values[1], lead)
  }
  if ((pc & IN_TRY) === 0) live.pc = pc
  live.label = turns.controlLabel | turns.all
  noteMayThrow()
  live.label = outer | own
  return result
}

function itemCallback(turns: ItemCalls, method: ItemMethod): BuiltinFunction {
  return standIn(([item, index]) => {
    const value = turns.call(item, index)
    method.turn(turns, value, index as number, turns.end())
    return value
  })
}

function reduceCallback(turns: ItemCalls, { values, bits }: LabelledCall): BuiltinFunction {
  // Without an initial value, one of the items is the first accumulator.
  turns.sum = values.length < 2 ? totalLabel(turns.list) | live.heapFloor | turns.referenceLabel : (bits[1] ?? 0)
  const { params, isPlain, labelled } = turns.target.code as FunctionCode
  const takesTwo = params === 2 && isPlain && labelled !== undefined
  return standIn(([sum, item, index, list]) => {
    const part = turns.part(index as number)
    turns.begin()
    const before = turns.sum
    const value = takesTwo
      ? callWithTwo(turns.target, [sum, item], before, part)
      : callFunction(turns.target, [sum, item, index, list], [before, part, 0, turns.referenceLabel])
    turns.sum = turns.end()
    return value
  })
}
