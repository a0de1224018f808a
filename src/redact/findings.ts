/** A stretch of text that must not be seen. */
export interface Finding {
  readonly start: number
  readonly end: number
  /** What it is, for the token that takes its place. */
  readonly name: string
  /** Its hash could be brute-forced. */
  readonly guessable: boolean
}

/** What a finder saw in a text. */
export interface Look {
  readonly findings: readonly Finding[]
  /** Nothing before this place can change any more, whatever text follows. */
  readonly settled: number
  /** Something was seen that more text could turn into a secret. */
  readonly open: boolean
  /** Where its automaton stands at the end of the text. */
  readonly state: number
}

/** Finds what must not be seen. */
export interface Finder {
  look(text: string, isStream: boolean): Look
  /** Reads on from a state; -1 when the text has to be looked at in full. `run` is the length of the stretch of letters and digits that it ends in. */
  advance(state: number, text: string, run: number): number
}

export type TokenOf = (finding: Finding, value: string) => string

const NOTHING: readonly Finding[] = []

/** Sorts findings and joins those that overlap, so that every character of each of them is hidden. What can be told by its looks gives the name, and of two the one that said more. */
export function joinFindings(findings: Finding[] | undefined): readonly Finding[] {
  if (findings === undefined) return NOTHING
  if (findings.length === 1) return findings
  const joined: Finding[] = []
  for (const finding of findings.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    const last = joined.at(-1)
    if (last === undefined || finding.start >= last.end) joined.push(finding)
    else {
      const isNearer = finding.start === last.start && finding.end === last.end && finding.guessable === last.guessable
      const named = isNearer || (last.guessable && !finding.guessable) ? finding : last
      joined[joined.length - 1] = { ...named, start: last.start, end: Math.max(last.end, finding.end) }
    }
  }
  return joined
}

/** What findings are replaced in: all of a text, or what stands between two places of it. */
interface Stretch {
  readonly text: string
  readonly from?: number | undefined
  readonly to?: number | undefined
}

/** The stretch, with tokens where the findings are. */
export function replaceFindings(stretch: Stretch, findings: readonly Finding[], tokenOf: TokenOf): string {
  const { text, from = 0, to = text.length } = stretch
  let replaced = ''
  let at = from
  for (const finding of findings) {
    if (finding.end <= at || finding.start >= to || at >= to) continue
    replaced += text.slice(at, Math.max(at, finding.start)) + tokenOf(finding, text.slice(finding.start, finding.end))
    at = finding.end
  }
  return at < to ? replaced + text.slice(at, to) : replaced
}
