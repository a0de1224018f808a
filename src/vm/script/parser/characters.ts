/** Classes of ASCII characters in names: 1 anywhere, 2 only after the first. */
const classes = new Uint8Array(128)
for (const char of 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ$_') classes[char.charCodeAt(0)] = 1
for (const char of '0123456789') classes[char.charCodeAt(0)] = 2

const idStart = /^\p{ID_Start}$/u
const idContinue = /^[\p{ID_Continue}\u200c\u200d]$/u

/** Whether a name may begin with this character. */
export function isNameStart(code: number): boolean {
  return code < 128 ? classes[code] === 1 : idStart.test(String.fromCodePoint(code))
}

/** Whether a name may contain this character after the first. */
export function isNamePart(code: number): boolean {
  return code < 128 ? classes[code] !== 0 : idContinue.test(String.fromCodePoint(code))
}

/** Whether a character is a line break: line feed, carriage return, or one of the two Unicode separators. */
export function isLineBreak(code: number): boolean {
  return code === 10 || code === 13 || code === 0x2028 || code === 0x2029
}

/** White space other than line breaks, as the language defines it. */
export function isBlank(code: number): boolean {
  if (code < 128) return code === 32 || code === 9 || code === 11 || code === 12
  return code === 0xa0 || code === 0xfeff || blanks.test(String.fromCharCode(code))
}

const blanks = /^\p{Zs}$/u

/** The value of a digit in bases up to 16, or 99. */
export function digitOf(code: number): number {
  if (code >= 48 && code <= 57) return code - 48
  const lower = code | 32
  return lower >= 97 && lower <= 102 ? lower - 87 : 99
}

const reserved = new Set(
  (
    'break case catch class const continue debugger default delete do else enum export extends false finally for ' +
    'function if import in instanceof new null return super switch this throw true try typeof var void while with ' +
    'let static yield await implements interface package private protected public'
  ).split(' '),
)

/** Words that cannot be names in strict code. */
export function isReserved(name: string): boolean {
  return reserved.has(name)
}

const special = new Set([
  ...reserved,
  ...'as satisfies async of type declare namespace module using abstract get set undefined eval arguments'.split(' '),
])

/** Whether a name is a keyword in some context. Most are not, which saves comparing them with each keyword. */
export function isSpecial(name: string): boolean {
  return special.has(name)
}
