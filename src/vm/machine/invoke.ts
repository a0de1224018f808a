import { live } from '../meter/live.ts'
import { limitStop } from '../meter/stop.ts'
import { BuiltinFunction } from '../value/builtin-function.ts'
import { isCallable, receiverOf } from '../value/convert.ts'
import type { Guest } from '../value/guest.ts'
import { newArrayOf } from '../value/guest-array.ts'
import { GuestFunction } from '../value/guest-function.ts'
import type { Code, Frame } from '../value/guest-function.ts'
import { thrown } from '../value/thrown.ts'
import { SMALL, newFrame } from './frame.ts'

export function tooDeep(): never {
  throw limitStop('callDepth', live.machine.limits.callDepth)
}

/** The frame of a call, with its arguments in place. */
function frameFor({ code, boxes }: GuestFunction, args: readonly Guest[], self?: Guest): Frame {
  const frame = newFrame(code.slots, boxes)
  fillFrame(frame, code, args, self)
  return frame
}

/** Puts `this` and the arguments into the frame of a call. */
export function fillFrame(frame: Frame, code: Code, args: readonly Guest[], self: Guest): void {
  if (code.receives === 'new')
    throw thrown('TypeError', `Class constructor ${code.name} cannot be invoked without 'new'`)
  fillNew(frame, code, args, self)
}

/** Fills the frame of the constructor of a class, which receives the target of `new`. */
export function fillNew(frame: Frame, code: Code, args: readonly Guest[], origin: Guest): void {
  const { params } = code
  if (code.receives === undefined) for (let i = 0; i < params && i < args.length; i++) frame[i + 2] = args[i]
  else {
    frame[2] = origin
    for (let i = 1; i < params && i <= args.length; i++) frame[i + 2] = args[i - 1]
  }
  if (code.hasRest) frame[params + 2] = newArrayOf(args.slice(code.restFrom))
}

export function enter(code: Code, frame: Frame): Guest {
  const { depth } = live
  if (depth + code.nest > live.depthMax) tooDeep()
  live.depth = depth + code.nest
  const result = code.body(frame)
  live.depth = depth
  return result
}

/** Calls a function with a prepared frame. */
export function callWith(code: Code, frame: Frame): Guest {
  if ((live.fuel -= code.cost) < 0) live.machine.refuel()
  return enter(code, frame)
}

/** Calls a guest function or a built-in with a list of arguments, and `this` if given. */
export function invoke(target: Guest, args: Guest[], self?: Guest): Guest {
  if (target instanceof GuestFunction) {
    if ((live.fuel -= target.code.cost) < 0) live.machine.refuel()
    return enter(target.code, frameFor(target, args, self))
  }
  if (target instanceof BuiltinFunction && target.builtin !== undefined) {
    if ((live.fuel -= target.builtin.cost) < 0) live.machine.refuel()
    return target.builtin.call(self, args)
  }
  throw notCallable(target)
}

/** Calls a member of a value that was looked up before. */
export function callMember(receiver: Guest, target: Guest, args: Guest[], name: string): Guest {
  requireCallable(target, name)
  return invoke(target, args, receiver)
}

export function invoke0(target: Guest): Guest {
  if (target instanceof GuestFunction && target.code.isPlain) {
    const { code } = target
    if ((live.fuel -= code.cost) < 0) live.machine.refuel()
    return enter(code, newFrame(code.slots, target.boxes))
  }
  return invoke(target, [])
}

export function invoke1(target: Guest, a: Guest): Guest {
  return target instanceof GuestFunction ? callOne(target, a) : invoke(target, [a])
}

/** Calls a function of the program with one argument. */
export function callOne(target: GuestFunction, a: Guest): Guest {
  const { code } = target
  if (code.direct === 0) return invoke(target, [a])
  if ((live.fuel -= code.cost) < 0) live.machine.refuel()
  const { depth } = live
  if (depth + code.nest > live.depthMax) tooDeep()
  live.depth = depth + code.nest
  let result: Guest
  if (code.slots <= SMALL) result = code.body([target.boxes, undefined, a, undefined])
  else if (code.hasRest) result = code.body(frameFor(target, [a]))
  else {
    const frame = newFrame(code.slots, target.boxes)
    frame[2] = a
    result = code.body(frame)
  }
  live.depth = depth
  return result
}

export function invoke2(target: Guest, a: Guest, b: Guest): Guest {
  if (target instanceof GuestFunction && target.code.direct > 1) {
    const { code } = target
    if ((live.fuel -= code.cost) < 0) live.machine.refuel()
    const { depth } = live
    if (depth + code.nest > live.depthMax) tooDeep()
    live.depth = depth + code.nest
    let result: Guest
    if (code.slots <= SMALL) result = code.body([target.boxes, undefined, a, b])
    else if (code.hasRest) result = code.body(frameFor(target, [a, b]))
    else {
      const frame = newFrame(code.slots, target.boxes)
      frame[2] = a
      frame[3] = b
      result = code.body(frame)
    }
    live.depth = depth
    return result
  }
  return target instanceof GuestFunction && target.code.direct === 1 && !target.code.hasRest
    ? invoke1(target, a)
    : invoke(target, [a, b])
}

/** For callbacks of lists: passes only as many arguments as the function declares, which it cannot observe. */
export function invoke3(target: Guest, a: Guest, b: Guest, c: Guest): Guest {
  if (target instanceof GuestFunction && target.code.isPlain) {
    const { params } = target.code
    if (params === 1) return invoke1(target, a)
    if (params === 2) return invoke2(target, a, b)
    if (params === 0) return invoke0(target)
  }
  return invoke(target, [a, b, c])
}

/** The error for a call of something that is not a function. */
export function notCallable(target: Guest, name?: string): unknown {
  const what = name ?? describe(target)
  return thrown('TypeError', `${what} is not a function`)
}

function describe(value: Guest): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, 40))
  return typeof value === 'object' && value !== null ? (receiverOf(value) ?? 'object') : String(value)
}

/** Throws if a value is not callable: `requireCallable(fn, 'callback')`. */
export function requireCallable(target: Guest, name?: string): void {
  if (!isCallable(target)) throw notCallable(target, name)
}
