import type { CharSet } from './char-set.ts'

// Operation codes. The operands of an instruction follow it in the order listed.

/** The end of the pattern. */
export const MATCH = 0
/** Matches a code unit. Operands: the unit. */
export const UNIT = 1
/** Matches a text. Operands: index of the text. */
export const TEXT = 2
/** Matches a character of a set. Operands: index of the set. */
export const SET = 3
/**
 * Matches as many characters of a set as possible. Operands: set, minimum, maximum, row, open repetitions, unit that follows, set that follows, whether only
 * the longest run can match.
 */
export const RUN = 4
/** Matches as few characters of a set as possible, with the same operands. */
export const LAZY_RUN = 5
/** Jumps. Operands: target. */
export const JUMP = 6
/** Continues at the first target and, if that fails, at the second. Operands: both targets. */
export const SPLIT = 7
/** Stores the position. Operands: slot. */
export const SAVE = 8
/** Clears stored positions. Operands: first slot, end of the slots. */
export const FORGET = 9
/** Fails if nothing was consumed since the position was stored. Operands: slot. */
export const MOVED = 10
/** Marks a position reached by several paths, which is visited only once. Operands: row, open repetitions. */
export const JOIN = 11
/** Matches an edge between characters. Operands: index of the edge. */
export const EDGE = 12
/** Look-around: tests the instructions after it, up to their own end. Operands: target, whether it is negated, slot or -1. */
export const LOOK = 13
/** The same as `UNIT` and `SET` for the text before the position: look-behinds are matched backward. */
export const UNIT_BEFORE = 14
export const SET_BEFORE = 15

/** Length of an instruction with its operands, by operation code. */
export const WIDTHS: readonly number[] = [1, 2, 2, 2, 9, 9, 2, 3, 2, 3, 2, 3, 2, 4, 2, 2]

/** Edges by index. */
export const EDGES: readonly string[] = ['^', '$', '^m', '$m', 'b', 'B']

/** What is known about the start of every match. */
export interface Start {
  readonly text: string
  /** For each code below 256, whether a match can start with it; absent if a match can be empty. */
  readonly latin: Uint8Array | undefined
  /** Whether a match can start only at the start of the text. */
  readonly isAnchored: boolean
}

/** A compiled pattern. Stateless. */
export interface Program {
  readonly code: Int32Array
  readonly sets: readonly CharSet[]
  readonly texts: readonly string[]
  /** Whether a surrogate pair is one character. */
  readonly isUnicode: boolean
  /** Index of the set of word characters for `\b`, if the pattern has one. */
  readonly words: number
  readonly groups: number
  /** Number of position slots: pairs for the groups, then the starts of repetitions that must not be empty. */
  readonly slots: number
  /** Number of instructions whose visits are recorded. */
  readonly rows: number
  /** Whether it has look-aheads or look-behinds: each visit then also stores a result. */
  readonly isAsking: boolean
  /** Whether it has look-behinds: a search then reads before its start position. */
  readonly isBehind: boolean
  /** Look-aheads and look-behinds that contain groups, outer ones first: the slot of their position, and their instruction. */
  readonly looks: readonly (readonly [slot: number, pc: number])[]
  readonly start: Start
}
