import type { Finding } from './redaction-finding.ts'

/** Pieces of text that show that other text may be written in them letter by letter. */
export const MARKS: readonly string[] = [
  '%',
  '\\u',
  '\\x',
  '&#',
  '=\n',
  '=\r\n',
  '\u200B',
  '\u200C',
  '\u200D',
  '\u2060',
  '\uFEFF',
  '\u00AD',
]

const ESCAPE =
  /%([0-9a-f]{2})|\\u([0-9a-f]{4})|\\x([0-9a-f]{2})|&#x([0-9a-f]{1,6});|&#(\d{1,7});|=\r?\n|[\u200B-\u200D\u2060\uFEFF\u00AD]/gi

/** Text without its escapes, and where each of its characters came from. */
export interface View {
  readonly text: string
  /** Of each character, and of the end. */
  readonly places: readonly number[]
}

/** Reads percent signs, JSON and HTML escapes as what they stand for, and leaves out what cannot be seen. Undefined when there are none. */
export function plainView(text: string): View | undefined {
  let plain = ''
  const places: number[] = []
  let at = 0
  const take = (to: number): void => {
    for (; at < to; at++) places.push(at)
  }
  for (const match of text.matchAll(ESCAPE)) {
    plain += text.slice(at, match.index)
    take(match.index)
    const char = charOf(match)
    plain += char
    for (let i = 0; i < char.length; i++) places.push(match.index)
    at = match.index + match[0].length
  }
  if (at === 0) return undefined
  plain += text.slice(at)
  take(text.length)
  places.push(text.length)
  return { text: plain, places }
}

function charOf(match: RegExpExecArray): string {
  const hex = match[1] ?? match[2] ?? match[3] ?? match[4]
  const code = hex === undefined ? Number(match[5] ?? Number.NaN) : Number.parseInt(hex, 16)
  return code <= 0x10_ff_ff ? String.fromCodePoint(code) : ''
}

/** Findings of a view, in the places of the text it was made from. */
export function mapFindings(findings: readonly Finding[], { places }: View): Finding[] {
  return findings.map((finding) => ({ ...finding, start: places[finding.start]!, end: places[finding.end]! }))
}

const PARTIAL = /(?:%[0-9a-f]?|\\(?:u[0-9a-f]{0,3}|x[0-9a-f]?)?|&(?:#x?[0-9a-f]{0,7})?|=\r?)$/i

/** Where an escape begins that the end of the text cuts in two; its length when there is none. */
export function cutEscape(text: string): number {
  const tail = text.slice(-10)
  const match = PARTIAL.exec(tail)
  return match === null ? text.length : text.length - tail.length + match.index
}
