import { MandateError, isRecord } from '../../core/index.ts'
import type { Json } from '../../core/index.ts'
import { VM_PINS } from '../../vm/index.ts'
import type { VmPins } from '../../vm/index.ts'
import type { CellInput } from '../session/session-state.ts'

/** The versions that a run began on; those of now where its mind pins none. */
export function vmPins(pins: Json): VmPins {
  return (pins as unknown as { readonly mind: VmPins | null }).mind ?? VM_PINS
}

/** Applies the edit of a fork, which may change the source. */
export function readEdit(edit: Json, before: Json): Json {
  const change = typeof edit === 'string' ? { source: edit } : edit
  if (isRecord(change) && isRecord(before)) return { ...before, ...change }
  throw new MandateError('CONFIG_INVALID', '`edit.input` of a fork of a cell is its source, or an object with it.')
}

export function readInput(input: Json): CellInput {
  if (isRecord(input) && typeof input['source'] === 'string') return input as unknown as CellInput
  throw new MandateError('INPUT_INVALID', 'A cell is given as { source }, a text.')
}
