import { burn, burnCopy, charge, chargeString, live, noteText, outOfMemory } from '../../meter/live.ts'
import { limitStop } from '../../meter/stop.ts'
import { SHORT_TEXT } from './text-ledger.ts'

/** Units for each piece that a rope is put together from. */
const PIECE = 10

/** A slice shorter than this is a copy on this platform; a longer one keeps the whole text that it is taken from. */
const SLICE_COPIED = 13

/**
 * Joins two texts. The platform makes a rope, so only the shorter side and a node are charged; what looks inside later
 * pays for the whole with `touch`.
 */
export function concat(a: string, b: string): string {
  const left = a.length
  const right = b.length
  if (left === 0) return b
  if (right === 0) return a
  const length = left + right
  if (length > live.machine.limits.stringLength) throw limitStop('stringLength', live.machine.limits.stringLength)
  if ((live.memory -= (left < right ? left : right) + 24) < 0) outOfMemory()
  if (length > SHORT_TEXT) noteRope(left, right)
  return a + b
}

function noteRope(left: number, right: number): void {
  const grown = live.texts.noteRope(left, right)
  if (grown > 0) charge(grown)
}

/** Pays for looking inside a text: the platform then copies a rope into one piece, once. */
export function touch(text: string): void {
  if (text.length <= SHORT_TEXT) return
  const pieces = live.texts.takeRope(text.length)
  if (pieces === 0) return
  burnCopy(text.length)
  burn(pieces * PIECE)
  charge(text.length)
}

/** Pays for using a text as a key: it is read to be hashed, and again to be compared. */
export function touchKey(text: string): void {
  if (text.length <= SHORT_TEXT) return
  touch(text)
  burn(text.length >> 2)
}

/** A part of a text, paid for; the text itself has been paid for with `touch`. */
export function cut(text: string, from: number, to: number): string {
  if (from >= to) return ''
  chargeString(to - from)
  return partOf(text, from, to)
}

/** A part of a text, without the rest: a slice as the platform makes it keeps the whole text alive. */
function partOf(text: string, from: number, to: number): string {
  const length = to - from
  if (length < SLICE_COPIED || (from === 0 && to === text.length) || text.length <= SHORT_TEXT * 2)
    return text.slice(from, to)
  const middle = from + (length >> 1)
  return [text.slice(from, middle), text.slice(middle, to)].join('')
}

/** Notes a text that was made in another way than by `chargeString`, which has been paid for. */
export function noteMade(text: string): string {
  if (text.length > SHORT_TEXT) noteText(text.length)
  return text
}
