import type { FunctionCode } from '../compile/code.ts'
import { newFrame } from '../machine/frame.ts'
import { enter, fillFrame, fillNew, invoke1, tooDeep } from '../machine/invoke.ts'
import { live } from '../meter/live.ts'
import type { Guest } from '../value/guest.ts'
import type { GuestArray } from '../value/guest-array.ts'
import type { GuestFunction } from '../value/guest-function.ts'
import type { Closure, Frame } from '../value/guest-function.ts'
import { raiseLabel, setPartLabel } from './heap.ts'

/** Labels of arguments. When labelled data decided how many were spread, `absent` is the label of the missing ones. */
export interface ArgumentLabels extends Array<number> {
  absent?: number | undefined
}

/** The same labels with one more in front. */
export function withFirst(first: number, bits: ArgumentLabels): ArgumentLabels {
  const made: ArgumentLabels = [first, ...bits]
  made.absent = bits.absent
  return made
}

/** Writes the labels of `this` and of the arguments into the frame of a call. */
export function labelFrame(code: FunctionCode, frame: unknown[], bits: Readonly<ArgumentLabels>, ofSelf = 0): void {
  const { labelOffset } = code.fn.info!
  const { params, restFrom } = code
  const first = code.receives === undefined ? 0 : 1
  if (first === 1) frame[2 + labelOffset] = ofSelf
  for (let i = 0; i < params - first; i++) frame[i + 2 + first + labelOffset] = bits[i] ?? bits.absent ?? 0
  if (!code.hasRest) return
  frame[params + 2 + labelOffset] = 0
  const rest = frame[params + 2] as GuestArray
  for (let i = restFrom; i < bits.length; i++) if (bits[i] !== 0) setPartLabel(rest, i - restFrom, bits[i]!)
  if (bits.absent !== undefined) raiseLabel(rest, bits.absent)
}

/** The receiver of a call and its label; for a class, the target of `new`. */
export interface Receiver {
  readonly self: Guest
  readonly bits: number
  readonly isNew?: boolean
}

const NO_RECEIVER: Receiver = { self: undefined, bits: 0 }

/** Calls a function of the program and joins the label of its result into `live.label`. */
export function callFunction(
  target: GuestFunction,
  values: Guest[],
  bits: Readonly<ArgumentLabels>,
  receiver: Receiver = NO_RECEIVER,
): Guest {
  const code = target.code as FunctionCode
  if ((live.fuel -= code.cost) < 0) live.machine.refuel()
  const frame = newFrame(code.slots, target.boxes)
  if (receiver.isNew === true) fillNew(frame, code, values, receiver.self)
  else fillFrame(frame, code, values, receiver.self)
  if (!live.isLabelled || code.labelled === undefined) {
    if (live.isLabelled) labelFrame(code, frame, bits, receiver.bits)
    return enter(code, frame)
  }
  labelFrame(code, frame, bits, receiver.bits)
  return enterLabelled(code, code.labelled, frame)
}

function enterLabelled(code: FunctionCode, body: Closure, frame: Frame): Guest {
  const { depth } = live
  if (depth + code.nest > live.depthMax) tooDeep()
  live.depth = depth + code.nest
  const result = runLabelled(code, body, frame)
  live.depth = depth
  return result
}

/** The result carries its own label joined with the program counter label at the return. */
export function runLabelled(code: FunctionCode, body: Closure, frame: Frame): Guest {
  const outer = live.label
  const saved = live.pc
  live.label = 0
  const value = body(frame)
  if (live.pc !== saved) code.leave!(frame, saved)
  live.label |= outer
  return value
}

/** Calls a function that declares exactly two parameters. */
export function callWithTwo(
  target: GuestFunction,
  [one, two]: readonly [Guest, Guest],
  first: number,
  second: number,
): Guest {
  const code = target.code as FunctionCode
  if ((live.fuel -= code.cost) < 0) live.machine.refuel()
  const { labelOffset } = code.fn.info!
  const frame = newFrame(code.slots, target.boxes)
  frame[2] = one
  frame[3] = two
  frame[2 + labelOffset] = first
  frame[3 + labelOffset] = second
  return enterLabelled(code, code.labelled!, frame)
}

/** Calls a function with one argument, the most frequent case. */
export function callWithOne(target: GuestFunction, value: Guest, bits: number): Guest {
  const code = target.code as FunctionCode
  const body = code.labelled
  if (!live.isLabelled) return invoke1(target, value)
  if (body === undefined || code.direct !== 1 || code.hasRest) return callFunction(target, [value], [bits])
  if ((live.fuel -= code.cost) < 0) live.machine.refuel()
  const { labelOffset } = code.fn.info!
  if (labelOffset === 1 && code.slots <= 4) return enterLabelled(code, body, [target.boxes, undefined, value, bits])
  const frame = newFrame(code.slots, target.boxes)
  frame[2] = value
  frame[2 + labelOffset] = bits
  return enterLabelled(code, body, frame)
}
