/** A part of a text that must be hidden. */
export interface Finding {
  readonly start: number
  readonly end: number
  /** What it is, for its token. */
  readonly name: string
  /** A hash of it could be brute-forced. */
  readonly guessable: boolean
}

/** The result of scanning a text. */
export interface Look {
  readonly findings: readonly Finding[]
  /** Nothing before this position can change any more, whatever text follows. */
  readonly settled: number
  /** More text could turn the end of this text into a secret. */
  readonly open: boolean
  /** The state of the automaton at the end of the text. */
  readonly state: number
}

/** Finds what must be hidden. */
export interface Finder {
  look(text: string, isStream: boolean): Look
  /**
   * Scans a further piece from a state; returns -1 if the text must be scanned completely. `run` is the length of the sequence of letters and digits
   * at its end.
   */
  advance(state: number, text: string, run: number): number
}

export type TokenOf = (finding: Finding, value: string) => string

const NOTHING: readonly Finding[] = []

/**
 * Sorts findings and merges overlapping ones, so that every character of each is hidden. A finding by format determines the name, and of two the more
 * specific one.
 */
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

/** The part of a text in which findings are replaced. */
interface Stretch {
  readonly text: string
  readonly from?: number | undefined
  readonly to?: number | undefined
}

/** The part with tokens in place of findings. */
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
