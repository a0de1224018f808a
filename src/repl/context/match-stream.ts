import type { MandateError } from '../../core/index.ts'
import { MATCH_CHARS_MAX, badCall } from './limits.ts'
import { pause } from './page-index.ts'
import type { Matcher } from './pattern.ts'
import type { TextView } from './text-view.ts'

/** A match: its start and end in the view, its text and its groups. */
export interface Match {
  readonly at: number
  readonly end: number
  readonly text: string
  readonly groups: readonly (string | null)[]
}

/** Pages processed before yielding to other work of the process. */
const PAGES_AT_ONCE = 16

/**
 * Calls `found` with every match from a position, in order, until it returns `false`. The text is searched page by page. A match may span any number of
 * pages, but an attempt that reads more than `MATCH_CHARS_MAX` characters from its start throws. The matches are therefore always the same as in a search of
 * the whole text.
 */
export async function eachMatch(
  view: TextView,
  matcher: Matcher,
  { from, to, found, signal }: MatchOptions,
): Promise<void> {
  const start = Math.max(from - matcher.left, 0)
  const state: Buffered = { base: start, text: '', at: from, isLast: false }
  let pages = 0
  for await (const page of view.part(0, to).pages(start)) {
    signal?.throwIfAborted()
    state.text += page.text
    state.isLast = page.at + page.text.length >= to
    if (!searched(state, matcher, found)) return
    if (matcher.isAnchored && !isOpen(state)) return
    if (++pages % PAGES_AT_ONCE === 0) await pause()
  }
  if (to <= start) {
    state.isLast = true
    searched(state, matcher, found)
  }
}

interface MatchOptions {
  readonly from: number
  readonly to: number
  readonly found: (match: Match) => boolean
  readonly signal?: AbortSignal | undefined
}

/** The part of the text that is in memory. */
interface Buffered {
  /** Position of the start of `text` in the view. */
  base: number
  text: string
  /** Position from which to search next. */
  at: number
  isLast: boolean
}

function isOpen({ base, text, at }: Buffered): boolean {
  return at < base + text.length
}

/** Reports the matches in the buffered text and discards what is no longer needed. Returns `false` when the caller wants no more matches. */
function searched(state: Buffered, matcher: Matcher, found: (match: Match) => boolean): boolean {
  const { text, base, isLast } = state
  while (state.at - base <= text.length) {
    const result = matcher.find(text, state.at - base, isLast)
    if (matcher.isAtStart && base > 0) throw tooFarBack(state.at)
    if (typeof result === 'number') {
      checkReach(base + result, text.length - result)
      state.at = base + result
      break
    }
    if (result === null) {
      state.at = base + text.length + (isLast ? 1 : 0)
      break
    }
    const [start = 0, end = 0] = result
    checkReach(base + start, end - start)
    state.at = base + end + (end === start ? matcher.step(text, end) : 0)
    if (!found({ at: base + start, end: base + end, text: text.slice(start, end), groups: groupsOf(text, result) }))
      return false
  }
  const kept = Math.max(Math.min(state.at - matcher.left - base, text.length), 0)
  state.text = text.slice(kept)
  state.base = base + kept
  return true
}

function checkReach(at: number, chars: number): void {
  if (chars <= MATCH_CHARS_MAX) return
  throw badCall(
    `The pattern reads more than ${MATCH_CHARS_MAX} characters from position ${at} on. Bound what it repeats, as in [^\\n]* or .{0,200}.`,
  )
}

function tooFarBack(at: number): MandateError {
  return badCall(
    `The pattern looks back more than ${MATCH_CHARS_MAX} characters at or behind position ${at}. Bound what its look-behind repeats.`,
  )
}

function groupsOf(text: string, spans: readonly number[]): readonly (string | null)[] {
  const groups: (string | null)[] = []
  for (let slot = 2; slot < spans.length; slot += 2)
    groups.push(spans[slot]! < 0 ? null : text.slice(spans[slot], spans[slot + 1]))
  return groups
}
