/** Syntax tree of a pattern. */
export type Pattern =
  | { readonly kind: 'sequence'; readonly parts: readonly Pattern[] }
  | { readonly kind: 'choice'; readonly options: readonly Pattern[] }
  /** One character: a code point with the flag `u` or `v`, otherwise a UTF-16 code unit. */
  | { readonly kind: 'char'; readonly code: number }
  /** One character of a class, with the class in its source form. */
  | { readonly kind: 'class'; readonly source: string }
  | { readonly kind: 'edge'; readonly at: '^' | '$' | 'b' | 'B' }
  | { readonly kind: 'group'; readonly group: number; readonly body: Pattern }
  | Look
  | Repeat

/** A look-ahead or look-behind: a condition on the following or preceding text that consumes nothing. */
export interface Look {
  readonly kind: 'look'
  readonly body: Pattern
  readonly isNegative: boolean
  readonly isBehind: boolean
  /** Number of the first group inside, or 0. */
  readonly group: number
}

/** A quantified part, with the range of groups inside it: each repetition resets them. */
export interface Repeat {
  readonly kind: 'repeat'
  readonly body: Pattern
  readonly least: number
  readonly most: number
  readonly isLazy: boolean
  readonly groupFrom: number
  readonly groupTo: number
}

/** A parsed pattern. */
export interface Parsed {
  readonly pattern: Pattern
  /** Names of groups by number; index 0 is the whole match. */
  readonly names: readonly (string | undefined)[]
}

/** Error for an invalid pattern, or one that needs more than linear time. */
export class PatternProblem extends Error {
  readonly isRefused: boolean
  /** Whether the pattern contains a back-reference. */
  readonly isBackReference: boolean
  constructor(message: string, isRefused: boolean, isBackReference: boolean = false) {
    super(message)
    this.isRefused = isRefused
    this.isBackReference = isBackReference
  }
}

/** Whether a pattern can match the empty string. */
export function canBeEmpty(pattern: Pattern): boolean {
  switch (pattern.kind) {
    case 'sequence':
      return pattern.parts.every(canBeEmpty)
    case 'choice':
      return pattern.options.some(canBeEmpty)
    case 'group':
      return canBeEmpty(pattern.body)
    case 'repeat':
      return pattern.least === 0 || canBeEmpty(pattern.body)
    default:
      return pattern.kind === 'edge' || pattern.kind === 'look'
  }
}

/** Whether a pattern contains a group that may not participate in a match. */
export function hasOptionalGroup(pattern: Pattern, isOptional: boolean = false): boolean {
  switch (pattern.kind) {
    case 'sequence':
      return pattern.parts.some((part) => hasOptionalGroup(part, isOptional))
    case 'choice':
      return pattern.options.some((option) => hasOptionalGroup(option, true))
    case 'group':
      return isOptional || hasOptionalGroup(pattern.body)
    case 'repeat':
      return hasOptionalGroup(pattern.body, isOptional || pattern.least === 0)
    case 'look':
      return isOptional && pattern.group > 0
    default:
      return false
  }
}

/** Counts the unbounded quantifiers of a pattern and their nesting depth. Both determine how long a backtracking engine may take. */
export function repeatsOf(pattern: Pattern): { readonly count: number; readonly depth: number } {
  switch (pattern.kind) {
    case 'sequence':
      return sumOf(pattern.parts)
    case 'choice':
      return sumOf(pattern.options)
    case 'group':
    case 'look':
      return repeatsOf(pattern.body)
    case 'repeat': {
      const { count, depth } = repeatsOf(pattern.body)
      const isOpen = pattern.most === Number.POSITIVE_INFINITY
      return { count: count + (isOpen ? 1 : 0), depth: depth + (isOpen ? 1 : 0) }
    }
    default:
      return { count: 0, depth: 0 }
  }
}

function sumOf(parts: readonly Pattern[]): { readonly count: number; readonly depth: number } {
  const all = parts.map(repeatsOf)
  return { count: all.reduce((sum, { count }) => sum + count, 0), depth: Math.max(0, ...all.map(({ depth }) => depth)) }
}
