import type { Position } from '../../expr/index.ts'
import { GuestError } from '../value/guest-object.ts'
import { Thrown } from '../value/thrown.ts'

/** Notes where an error came from, if nobody nearer did. */
export function locate(error: unknown, at: Position | undefined): unknown {
  if (at !== undefined && error instanceof Thrown && error.value instanceof GuestError && error.value.at === undefined) error.value.at = at
  return error
}

/** The same for the step of a JSON program. */
export function locateStep(error: unknown, op: string | undefined, path: string | undefined): void {
  if (!(error instanceof Thrown) || !(error.value instanceof GuestError)) return
  if (error.value.op === undefined) error.value.op = op
  if (error.value.path === undefined) error.value.path = path
}
