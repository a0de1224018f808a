import type { Span } from '../../blueprint/blueprint.ts'

export interface Comment {
  /** Including the slashes, without trailing white space. */
  readonly text: string
  /** On the line of the previous token. */
  readonly isTrailing: boolean
  /** After an empty line. */
  readonly isApart: boolean
}

/** A word, a literal or a sign of a `.rag` text. `end` closes the list. */
export interface Token extends Span {
  readonly kind: 'word' | 'text' | 'number' | 'duration' | 'sign' | 'end'
  /** As written; for a corrected word, its correction. */
  readonly raw: string
  /** The value of a text or a number; milliseconds for a duration. */
  readonly value: string | number
  /** The comments between the previous token and this one. */
  readonly comments: readonly Comment[]
  /** The first token of its line. */
  readonly isFirst: boolean
  /** After an empty line. */
  readonly isApart: boolean
}

/** Milliseconds of each unit of a duration, smallest first. */
export const UNITS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const

/** The signs of the language, longest first. */
export const SIGNS = ['->', '{', '}', '[', ']', ',', ':', '?'] as const
