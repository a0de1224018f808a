/** Code points from and to, both included. */
export type Range = readonly [from: number, to: number]

export const DIGITS: readonly Range[] = [[48, 57]]
export const WORDS: readonly Range[] = [
  [48, 57],
  [65, 90],
  [95, 95],
  [97, 122],
]
/** With the flags i and u, the long s and the Kelvin sign are word characters: their case folds to ASCII. */
export const FOLDED_WORDS: readonly Range[] = [...WORDS, [0x17f, 0x17f], [0x212a, 0x212a]]
/** What JavaScript counts as white space; engines of other languages know fewer. */
export const BLANKS: readonly Range[] = [
  [9, 13],
  [32, 32],
  [0xa0, 0xa0],
  [0x1680, 0x1680],
  [0x2000, 0x200a],
  [0x2028, 0x2029],
  [0x202f, 0x202f],
  [0x205f, 0x205f],
  [0x3000, 0x3000],
  [0xfeff, 0xfeff],
]
export const LINE_ENDS: readonly Range[] = [
  [10, 10],
  [13, 13],
  [0x2028, 0x2029],
]

/** Everything the ranges leave out. */
export function complement(ranges: readonly Range[]): Range[] {
  const sorted = ranges.toSorted((a, b) => a[0] - b[0])
  const result: Range[] = []
  let next = 0
  for (const [from, to] of sorted) {
    if (from > next) result.push([next, from - 1])
    next = Math.max(next, to + 1)
  }
  if (next <= 0x10ffff) result.push([next, 0x10ffff])
  return result
}

/** Letters of ASCII in both cases. */
export function inBothCases(ranges: readonly Range[]): Range[] {
  const result: Range[] = [...ranges]
  for (const [from, to] of ranges) {
    const [upperFrom, upperTo] = [Math.max(from, 65), Math.min(to, 90)]
    if (upperFrom <= upperTo) result.push([upperFrom + 32, upperTo + 32])
    const [lowerFrom, lowerTo] = [Math.max(from, 97), Math.min(to, 122)]
    if (lowerFrom <= lowerTo) result.push([lowerFrom - 32, lowerTo - 32])
  }
  return result
}

/** A code point as the engine reads it without doubt. */
export function written(code: number): string {
  const isPlain = (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122)
  return isPlain ? String.fromCharCode(code) : `\\x{${code.toString(16)}}`
}

/** Ranges inside of brackets. */
export function writtenRanges(ranges: readonly Range[]): string {
  return ranges.map(([from, to]) => (from === to ? written(from) : `${written(from)}-${written(to)}`)).join('')
}

/** How a letter compares without the flag `u`: by its capital, unless that is longer or falls into ASCII. */
function canonical(code: number): number {
  const capital = String.fromCharCode(code).toUpperCase()
  if (capital.length !== 1) return code
  const upper = capital.charCodeAt(0)
  return code >= 128 && upper < 128 ? code : upper
}

/** Every letter that compares equal to one, itself included. */
export function sameLetters(code: number): number[] {
  const target = canonical(code)
  const found = new Set([code, target])
  for (const one of [code, target]) {
    const lower = String.fromCharCode(one).toLowerCase()
    if (lower.length === 1) found.add(lower.charCodeAt(0))
  }
  return [...found].filter((one) => canonical(one) === target)
}
