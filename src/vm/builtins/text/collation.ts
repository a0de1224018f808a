import { burn, charge } from '../../meter/live.ts'
import { thrown } from '../../value/thrown.ts'
import type { FormatOptions } from '../intl/options.ts'

/** The order of ASCII in the root collation: blanks, marks, signs, digits, then letters without regard to case. */
const marks = '\t\n\v\f\r _-,;:!?.\'"()[]{}@*/\\&#%`^+<=>|~$'
const weights = new Map<number, number>()
for (const [index, mark] of marks.split('').entries()) weights.set(mark.charCodeAt(0), index + 1)
for (let digit = 0; digit < 10; digit += 1) weights.set(48 + digit, 100 + digit)
for (let letter = 0; letter < 26; letter += 1) {
  weights.set(97 + letter, 200 + letter)
  weights.set(65 + letter, 200 + letter)
}

interface Letter {
  /** Marks, then digits, then letters. */
  readonly group: number
  weight: number
  /** Accents, as one text. */
  accents: string
  readonly isUpper: boolean
}

const combining = /^\p{M}$/u
const symbol = /^[\p{S}\p{P}\p{Z}]$/u

/** Symbols outside ASCII come after its marks and before `$`, in the order of their codes: before digits and letters, as in the root collation. */
function symbolWeight(code: number): number {
  return marks.length - 1 + code / 0x20_00_00
}
const beyondLatin = /[\u0300-\uffff]/
const markRuns = /\p{M}{2,}/gu

/**
 * Charges for the normalization of a text. The platform sorts consecutive combining marks by insertion, so a run of them costs its length squared; everything
 * else is linear.
 */
export function payNormalizing(text: string): void {
  burn(text.length)
  if (!beyondLatin.test(text)) return
  burn(text.length * 20)
  markRuns.lastIndex = 0
  for (let run = markRuns.exec(text); run !== null; run = markRuns.exec(text)) {
    burn(50)
    payRun(run[0].length)
  }
}

function payRun(length: number): void {
  burn(length * length * 2)
}

function lettersOf(text: string): Letter[] {
  const letters: Letter[] = []
  payNormalizing(text)
  burn(text.length * 60)
  charge(text.length * 96)
  for (const char of text.normalize('NFD')) {
    const last = letters.at(-1)
    if (last !== undefined && combining.test(char)) {
      last.accents += char
      continue
    }
    const lower = char.toLowerCase()
    const code = lower.codePointAt(0) as number
    const weight = weights.get(code) ?? (symbol.test(char) ? symbolWeight(code) : 300 + code)
    const group = weight < 100 ? 0 : weight < 200 ? 1 : 2
    letters.push({ group, weight: group === 1 ? weight - 100 : weight, accents: '', isUpper: lower !== char })
  }
  return letters
}

export const COLLATION_OPTIONS: readonly string[] = ['numeric', 'sensitivity', 'localeMatcher']

/** How texts are compared. */
export interface Collation {
  readonly isNumeric: boolean
  readonly sensitivity: string
}

/** Without any options. */
export const PLAIN_COLLATION: Collation = { isNumeric: false, sensitivity: 'variant' }

/** Reads the options of `localeCompare` and `Intl.Collator`. */
export function readCollation(options: FormatOptions): Collation {
  const sensitivity = String(options['sensitivity'] ?? 'variant')
  if (!['base', 'accent', 'case', 'variant'].includes(sensitivity))
    throw thrown('RangeError', `Value ${sensitivity.slice(0, 40)} out of range for options property sensitivity`)
  return { isNumeric: !!options['numeric'], sensitivity }
}

/** Runs of digits as one number each, so that "10" comes after "9". */
function withNumbers(letters: readonly Letter[]): Letter[] {
  const joined: Letter[] = []
  let number: Letter | undefined
  for (const letter of letters) {
    if (letter.group === 1 && number !== undefined) {
      number.weight = number.weight * 10 + letter.weight
    } else {
      const kept = { ...letter }
      joined.push(kept)
      number = letter.group === 1 ? kept : undefined
    }
  }
  return joined
}

function compareBy<T>(a: readonly T[], b: readonly T[], compare: (x: T, y: T) => number): number {
  const length = Math.min(a.length, b.length)
  for (let index = 0; index < length; index += 1) {
    const order = compare(a[index] as T, b[index] as T)
    if (order !== 0) return order
  }
  return Math.sign(a.length - b.length)
}

const notPlain = /[^\t-\r -~]/

/** Whether a text has only characters whose weights are in the table. */
function isPlain(text: string): boolean {
  return !notPlain.test(text)
}

/** The same order for texts without accents, character by character, which most are. */
function comparePlain(first: string, second: string, sensitivity: string): number {
  const length = Math.min(first.length, second.length)
  burn(length * 8)
  let byCase = 0
  for (let at = 0; at < length; at += 1) {
    const x = first.charCodeAt(at)
    const y = second.charCodeAt(at)
    if (x === y) continue
    const order = weights.get(x)! - weights.get(y)!
    if (order !== 0) return Math.sign(order)
    // The same letter: small before capital.
    if (byCase === 0) byCase = x > y ? -1 : 1
  }
  if (first.length !== second.length) return Math.sign(first.length - second.length)
  return sensitivity === 'base' || sensitivity === 'accent' ? 0 : byCase
}

/**
 * `localeCompare` with the rules of the root collation for letters, digits and marks: the same on every machine, whatever
 * language it is set to. Base letters decide first, then accents, then case (small before capital).
 */
export function compareTexts(first: string, second: string, { isNumeric, sensitivity }: Collation): number {
  burn((first.length + second.length) >> 2)
  if (first === second) return 0
  if (!isNumeric && isPlain(first) && isPlain(second)) return comparePlain(first, second, sensitivity)
  let [a, b] = [lettersOf(first), lettersOf(second)]
  if (isNumeric) {
    burn((a.length + b.length) * 120)
    ;[a, b] = [withNumbers(a), withNumbers(b)]
  }
  const byBase = compareBy(a, b, (x, y) => Math.sign(x.group - y.group) || Math.sign(x.weight - y.weight))
  if (byBase !== 0 || sensitivity === 'base') return byBase
  if (sensitivity !== 'case') {
    const byAccent = compareBy(a, b, (x, y) => (x.accents === y.accents ? 0 : x.accents < y.accents ? -1 : 1))
    if (byAccent !== 0 || sensitivity === 'accent') return byAccent
  }
  return compareBy(a, b, (x, y) => Number(x.isUpper) - Number(y.isUpper))
}
