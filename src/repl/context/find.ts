import { RESULT_CHARS_MAX, RESULT_ITEMS_MAX, TALLY_VALUES_MAX, badCall } from './limits.ts'
import { eachMatch } from './match-stream.ts'
import type { Match } from './match-stream.ts'
import { matcherOf } from './pattern.ts'
import type { PatternInput } from './pattern.ts'
import type { TextView } from './text-view.ts'

/** The range to search. */
export interface FindRange {
  readonly from?: number | undefined
  readonly to?: number | undefined
  readonly signal?: AbortSignal | undefined
}

export interface SearchOptions extends FindRange {
  /** Maximum number of matches; 20 when absent. */
  readonly limit?: number | undefined
  /** Characters of the excerpt on each side of a match; 80 when absent. */
  readonly around?: number | undefined
}

/** A match as returned to scripts. */
export interface Found {
  /** Position of the match. `end` is the position after it. */
  readonly at: number
  readonly end: number
  /** Line number of the match, starting at 0. */
  readonly line: number
  readonly match: string
  /** Groups of a regular expression; `null` for a group that did not participate. */
  readonly groups?: readonly (string | null)[]
  /** Named groups. */
  readonly named?: Readonly<Record<string, string | null>>
  readonly excerpt: string
}

const LIMIT = 20
const AROUND = 80

/** Finds the first matches from a position. If the list has `limit` entries there may be more: continue with `from` at the end of the last one. */
export async function search(view: TextView, pattern: PatternInput, options: SearchOptions): Promise<readonly Found[]> {
  const { limit = LIMIT, around = AROUND } = options
  if (limit > RESULT_ITEMS_MAX) throw badCall(`\`limit\` is at most ${RESULT_ITEMS_MAX}.`)
  const matcher = matcherOf(pattern)
  const matches: Match[] = []
  let chars = 0
  if (limit > 0)
    await each(view, options, matcher, (match) => {
      matches.push(match)
      chars += match.text.length + around * 2
      for (const group of match.groups) chars += group?.length ?? 0
      return matches.length < limit && chars < RESULT_CHARS_MAX
    })
  const found: Found[] = []
  for (const match of matches) found.push(await described(view, match, { names: matcher.names, around }))
  return found
}

type Each = (
  view: TextView,
  range: FindRange,
  matcher: ReturnType<typeof matcherOf>,
  found: (match: Match) => boolean,
) => Promise<void>

const each: Each = (view, range, matcher, found) => {
  const [from, to] = view.range(range.from, range.to)
  return eachMatch(view, matcher, { from, to, found, signal: range.signal })
}

async function described(
  view: TextView,
  { at, end, text, groups }: Match,
  { names, around }: { readonly names: readonly (string | undefined)[]; readonly around: number },
): Promise<Found> {
  const named = groups.flatMap((group, index) =>
    names[index + 1] === undefined ? [] : [[names[index + 1]!, group] as const],
  )
  return {
    at,
    end,
    line: await view.lineAt(at),
    match: text,
    ...(groups.length > 0 && { groups }),
    ...(named.length > 0 && { named: Object.fromEntries(named) }),
    excerpt: await view.read(at - around, end + around),
  }
}

/** Counts the matches. */
export async function count(view: TextView, pattern: PatternInput, range: FindRange): Promise<number> {
  let total = 0
  await each(view, range, matcherOf(pattern), () => {
    total += 1
    return true
  })
  return total
}

export interface TallyOptions extends FindRange {
  /** The group to count by, as number or name. When absent: the first group, or the whole match if there are no groups. */
  readonly group?: number | string | undefined
  /** Maximum number of values returned, most frequent first; 100 when absent. */
  readonly limit?: number | undefined
}

/** How often each value of a group occurs. */
interface Tally {
  /** Matches counted. */
  readonly total: number
  /** Distinct values. */
  readonly distinct: number
  /** Most frequent first; equal counts in the order of the values. */
  readonly values: readonly { readonly value: string; readonly count: number }[]
}

const TALLY_LIMIT = 100

/** Counts matches by the text of a group: a histogram in one pass. */
export async function tally(view: TextView, pattern: PatternInput, options: TallyOptions): Promise<Tally> {
  const { limit = TALLY_LIMIT } = options
  if (limit > RESULT_ITEMS_MAX) throw badCall(`\`limit\` is at most ${RESULT_ITEMS_MAX}.`)
  const matcher = matcherOf(pattern)
  const group = groupNumber(matcher.names, options.group)
  const counts = new Map<string, number>()
  let total = 0
  await each(view, options, matcher, (match) => {
    const value = group === 0 ? match.text : match.groups[group - 1]
    if (typeof value !== 'string') return true
    total += 1
    counts.set(value, (counts.get(value) ?? 0) + 1)
    if (counts.size > TALLY_VALUES_MAX)
      throw badCall(`There are more than ${TALLY_VALUES_MAX} distinct values. Count a coarser group.`)
    return true
  })
  const sorted = [...counts].toSorted((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))
  return { total, distinct: counts.size, values: withinResult(sorted.slice(0, limit)) }
}

function withinResult(entries: readonly (readonly [string, number])[]): Tally['values'] {
  let chars = 0
  return entries.flatMap(([value, times]) => {
    chars += value.length + 30
    return chars <= RESULT_CHARS_MAX ? [{ value, count: times }] : []
  })
}

function groupNumber(names: readonly (string | undefined)[], group: number | string | undefined): number {
  if (group === undefined) return names.length > 1 ? 1 : 0
  const number = typeof group === 'number' ? group : names.indexOf(group)
  if (number >= 0 && number < names.length) return number
  throw badCall(`The pattern has no group ${String(group)}. It has ${names.length - 1}.`)
}
