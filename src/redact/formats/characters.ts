/** Classes of characters, as combinable bits. */
export const DIGIT = 1
export const LOWER = 2
export const UPPER = 4
export const UNDERSCORE = 8
export const DASH = 16
export const DOT = 32
export const SLASH = 64
const PLUS = 128
export const EQUALS = 256
export const PERCENT = 512
export const COLON = 1024
export const TILDE = 2048
export const DOLLAR = 4096
export const AT = 8192

export const ALNUM: number = DIGIT | LOWER | UPPER
export const WORD: number = ALNUM | UNDERSCORE
/** The usual alphabet of tokens: base64url. */
export const TOKEN: number = WORD | DASH
export const BASE64: number = ALNUM | PLUS | SLASH | EQUALS

const KINDS: Uint16Array = kindsOf([
  [DIGIT, '0123456789'],
  [LOWER, 'abcdefghijklmnopqrstuvwxyz'],
  [UPPER, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'],
  [UNDERSCORE, '_'],
  [DASH, '-'],
  [DOT, '.'],
  [SLASH, '/'],
  [PLUS, '+'],
  [EQUALS, '='],
  [PERCENT, '%'],
  [COLON, ':'],
  [TILDE, '~'],
  [DOLLAR, '$'],
  [AT, '@'],
])

function kindsOf(table: readonly (readonly [number, string])[]): Uint16Array {
  const kinds = new Uint16Array(128)
  for (const [kind, chars] of table) for (const char of chars) kinds[char.charCodeAt(0)] = kind
  return kinds
}

/** The class of the character at a position; 0 for all others and past the end. */
export function kindAt(text: string, at: number): number {
  const code = text.charCodeAt(at)
  return code < 128 ? KINDS[code]! : 0
}

/** The end of the run of these classes; followed for at most `max` characters. */
export function runEnd(text: string, from: number, kinds: number, max: number): number {
  const limit = Math.min(text.length, from + max)
  let at = from
  while (at < limit && (kindAt(text, at) & kinds) !== 0) at++
  return at
}

/** The same to the left: the start of the run that ends at `to`. */
export function runStart(text: string, to: number, kinds: number, max: number): number {
  const limit = Math.max(0, to - max)
  let at = to
  while (at > limit && (kindAt(text, at - 1) & kinds) !== 0) at--
  return at
}

/** Whether a token may start here: not in the middle of a word, except after an escape (`\n`, `%3D`, `\u0022`), whose end only looks like a word. */
export function beginsWord(text: string, at: number): boolean {
  if (at === 0 || (kindAt(text, at - 1) & TOKEN) === 0) return true
  const before = text.charAt(at - 2)
  if (before === '\\') return 'nrtbf'.includes(text.charAt(at - 1))
  return text.charAt(at - 3) === '%' || (text.charAt(at - 6) === '\\' && text.charAt(at - 5) === 'u')
}
