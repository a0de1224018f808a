import type { CharSet } from './char-set.ts'

// What an instruction does. Its operands stand behind it, in the order of its line.

/** The end of the pattern. */
export const MATCH = 0
/** A unit: its code. */
export const UNIT = 1
/** Units one after the other: number of the text. */
export const TEXT = 2
/** A character: number of the set. */
export const SET = 3
/** As many characters as there are: set, least, most, row, open turns, unit that follows, set that follows, whether only the longest fits. */
export const RUN = 4
/** As few characters as will do, with the same operands. */
export const LAZY_RUN = 5
/** Goes on elsewhere: target. */
export const JUMP = 6
/** Goes on at the first target, and should that fail at the second. */
export const SPLIT = 7
/** Notes the place: slot. */
export const SAVE = 8
/** Forgets places: first slot, end of the slots. */
export const FORGET = 9
/** Fails where nothing was read since the place was noted: slot. */
export const MOVED = 10
/** Several ways lead here, and one visit is enough: row, open turns. */
export const JOIN = 11
/** Stands between characters: which edge. */
export const EDGE = 12
/** Holds where what stands behind it, up to its own end, does or does not follow: target, whether it must not, slot or -1. */
export const LOOK = 13
/** The same as `UNIT` and `SET` for what stands before the place: in look-behinds the text is read backward. */
export const UNIT_BEFORE = 14
export const SET_BEFORE = 15

/** How many numbers an instruction takes, by its own. */
export const WIDTHS: readonly number[] = [1, 2, 2, 2, 9, 9, 2, 3, 2, 3, 2, 3, 2, 4, 2, 2]

/** Edges by their number. */
export const EDGES: readonly string[] = ['^', '$', '^m', '$m', 'b', 'B']

/** What every match begins with, as far as it is known. */
export interface Start {
  readonly text: string
  /** For each code below 256, whether a match can begin with it; absent when it can be empty. */
  readonly latin: Uint8Array | undefined
  /** It can begin only where the text does. */
  readonly isAnchored: boolean
}

/** A pattern that can be run. It has no state. */
export interface Program {
  readonly code: Int32Array
  readonly sets: readonly CharSet[]
  readonly texts: readonly string[]
  /** Pairs of surrogates are one character. */
  readonly isUnicode: boolean
  /** The set that `\b` looks for, where the pattern has one. */
  readonly words: number
  readonly groups: number
  /** Places of the groups in pairs, then the places where turns began that may not be empty. */
  readonly slots: number
  /** Places in the pattern at which visits are noted. */
  readonly rows: number
  /** It has look-aheads or look-behinds: an answer stands beside each visit. */
  readonly isAsking: boolean
  /** It has look-behinds: a search reads before the place where it begins. */
  readonly isBehind: boolean
  /** Look-aheads and look-behinds that hold groups, outer ones first: the slot where the place is noted, and where they stand. */
  readonly looks: readonly (readonly [slot: number, pc: number])[]
  readonly start: Start
}
