import { callWith, fillNew, invoke } from '../../machine/invoke.ts'
import { newFrame } from '../../machine/frame.ts'
import { BuiltinFunction, WRAPPERS } from '../../value/builtin-function.ts'
import type { Guest } from '../../value/guest.ts'
import { GuestFunction } from '../../value/guest-function.ts'
import { GuestError, GuestObject } from '../../value/guest-object.ts'
import { newInstance, prototypeOf } from '../../value/prototypes/lookup.ts'
import { refused } from '../../meter/stop.ts'
import { thrown } from '../../value/thrown.ts'

/** Performs `new target(…args)`. For `super(…)`, `origin` is the target of `new`. */
export function construct(target: Guest, args: Guest[], origin: Guest, name?: string): Guest {
  if (target instanceof GuestFunction && target.code.isConstructor) {
    if (target.code.receives !== 'new') return constructByFunction(target, args, origin)
    const frame = newFrame(target.code.slots, target.boxes)
    fillNew(frame, target.code, args, origin)
    return callWith(target.code, frame)
  }
  if (target instanceof BuiltinFunction && target.construct !== undefined)
    return adopted(target.construct(args), target, origin)
  throw thrown('TypeError', `${name ?? 'This'} is not a constructor`)
}

/** Constructs with a function that initializes `this`. Its return value is used only if it is an object. */
function constructByFunction(target: GuestFunction, args: Guest[], origin: Guest): Guest {
  const self = created(origin)
  const result = invoke(target, args, self)
  return typeof result === 'object' && result !== null ? result : self
}

/** Creates the object that a constructor initializes. */
export function created(origin: Guest): GuestObject {
  const proto = origin instanceof GuestFunction ? prototypeOf(origin) : undefined
  return newInstance(proto instanceof GuestObject ? proto : null)
}

/** Adopts the object that a built-in constructor created for a class that extends it. */
export function adopted(made: Guest, target: Guest, origin: Guest): Guest {
  if (origin === target || !(origin instanceof GuestFunction)) return made
  const proto = prototypeOf(origin)
  if (!(made instanceof GuestError) || !(proto instanceof GuestObject))
    throw cannotExtend((target as BuiltinFunction).path)
  made.more().proto = proto
  proto.more().isInUse = true
  return made
}

/** Returns the refusal of a class that extends a built-in whose objects cannot have further properties. */
export function cannotExtend(path: string): unknown {
  const made = WRAPPERS.includes(path) ? `${path}()` : `new ${path}()`
  return refused(
    `A class can extend your own classes and the Error types, not ${path}. Keep a ${path} in a field instead: \`class Store { #items = ${made}; add(x) { … } }\`.`,
  )
}
