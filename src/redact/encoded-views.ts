import type { Finding } from './findings.ts'

/** Texts that suggest that characters are escaped. */
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

/** For known values more encodings are decoded: invisible characters, wide letters, octal digits, colour codes of a terminal, and wrapped lines. */
export const KNOWN_MARKS: readonly string[] = [
  ...MARKS,
  ...['\n', '\\n', '\0', '\u001B[', '=3D', '=2D', '=5F', '=2B', '=2F', '\uDB40', '\\-', '\\_'],
  ...Array.from('01234567', (digit) => `\\${digit}`),
  ...Array.from(
    '\u034F\u061C\u180E\u200E\u200F\u202A\u202B\u202C\u202D\u202E\u2061\u2062\u2063\u2064\u2066\u2067\u2068\u2069\u3164\uFFA0',
  ),
  ...Array.from({ length: 16 }, (_, i) => String.fromCharCode(0xfe_00 + i)),
  ...Array.from({ length: 94 }, (_, i) => String.fromCharCode(0xff_01 + i)),
]

const HEX_ESCAPES = [
  '%(?:25){0,3}([0-9a-f]{2})',
  String.raw`\\{1,7}u([0-9a-f]{4})`,
  String.raw`\\{1,7}u\{([0-9a-f]{1,6})\}`,
  String.raw`\\{1,7}x([0-9a-f]{2})`,
  '&#x([0-9a-f]{1,6});?',
  '=(3D|2D|5F|2B|2F)',
].join('|')
const NUMBERS = String.raw`&#(\d{1,7});?|\\([0-3]?[0-7]{2})`
const INVISIBLE = String.raw`[\u200B-\u200D\u2060\uFEFF\u00AD]`
const ESCAPE = new RegExp(String.raw`${HEX_ESCAPES}|${NUMBERS}|=\r?\n|${INVISIBLE}`, 'gi')
const KNOWN_ESCAPE = new RegExp(
  [
    HEX_ESCAPES,
    NUMBERS,
    String.raw`([\uFF01-\uFF5E])`,
    String.raw`(?:=|\\)?\r?\n[ \t]{0,16}|\\{1,7}(?:r\\{1,7})?n`,
    String.raw`[\0\u00AD\u034F\u061C\u180E\u200B-\u200F\u202A-\u202E\u2060-\u206F\u3164\uFE00-\uFE0F\uFEFF\uFFA0]`,
    String.raw`\uDB40[\uDC00-\uDFFF]|\u001B\[[\d;]{0,16}[A-Za-z]|\\(?=[-_])`,
  ].join('|'),
  'gi',
)

/** Decoded text, with the original position of each character. */
interface View {
  readonly text: string
  /** Of each character, and of the end. */
  readonly places: readonly number[]
}

/** Decodes percent signs, JSON and HTML escapes, and removes invisible characters. `undefined` if there are none. */
export function plainView(text: string, isKnown = false): View | undefined {
  let plain = ''
  const places: number[] = []
  let at = 0
  const take = (to: number): void => {
    for (; at < to; at++) places.push(at)
  }
  for (const match of text.matchAll(isKnown ? KNOWN_ESCAPE : ESCAPE)) {
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
  const hex = match[1] ?? match[2] ?? match[3] ?? match[4] ?? match[5] ?? match[6]
  if (hex !== undefined) return charWith(Number.parseInt(hex, 16))
  if (match[7] !== undefined) return charWith(Number(match[7]))
  if (match[8] !== undefined) return charWith(Number.parseInt(match[8], 8))
  return match[9] === undefined ? '' : charWith(match[9].charCodeAt(0) - 0xfe_e0)
}

function charWith(code: number): string {
  return code <= 0x10_ff_ff ? String.fromCodePoint(code) : ''
}

/** Maps findings of a view to positions of the original text. */
export function mapFindings(findings: readonly Finding[], { places }: View): Finding[] {
  return findings.map((finding) => ({ ...finding, start: places[finding.start]!, end: places[finding.end]! }))
}

const PARTIAL =
  // oxlint-disable-next-line no-control-regex -- escapes of terminals begin with one
  /(?:%(?:25){0,3}[0-9a-f]?|\\{1,7}(?:u(?:[0-9a-f]{0,3}|\{[0-9a-f]{0,6})|x[0-9a-f]?|r\\{0,7}|[0-3]?[0-7])?|&(?:#x?[0-9a-f]{0,7})?|=[235]?\r?|\r|\u001B(?:\[[\d;]{0,16})?|\uDB40)$/i

/** The start of an escape that is cut off by the end of the text; its length if there is none. */
export function cutEscape(text: string): number {
  const tail = text.slice(-28)
  const match = PARTIAL.exec(tail)
  return match === null ? text.length : text.length - tail.length + match.index
}
