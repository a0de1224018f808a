import { canonical } from '../hash/canonical.ts'

/** Characters that change the direction of the text beside them, so that the displayed text differs from the actual one. */
export const DIRECTION: RegExp = /[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/

/**
 * Control characters except tab and line feed, bidirectional marks, line separators, zero-width characters and tag characters: a model reads them,
 * and a person does not see them.
 */
const UNSEEN =
  /(?![\t\n])[\p{Cc}\u061C\u200B\u200E\u200F\u2028-\u202E\u2060-\u2064\u2066-\u2069\uFEFF\u{E0000}-\u{E007F}]/gu

/** A text that is safe to display on a terminal: control characters are escaped. */
export function visible(text: string): string {
  return text.replaceAll(UNSEEN, escaped)
}

/** A value as a single line of JSON, even for readers that end lines at characters which JSON does not escape. */
export function jsonLine(value: unknown): string {
  return oneLine(canonical(value))
}

/** The same for existing JSON text without line breaks. */
export function oneLine(json: string): string {
  return json.replaceAll(UNSEEN_IN_JSON, escaped)
}

/** Characters that JSON does not escape itself. Bidirectional marks are escaped too, so that a line displays what it contains. */
const UNSEEN_IN_JSON = /[\p{Cc}\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069\uFEFF]/gu

function escaped(character: string): string {
  const code = character.codePointAt(0)!.toString(16)
  return code.length > 4 ? `\\u{${code}}` : `\\u${code.padStart(4, '0')}`
}
