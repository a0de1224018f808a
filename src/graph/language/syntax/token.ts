import type { Span } from '../../blueprint/blueprint.ts'

export interface Comment {
  /** With the slashes, without white space at its end. */
  readonly text: string
  /** On the line of the token before it. */
  readonly isTrailing: boolean
  /** After an empty line. */
  readonly isApart: boolean
}

/** A word, a literal or a sign of a `.rag` text. `end` closes the list. */
export interface Token extends Span {
  readonly kind: 'word' | 'text' | 'number' | 'duration' | 'sign' | 'end'
  /** As written; for words that were mended, as they were meant. */
  readonly raw: string
  /** What a text says, a number is, or a duration is in milliseconds. */
  readonly value: string | number
  /** The comments between the token before it and this one. */
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
