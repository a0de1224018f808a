import { MandateError, toPlain } from '../../core/index.ts'
import type { JsonObject } from '../../core/index.ts'
import type { VmLimits } from '../meter/limits.ts'
import { script } from '../script/script.ts'
import { isProgram } from './host/procedures.ts'

/** A program as it can be given: JSON, a chain that a builder made, a token of a stored one, or the source of a script. */
export type ProgramSource = string | object

/** The JSON of a program, whichever way it was given. A text is the source of a script. */
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
