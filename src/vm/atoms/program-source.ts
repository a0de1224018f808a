import { MandateError, toPlain } from '../../core/index.ts'
import type { JsonObject } from '../../core/index.ts'
import type { VmLimits } from '../meter/limits.ts'
import { script } from '../script/script.ts'
import { isProgram } from './host/procedures.ts'

/** A program: JSON, a builder chain, the token of a stored program, or script source. */
export type ProgramSource = string | object

/** Reads a program source as JSON. A text is script source. */
export function readProgram(given: ProgramSource, limits?: Partial<VmLimits>): JsonObject {
  if (typeof given === 'string') return script(given, { limits }) as unknown as JsonObject
  const { value, issues } = toPlain(given)
  if (issues.length > 0)
    throw new MandateError('INPUT_INVALID', `The program is not plain JSON, or too deep: ${issues[0]}.`)
  if (isProgram(value)) return value
  throw new MandateError(
    'INPUT_INVALID',
    'A program is { mandate: 1, op: "seq", steps: [...] }. Build one with `program.take(…)`, or write JSON.',
  )
}
