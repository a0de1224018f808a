import { MandateError } from './errors.ts'
import type { ErrorCode } from './errors.ts'
import { nearest } from './nearest.ts'

/** The names of an interface's fields as a value. A field added to the interface and not to the list is a type error. */
export type FieldNames<T extends object> = { readonly [F in keyof Required<T>]: true }

/** Says that a name is not known, and names the nearest known one, or all of them. */
export function unknownField(field: string, what: string, known: readonly string[]): string {
  const meant = nearest(field, known)
  const hint = meant === undefined ? `Known: ${known.join(', ')}` : `Did you mean \`${meant}\`?`
  return `\`${field}\` is not ${what}. ${hint}`
}

/**
 * Refuses an options object that is no object or has a name that is not known: a misspelt safety option must never be
 * ignored. Every options object of the package goes through here. `what` reads like "an option of `openStore`".
 */
export function checkFields(
  options: unknown,
  what: string,
  known: Readonly<Record<string, unknown>>,
  code: ErrorCode = 'CONFIG_INVALID',
): void {
  if (options === undefined) return
  if (typeof options !== 'object' || options === null || Array.isArray(options))
    throw new MandateError(
      code,
      `An object is needed where ${options === null ? 'null' : `a ${Array.isArray(options) ? 'list' : typeof options}`} was given: it cannot hold ${what}.`,
    )
  for (const field of Object.keys(options)) {
    if (Object.hasOwn(known, field)) continue
    const message = unknownField(field, what, Object.keys(known))
    throw new MandateError(code, message.endsWith('?') ? message : `${message}.`)
  }
}

/** Returns the number if it is whole and from `least` up; nothing when it is not given. */
export function checkCount(value: unknown, what: string, least = 0): number | undefined {
  if (value === undefined || (Number.isSafeInteger(value) && (value as number) >= least)) return value as undefined
  const shown = typeof value === 'number' ? String(value) : value === null ? 'null' : `a ${typeof value}`
  throw new MandateError('INPUT_INVALID', `${what} is ${shown}. Give a whole number from ${least} up.`)
}
