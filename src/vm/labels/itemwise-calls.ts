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

/** What is known of one call of a method while its callback is called for one item after another. */
class ItemCalls {
  readonly target: GuestFunction
  readonly list: GuestArray
  /** Labels of the reference to the list. */
  readonly referenceLabel: number
  /** Labels of the callback: of what decided which one it is. */
  readonly chosen: number
  /** Labels of what decides which turns there are, and that they are taken. */
  controlLabel: number
  /** Labels of what each item gave. */
  readonly given: number[] = []
  /** All that any of them gave. */
  all = 0
  /** Labels of what `reduce` hands on. */
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

  /** Before a turn: how many items there are decides that it is taken. */
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

  /** Calls it for an item; functions see only the parameters they declare. */
  call(item: Guest, index: Guest): Guest {
    const { target, list, referenceLabel } = this
    const code = target.code as FunctionCode
    const part = this.part(index as number)
    this.begin()
    const body = code.labelled
    const { params } = code
    if (body === undefined || code.hasRest || params > 2)
      return callFunction(target, [item, index, list], [part, 0, referenceLabel])
    return params === 2 ? callWithTwo(target, [item, index], part, 0) : callWithOne(target, item, part)
  }
}

/** What a method makes of the labels of its turns. */
interface ItemMethod {
  /** After a turn that gave a value with these labels. */
  turn(turns: ItemCalls, value: Guest, index: number, bits: number): void
  /** Labels of the result; what is new gets those of its parts here. */
  result(turns: ItemCalls, result: Guest): number
}

/** Whether there is another turn depends on what this one gave. */
const untilFound: ItemMethod = {
  turn: (turns, _value, _index, bits) => {
    turns.controlLabel |= bits
  },
  result: ({ controlLabel: lead }) => lead & ~CHOSEN,
}

/** The item that was found: it could have been any. */
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

/** Whether labels of a call are followed item by item. */
export function isItemwise({ path }: BuiltinFunction, { receiver, values }: LabelledCall): boolean {
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
  // Without a value to begin with, one of the items is it.
  turns.sum = values.length < 2 ? totalLabel(turns.list) | live.heapFloor | turns.referenceLabel : (bits[1] ?? 0)
  const { params, hasRest, labelled } = turns.target.code as FunctionCode
  const takesTwo = params === 2 && !hasRest && labelled !== undefined
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
