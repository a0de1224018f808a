import { type Json, MandateError, toPlain } from '../core/index.ts'

/** Stores keep values as text: each parse gives a private copy. Invalid JSON is refused, not repaired. */
export function jsonText(value: unknown, what: string): string {
  const { value: plain, issues } = toPlain(value)
  if (value === undefined || issues.length > 0) {
    const why = issues[0] ?? 'undefined is not JSON'
    throw new MandateError('JSON_INVALID', `${what} cannot be stored: ${why}. Convert it to plain data first.`)
  }
  return JSON.stringify(plain)
}

/** The stored value, as a fresh copy. */
export function fromText(text: string): Json {
  return JSON.parse(text) as Json
}
