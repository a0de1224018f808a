import { burn, burnCopy, charge, chargeString, live, noteText, outOfMemory } from '../../meter/live.ts'
import { limitStop } from '../../meter/stop.ts'
import { SHORT_TEXT } from './text-ledger.ts'

/** Units per rope piece. */
const PIECE = 10

/** V8 copies slices shorter than this; longer ones keep the whole source text alive. */
const SLICE_COPIED = 13

/**
 * Concatenates two texts. V8 makes a rope, so only the shorter side and a node are charged; a later read
 * charges for the whole with `touch`.
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

/** Charges for reading a text: V8 then flattens a rope, once. */
export function touch(text: string): void {
  if (text.length <= SHORT_TEXT) return
  const pieces = live.texts.takeRope(text.length)
  if (pieces === 0) return
  burnCopy(text.length)
  burn(pieces * PIECE)
  charge(text.length)
}

/** Charges for using a text as a key: it is hashed and compared. */
export function touchKey(text: string): void {
  if (text.length <= SHORT_TEXT) return
  touch(text)
  burn(text.length >> 2)
}

/** A charged part of a text; the text itself was charged with `touch`. */
export function cut(text: string, from: number, to: number): string {
  if (from >= to) return ''
  chargeString(to - from)
  return partOf(text, from, to)
}

/** A copied part of a text: a V8 slice would keep the whole text alive. */
function partOf(text: string, from: number, to: number): string {
  const length = to - from
  if (length < SLICE_COPIED || (from === 0 && to === text.length) || text.length <= SHORT_TEXT * 2)
    return text.slice(from, to)
  const middle = from + (length >> 1)
  return [text.slice(from, middle), text.slice(middle, to)].join('')
}

/** Copies a text of the platform that may be a slice of a longer one or a rope, which use more memory than their length. */
export function flat(text: string): string {
  if (text.length < SLICE_COPIED) return text
  const middle = text.length >> 1
  return [text.slice(0, middle), text.slice(middle)].join('')
}

/** Records a charged text that was made without `chargeString`. */
export function noteMade(text: string): string {
  if (text.length > SHORT_TEXT) noteText(text.length)
  return text
}
