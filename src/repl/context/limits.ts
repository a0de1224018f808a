import { MandateError } from '../../core/index.ts'

/** Bytes of a page, the unit in which a source is read, decoded, hashed and kept. */
export const PAGE_BYTES: number = 128 * 1024
/** Characters of a page of a text in memory. */
export const PAGE_CHARS: number = 128 * 1024
/** Pages kept in memory for each source. */
export const PAGES_KEPT = 8
/** The largest source. */
export const CONTEXT_BYTES_MAX: number = 1024 * 1024 * 1024
/** Characters that one call gives at most, so that its result fits into a journal entry. */
export const RESULT_CHARS_MAX = 100_000
/** Matches, lines, records or tallied values that one call gives at most. */
export const RESULT_ITEMS_MAX = 1_000
/** Parts that one call of `chunks` gives at most. */
export const CHUNKS_MAX = 2_000
/** Characters that a pattern may read from the place where an attempt to match begins. */
export const MATCH_CHARS_MAX = 65_536
/** Distinct values that a tally counts at most. */
export const TALLY_VALUES_MAX = 100_000
/** Steps of the regular expression engine that one call may take. */
export const SEARCH_STEPS_MAX = 4_000_000_000
/** Bytes that one regular expression may hold while it searches. */
export const SEARCH_BYTES_MAX = 32_000_000
/** Characters of a pattern. */
export const PATTERN_CHARS_MAX = 2_000

/** An error in the arguments of a call: the script can catch it and call again. */
export function badCall(message: string): MandateError {
  return new MandateError('INPUT_INVALID', message)
}
