import { MandateError, messageOf } from '../../core/index.ts'
import type { Mind } from '../mind/mind.ts'

/** The error for a run whose input cannot be serialized; other errors pass unchanged. */
export function startError(cause: unknown): unknown {
  if (!MandateError.isInstance(cause) || cause.code !== 'JSON_INVALID') return cause
  const message = `The input of a run, and what its mind pins, must be plain data: ${cause.message}`
  return new MandateError('INPUT_INVALID', message, { cause })
}

/** The error of a mind whose output cannot be recorded. */
export function outputError({ kind, name }: Mind, cause: unknown): MandateError {
  const message = `What the ${kind} "${name}" returned is not plain data: ${messageOf(cause)} Return JSON from it.`
  return new MandateError('OUTPUT_INVALID', message, { cause })
}

/** The error of a run with an unknown durability. */
export function durabilityError(durability: string, known: readonly string[]): MandateError {
  const shown = JSON.stringify(durability)
  return new MandateError('CONFIG_INVALID', `\`durability\` is ${shown}. Use one of: ${known.join(', ')}.`)
}
