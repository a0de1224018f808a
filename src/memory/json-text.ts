import { type Json, MandateError, toPlain } from '../core/index.ts'

/** The JSON text of a value, as stores keep it, so that each parse gives a private copy. Throws on invalid JSON values. */
export function jsonText(value: unknown, what: string): string {
  const { value: plain, issues } = toPlain(value)
  if (value === undefined || issues.length > 0) {
    const why = issues[0] ?? 'undefined is not JSON'
    throw new MandateError('JSON_INVALID', `${what} cannot be stored: ${why}. Convert it to plain data first.`)
  }
  return JSON.stringify(plain)
}

/** Parses a stored value. */
export function fromText(text: string): Json {
  return JSON.parse(text) as Json
}
