import type { Position } from '../../expr/index.ts'
import type { St } from './ir-statements.ts'
import { Refusal } from '../meter/stop.ts'
import { GuestError } from '../value/guest-object.ts'
import { Thrown } from '../value/thrown.ts'

/** Adds the source position to an error, unless an inner node did. */
export function locate(error: unknown, at: Position | undefined): unknown {
  if (error instanceof Refusal) error.at ??= at
  if (at !== undefined && error instanceof Thrown && error.value instanceof GuestError && error.value.at === undefined)
    error.value.at = at
  return error
}

/** The same for a statement, with its op and path. */
export function locateStep(error: unknown, { op, path, at }: St): void {
  if (error instanceof Refusal) error.at ??= at
  if (!(error instanceof Thrown) || !(error.value instanceof GuestError)) return
  error.value.op ??= op
  error.value.path ??= path
  error.value.at ??= at
}
