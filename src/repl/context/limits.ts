import { MandateError } from '../../core/index.ts'

/** Bytes of a page, the unit in which a source is read, decoded, hashed and cached. */
export const PAGE_BYTES: number = 128 * 1024
/** Characters of a page of a text in memory. */
export const PAGE_CHARS: number = 128 * 1024
/** Pages cached for each source. */
export const PAGES_KEPT = 8
/** Maximum bytes of a source. */
export const CONTEXT_BYTES_MAX: number = 1024 * 1024 * 1024
/** Maximum characters in the result of one call, so that it fits into a journal entry. */
export const RESULT_CHARS_MAX = 100_000
/** Maximum matches, lines, records or tallied values in the result of one call. */
export const RESULT_ITEMS_MAX = 1_000
/** Maximum parts that one call of `chunks` returns. */
export const CHUNKS_MAX = 2_000
/** Maximum characters that one match attempt may read from its start position. */
export const MATCH_CHARS_MAX = 65_536
/** Maximum distinct values that a tally counts. */
export const TALLY_VALUES_MAX = 100_000
/** Maximum regular expression engine steps of one call. */
export const SEARCH_STEPS_MAX = 4_000_000_000
/** Maximum bytes that one regular expression may allocate during a search. */
export const SEARCH_BYTES_MAX = 32_000_000
/** Maximum characters of a pattern. */
export const PATTERN_CHARS_MAX = 2_000

/** Creates the error for invalid arguments. A script can catch it and call again. */
export function badCall(message: string): MandateError {
  return new MandateError('INPUT_INVALID', message)
}
