import type { Position } from '../../expr/index.ts'
import type { Index, Member } from './ir.ts'
import type { St } from './ir-statements.ts'
import { Refusal } from '../meter/stop.ts'
import type { Guest } from '../value/guest.ts'
import { GuestError } from '../value/guest-object.ts'
import { Thrown, thrown } from '../value/thrown.ts'

/** Adds the source position to an error, unless an inner node did. */
export function locate(error: unknown, at: Position | undefined): unknown {
  if (error instanceof Refusal) error.at ??= at
  if (at !== undefined && error instanceof Thrown && error.value instanceof GuestError && error.value.at === undefined)
    error.value.at = at
  return error
}

/** The same for a read of a property. Of the first one in a pattern, the error names what is taken apart, as V8 does. */
export function locateRead(error: unknown, target: Guest, { at, pattern }: Member | Index): unknown {
  if (pattern === undefined || (target !== null && target !== undefined)) return locate(error, at)
  // The value of a parameter has no name.
  const named = pattern.endsWith("''")
    ? `${pattern.slice(0, -1)}${target === null ? 'object null' : 'undefined'}'`
    : pattern
  return locate(thrown('TypeError', `Cannot destructure ${named} as it is ${target}.`), at)
}

/** The same for a statement, with its op and path. */
export function locateStep(error: unknown, { op, path, at }: St): void {
  if (error instanceof Refusal) error.at ??= at
  if (!(error instanceof Thrown) || !(error.value instanceof GuestError)) return
  error.value.op ??= op
  error.value.path ??= path
  error.value.at ??= at
}
