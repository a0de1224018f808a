import { MandateError } from './errors.ts'
import type { ErrorCode } from './errors.ts'
import { isRecord } from './json.ts'
import { nearest } from './nearest.ts'

const isListOf = (value: unknown, fits: (item: unknown) => boolean): boolean =>
  Array.isArray(value) && value.every(fits)

type OneKind =
  | ('text' | 'number' | 'flag' | 'function' | 'list' | 'texts' | 'objects' | 'object')
  // Known by what they can do.
  | ('clock' | 'journal')
/** What the value of a field is; several are joined by `|`. `object` is any object, also one of a class, but no list. */
type FieldKind = OneKind | `${OneKind}|${OneKind}` | `${OneKind}|${OneKind}|${OneKind}`

const VALUE_KINDS: Readonly<Record<OneKind, readonly [fits: (value: unknown) => boolean, words: string]>> = {
  text: [(value) => typeof value === 'string', 'a text'],
  number: [(value) => typeof value === 'number', 'a number'],
  flag: [(value) => typeof value === 'boolean', 'true or false'],
  function: [(value) => typeof value === 'function', 'a function'],
  list: [(value) => Array.isArray(value), 'a list'],
  texts: [(value) => isListOf(value, (item) => typeof item === 'string'), 'a list of texts'],
  objects: [(value) => isListOf(value, isRecord), 'a list of objects'],
  object: [isRecord, 'an object'],
  clock: [
    (value) => isRecord(value) && typeof value['now'] === 'function' && typeof value['timer'] === 'function',
    'a clock with `now()` and `timer()`',
  ],
  journal: [
    (value) => isRecord(value) && typeof value['list'] === 'function' && typeof value['read'] === 'function',
    'a journal, such as that of an opened store',
  ],
}

/**
 * The names of an interface's fields as a value. A field that is added to the interface and not to the list is a type error. `true` stands for a field
 * whose value is checked elsewhere; a kind (`flag`, `text|list`) is checked with the names.
 */
export type FieldNames<T extends object> = { readonly [F in keyof Required<T>]: true | FieldKind }

/** Throws unless a value is of one of these kinds. `what` reads like "`tokens`, an option of `httpServer`,". */
export function checkKind(value: unknown, kinds: FieldKind, what: string, code: ErrorCode = 'CONFIG_INVALID'): void {
  const expected = kinds.split('|').map((kind) => VALUE_KINDS[kind as OneKind])
  if (expected.some(([fits]) => fits(value))) return
  const words = expected.map(([, word]) => word).join(' or ')
  throw new MandateError(code, `${what} is ${shownValue(value)}. Give ${words}.`)
}

/** Tables of other kinds of checks, such as those of numbers, have words of their own. */
function isKind(kinds: unknown): kinds is FieldKind {
  return typeof kinds === 'string' && kinds.split('|').every((kind) => Object.hasOwn(VALUE_KINDS, kind))
}

/** The message about an unknown name, with the nearest known one or all of them. */
export function unknownField(field: string, what: string, known: readonly string[]): string {
  const meant = nearest(field, known)
  const hint = meant === undefined ? `Known: ${known.join(', ')}` : `Did you mean \`${meant}\`?`
  return `\`${field}\` is not ${what}. ${hint}`
}

/**
 * Throws if an options object is not an object, has an unknown name, or a value of another kind than its list of names says: a misspelt safety option must
 * never be ignored. Every options object of the package is checked here. `what` reads like "an option of `openStore`".
 */
export function checkFields(
  options: unknown,
  what: string,
  known: Readonly<Record<string, unknown>>,
  code: ErrorCode = 'CONFIG_INVALID',
): void {
  if (options === undefined) return
  if (typeof options !== 'object' || options === null || Array.isArray(options))
    throw new MandateError(
      code,
      `An object is needed where ${options === null ? 'null' : `a ${Array.isArray(options) ? 'list' : typeof options}`} was given: it cannot hold ${what}.`,
    )
  for (const [field, value] of Object.entries(options)) {
    if (Object.hasOwn(known, field)) {
      const kinds = known[field]
      // A value of another kind would be ignored, or, as the text "false" for a flag, mean the opposite.
      if (value !== undefined && isKind(kinds)) checkKind(value, kinds, `\`${field}\`, ${what},`, code)
      continue
    }
    const message = unknownField(field, what, Object.keys(known))
    throw new MandateError(code, message.endsWith('?') ? message : `${message}.`)
  }
}

/** The same for options that must be given, because some of them are required. */
export function checkNeeded(
  options: unknown,
  what: string,
  known: Readonly<Record<string, unknown>>,
  code: ErrorCode = 'CONFIG_INVALID',
): void {
  if (options === undefined)
    throw new MandateError(code, `An object is needed where nothing was given: it cannot hold ${what}.`)
  checkFields(options, what, known, code)
}

/** Returns a whole number from `least` up, or throws; `undefined` if it is not given. */
export function checkCount(value: unknown, what: string, least = 0): number | undefined {
  if (value === undefined || (Number.isSafeInteger(value) && (value as number) >= least)) return value as undefined
  throw new MandateError('INPUT_INVALID', `${what} is ${shownValue(value)}. Give a whole number from ${least} up.`)
}

/**
 * The valid numbers. A `count` is whole, an `amount` may have a fraction, and both are finite and from 0 up; with `+` above 0. A `cap` is a count
 * above 0, or infinity for no limit. A `share` is from 0 to 1.
 */
type NumberKind = 'count' | 'count+' | 'amount' | 'amount+' | 'cap' | 'share'

const NUMBER_KINDS: Readonly<Record<NumberKind, readonly [fits: (value: number) => boolean, words: string]>> = {
  count: [(value) => Number.isSafeInteger(value) && value >= 0, 'a whole number from 0 up'],
  'count+': [(value) => Number.isSafeInteger(value) && value >= 1, 'a whole number from 1 up'],
  amount: [(value) => Number.isFinite(value) && value >= 0, 'a number from 0 up'],
  'amount+': [(value) => Number.isFinite(value) && value > 0, 'a number above 0'],
  cap: [(value) => (Number.isSafeInteger(value) && value >= 1) || value === Infinity, 'a whole number from 1 up'],
  share: [(value) => value >= 0 && value <= 1, 'a number from 0 to 1'],
}

/** Throws on invalid numbers in an options object: not a number, negative, infinite, or a fraction of a count. */
export function checkNumbers(
  options: object | undefined,
  what: string,
  kinds: Readonly<Record<string, NumberKind>>,
  code: ErrorCode = 'CONFIG_INVALID',
): void {
  for (const [field, kind] of Object.entries(kinds)) {
    const value = (options as Readonly<Record<string, unknown>> | undefined)?.[field]
    if (value === undefined) continue
    const [fits, words] = NUMBER_KINDS[kind]
    if (typeof value === 'number' && fits(value)) continue
    throw new MandateError(code, `\`${field}\`, ${what}, is ${shownValue(value)}. Give ${words}, or leave it out.`)
  }
}

function shownValue(value: unknown): string {
  if (typeof value === 'number' || typeof value === 'boolean' || value === null || value === undefined)
    return String(value)
  if (Array.isArray(value)) return 'a list'
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}
