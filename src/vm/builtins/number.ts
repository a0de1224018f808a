import { burn, chargeString } from '../meter/live.ts'
import type { BuiltinFunction } from '../value/builtin-function.ts'
import { toNumber } from '../value/convert.ts'
import type { Guest } from '../value/guest.ts'
import { thrown } from '../value/thrown.ts'
import { FORMAT_UNITS } from './intl/units.ts'
import { NUMBER_OPTIONS, formatNumber, readNumberFormat } from './intl/number-format.ts'
import { checkLocale, formatOptions } from './text/locale.ts'
import { type Rows, func, functions, global, row } from './constructors.ts'
import { numberOf, textArgument, toInteger } from './argument-reads.ts'

function digits(value: Guest, least: number, most: number, method: string): number {
  const count = toInteger(value)
  if (count < least || count > most)
    throw thrown(
      'RangeError',
      `${method}() ${method === 'toFixed' ? 'digits ' : ''}argument must be between ${least} and ${most}`,
    )
  return count
}

function inRadix(number: number, radix: Guest): string {
  const base = radix === undefined ? 10 : toInteger(radix)
  if (base < 2 || base > 36) throw thrown('RangeError', 'toString() radix must be between 2 and 36')
  if (base !== 10) burn(4_000)
  return number.toString(base)
}

/** The text of a number in a locale: the same on every machine. */
function localNumber(number: number, locale: Guest, given: Guest): string {
  const tag = checkLocale(locale, 'toLocaleString')
  const options = formatOptions(given, NUMBER_OPTIONS, 'toLocaleString')
  burn(Math.abs(number) < 1e21 ? FORMAT_UNITS : FORMAT_UNITS * 8)
  const text = formatNumber(readNumberFormat(tag, options), number)
  chargeString(text.length)
  return text
}

/** Methods of numbers. */
export const numberRows: Rows = {
  toExponential: [
    1,
    (receiver, args) => {
      const number = numberOf(receiver, 'toExponential')
      const places = toInteger(args[0])
      if (!Number.isFinite(number)) return String(number)
      return number.toExponential(args[0] === undefined ? undefined : digits(places, 0, 100, 'toExponential'))
    },
  ],
  toFixed: [1, (receiver, args) => numberOf(receiver, 'toFixed').toFixed(digits(args[0], 0, 100, 'toFixed'))],
  toLocaleString: row(0, (receiver, args) => localNumber(numberOf(receiver, 'toLocaleString'), args[0], args[1])),
  toPrecision: [
    1,
    (receiver, args) => {
      const number = numberOf(receiver, 'toPrecision')
      if (args[0] === undefined) return String(number)
      const places = toInteger(args[0])
      return Number.isFinite(number) ? number.toPrecision(digits(places, 1, 100, 'toPrecision')) : String(number)
    },
  ],
  toString: row(1, (receiver, args) => inRadix(numberOf(receiver, 'toString'), args[0])),
  valueOf: row(0, (receiver) => numberOf(receiver, 'valueOf')),
}

/** Methods of booleans. */
export const booleanRows: Rows = {
  toLocaleString: row(0, (receiver) => booleanOf(receiver).toString()),
  toString: row(0, (receiver) => booleanOf(receiver).toString()),
  valueOf: row(0, (receiver) => booleanOf(receiver)),
}

function booleanOf(receiver: Guest): boolean {
  if (typeof receiver === 'boolean') return receiver
  throw thrown('TypeError', 'Boolean.prototype.valueOf requires that the receiver is a boolean')
}

/** Charges for the length of the text, although only leading blanks and digits are parsed. */
function parseWith(text: string, parse: (text: string) => number): number {
  burn(text.length * 2)
  return parse(text)
}

export const parseIntFunction: BuiltinFunction = func('parseInt', 2, (_, args) => {
  const text = textArgument(args[0])
  const radix = args[1] === undefined ? undefined : toNumber(args[1])
  return parseWith(text, (given) => Number.parseInt(given, radix))
})
export const parseFloatFunction: BuiltinFunction = func('parseFloat', 1, (_, args) =>
  parseWith(textArgument(args[0]), Number.parseFloat),
)

const constants = new Map<string, Guest>([
  ['EPSILON', Number.EPSILON],
  ['MAX_SAFE_INTEGER', Number.MAX_SAFE_INTEGER],
  ['MAX_VALUE', Number.MAX_VALUE],
  ['MIN_SAFE_INTEGER', Number.MIN_SAFE_INTEGER],
  ['MIN_VALUE', Number.MIN_VALUE],
  ['NEGATIVE_INFINITY', -Infinity],
  ['NaN', Number.NaN],
  ['POSITIVE_INFINITY', Infinity],
  ['parseFloat', parseFloatFunction],
  ['parseInt', parseIntFunction],
])

/** `Number` and its functions. */
export const numberGlobal: BuiltinFunction = global('Number', {
  call: (_, args) => (args.length === 0 ? 0 : toNumber(args[0])),
  members: new Map<string, Guest>([
    ...constants,
    ...functions('Number', {
      isFinite: [1, (_, args) => Number.isFinite(args[0])],
      isInteger: [1, (_, args) => Number.isInteger(args[0])],
      isNaN: [1, (_, args) => Number.isNaN(args[0])],
      isSafeInteger: [1, (_, args) => Number.isSafeInteger(args[0])],
    }),
  ]),
})

/** `Boolean(value)`. */
export const booleanGlobal: BuiltinFunction = global('Boolean', { call: (_, args) => !!args[0] })
