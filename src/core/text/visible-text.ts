import { canonical } from '../hash/canonical.ts'

/** Characters that change the direction in which text beside them is shown: what is read is then not what is there. */
export const DIRECTION: RegExp = /[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/

/**
 * What moves a cursor, hides or turns text around, or ends a line for one reader and not for another; tab and line feed apart. Also what has no width and
 * what tags text unseen: a model reads it, and a person does not.
 */
const UNSEEN =
  /(?![\t\n])[\p{Cc}\u061C\u200B\u200E\u200F\u2028-\u202E\u2060-\u2064\u2066-\u2069\uFEFF\u{E0000}-\u{E007F}]/gu

/** A text as it can be shown on a terminal: what would act there stands as an escape. */
export function visible(text: string): string {
  return text.replaceAll(UNSEEN, escaped)
}

/** A value as one line of JSON, for every reader: also for those that end lines at characters which JSON leaves as they are. */
export function jsonLine(value: unknown): string {
  return oneLine(canonical(value))
}

/** The same for JSON that has been written already, without line breaks of its own. */
export function oneLine(json: string): string {
  return json.replaceAll(UNSEEN_IN_JSON, escaped)
}

/** JSON itself escapes what is below. Marks of order are escaped here too: nothing is lost, and a line reads as it is. */
const UNSEEN_IN_JSON = /[\p{Cc}\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069\uFEFF]/gu

function escaped(character: string): string {
  const code = character.codePointAt(0)!.toString(16)
  return code.length > 4 ? `\\u{${code}}` : `\\u${code.padStart(4, '0')}`
}
