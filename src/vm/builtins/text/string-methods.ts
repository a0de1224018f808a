import { burn, charge, chargeList, chargeString, chargeText, live } from '../../meter/live.ts'
import { limitStop } from '../../meter/stop.ts'
import { toNumber, toText } from '../../value/convert.ts'
import { iteratorOf } from '../../machine/iteration/collection-iterator.ts'
import { ITERATOR } from '../../value/symbols.ts'
import type { Guest } from '../../value/guest.ts'
import { newArray } from '../../value/guest-array.ts'
import { pushItem } from '../../value/property.ts'
import { concat, cut, noteMade } from '../../value/text/text.ts'
import { thrown } from '../../value/thrown.ts'
import { COLLATION_OPTIONS, PLAIN_COLLATION, compareTexts, payNormalizing, readCollation } from './collation.ts'
import { TextSearch, findLastText, findText } from './text-search.ts'
import { checkLocale, formatOptions } from './locale.ts'
import { type Row, type Rows, row } from '../constructors.ts'
import { argument, textArgument, textOf, toInteger, toOffset } from '../argument-reads.ts'
import { GuestRegExp } from '../../value/collections.ts'

const nonAscii = /[^\0-\x7f]/

/** Case conversion can turn one letter into three. */
function recased(text: string, change: (text: string) => string): string {
  burn(text.length >> 2)
  return nonAscii.test(text) ? grown(text, 3, change) : grown(text, 1, change)
}

/** Charges for the maximum growth and returns the unused part. */
function grown(text: string, growth: number, change: (text: string) => string): string {
  const most = text.length * growth
  chargeText(text.length)
  charge(most - text.length)
  if (growth > 1) burn(text.length * 10)
  const changed = change(text)
  const { stringLength } = live.machine.limits
  if (changed.length > stringLength) throw limitStop('stringLength', stringLength)
  live.memory += most - changed.length
  return noteMade(changed)
}

/** The argument of `startsWith` and `endsWith`, with the comparison charged. */
function beginning(text: string, value: Guest): string {
  const sought = plainText(value)
  burn(Math.min(text.length, sought.length) >> 1)
  return sought
}

function plainText(value: Guest): string {
  if (value instanceof GuestRegExp) {
    throw thrown('TypeError', 'First argument must not be a regular expression')
  }
  return textArgument(value)
}

function padded(receiver: Guest, args: readonly Guest[], method: 'padStart' | 'padEnd'): string {
  const text = textOf(receiver, method)
  const length = toInteger(args[0])
  const filler = args[1] === undefined ? ' ' : textArgument(args[1])
  if (length <= text.length || filler === '') return text
  chargeString(length)
  return text[method](length, filler)
}

function repeated(receiver: Guest, args: readonly Guest[]): string {
  const text = textOf(receiver, 'repeat')
  const count = toInteger(args[0])
  if (count < 0 || count === Infinity) throw thrown('RangeError', `Invalid count value: ${toText(args[0])}`)
  if (count === 0 || text === '') return ''
  chargeString(text.length * count)
  return text.repeat(count)
}

const forms = new Set(['NFC', 'NFD', 'NFKC', 'NFKD'])

function normalized(receiver: Guest, args: readonly Guest[]): string {
  const text = textOf(receiver, 'normalize')
  const form = args[0] === undefined ? 'NFC' : textArgument(args[0])
  if (!forms.has(form)) throw thrown('RangeError', 'The normalization form should be one of NFC, NFD, NFKC, NFKD.')
  payNormalizing(text)
  // Normalization can turn one character into eighteen.
  return grown(text, nonAscii.test(text) ? (form.includes('K') ? 18 : 3) : 1, (given) => given.normalize(form))
}

function trimmed(method: 'trim' | 'trimStart' | 'trimEnd'): Row {
  return [
    0,
    (receiver) => {
      const text = textOf(receiver, method)
      const left = text[method]().length
      if (left === text.length) return text
      burn(text.length - left)
      const from = method === 'trimEnd' ? 0 : text.length - text.trimStart().length
      return cut(text, from, from + left)
    },
  ]
}

function substring(text: string, first: Guest, second: Guest): string {
  const { length } = text
  const from = Math.min(Math.max(toInteger(first), 0), length)
  const to = second === undefined ? length : Math.min(Math.max(toInteger(second), 0), length)
  return cut(text, Math.min(from, to), Math.max(from, to))
}

function substr(text: string, first: Guest, second: Guest): string {
  const from = toOffset(first, text.length, 0)
  const count = second === undefined ? text.length : toInteger(second)
  return cut(text, from, Math.min(from + Math.max(count, 0), text.length))
}

/** Units of one extracted part. */
const PART = 40

/** Splits by a text; the parts are charged before they are made. */
export function splitText(text: string, separator: string, limit: number): Guest {
  if (limit === 0) return newArray([])
  if (separator === '') {
    const count = Math.min(text.length, limit)
    chargeList(count)
    return newArray(text.slice(0, count).split(''))
  }
  const parts = newArray([])
  const search = new TextSearch(text, separator)
  let from = 0
  for (let at = search.next(0); at >= 0; at = search.next(from)) {
    burn(PART)
    pushItem(parts, cut(text, from, at))
    if (parts.items.length === limit) return parts
    from = at + separator.length
  }
  pushItem(parts, cut(text, from, text.length))
  return parts
}

function concatenated(receiver: Guest, args: readonly Guest[]): string {
  let text = textOf(receiver, 'concat')
  for (const arg of args) text = concat(text, toText(arg))
  return text
}

function lastIndexOf(receiver: Guest, args: readonly Guest[]): number {
  const text = textOf(receiver, 'lastIndexOf')
  const sought = textArgument(args[0])
  const position = toNumber(args[1])
  return findLastText(text, sought, Number.isNaN(position) ? Infinity : Math.trunc(position))
}

function isWellFormed(text: string): boolean {
  burn(text.length)
  return text.isWellFormed()
}

/** Methods of strings that need no regular expression. */
export const stringRows: Rows = {
  [ITERATOR]: [0, (receiver) => iteratorOf(textOf(receiver, 'Symbol.iterator'))],
  at: [
    1,
    (receiver, args) => {
      const text = textOf(receiver, 'at')
      const index = toInteger(args[0])
      return text[index < 0 ? text.length + index : index]
    },
  ],
  charAt: [1, (receiver, args) => textOf(receiver, 'charAt')[toInteger(args[0])] ?? ''],
  charCodeAt: [
    1,
    (receiver, args) => textOf(receiver, 'charCodeAt').charCodeAt(toInteger(args[0])),
    {
      one: (receiver, index) =>
        textOf(receiver, 'charCodeAt').charCodeAt(typeof index === 'number' ? index : toInteger(index)),
    },
  ],
  codePointAt: [1, (receiver, args) => textOf(receiver, 'codePointAt').codePointAt(toInteger(args[0]))],
  concat: [1, concatenated],
  endsWith: [
    1,
    (receiver, args) => {
      const text = textOf(receiver, 'endsWith')
      const sought = beginning(text, args[0])
      return text.endsWith(sought, args[1] === undefined ? undefined : toInteger(args[1]))
    },
  ],
  includes: [
    1,
    (receiver, args) => {
      const text = textOf(receiver, 'includes')
      const sought = plainText(args[0])
      return findText(text, sought, toInteger(args[1])) >= 0
    },
  ],
  indexOf: [
    1,
    (receiver, args) => {
      const text = textOf(receiver, 'indexOf')
      const sought = textArgument(args[0])
      return findText(text, sought, toInteger(args[1]))
    },
  ],
  isWellFormed: [0, (receiver) => isWellFormed(textOf(receiver, 'isWellFormed'))],
  lastIndexOf: [1, lastIndexOf],
  localeCompare: [
    1,
    (receiver, args) => {
      checkLocale(args[1], 'localeCompare')
      const options = formatOptions(argument(args, 2), COLLATION_OPTIONS, 'localeCompare')
      return compareTexts(textOf(receiver, 'localeCompare'), textArgument(args[0]), readCollation(options))
    },
    { one: (receiver, other) => compareTexts(textOf(receiver, 'localeCompare'), textArgument(other), PLAIN_COLLATION) },
  ],
  normalize: [0, normalized],
  padEnd: [2, (receiver, args) => padded(receiver, args, 'padEnd')],
  padStart: [2, (receiver, args) => padded(receiver, args, 'padStart')],
  repeat: [1, repeated],
  slice: [
    2,
    (receiver, args) => {
      const text = textOf(receiver, 'slice')
      return cut(text, toOffset(args[0], text.length, 0), toOffset(args[1], text.length, text.length))
    },
  ],
  startsWith: [
    1,
    (receiver, args) => {
      const text = textOf(receiver, 'startsWith')
      const sought = beginning(text, args[0])
      return text.startsWith(sought, toInteger(args[1]))
    },
  ],
  substr: [2, (receiver, args) => substr(textOf(receiver, 'substr'), args[0], args[1])],
  substring: [2, (receiver, args) => substring(textOf(receiver, 'substring'), args[0], args[1])],
  toLocaleLowerCase: [
    0,
    (receiver, args) => {
      checkLocale(args[0], 'toLocaleLowerCase')
      return recased(textOf(receiver, 'toLowerCase'), (text) => text.toLowerCase())
    },
  ],
  toLocaleString: row(0, (receiver) => textOf(receiver, 'toLocaleString')),
  toLocaleUpperCase: [
    0,
    (receiver, args) => {
      checkLocale(args[0], 'toLocaleUpperCase')
      return recased(textOf(receiver, 'toUpperCase'), (text) => text.toUpperCase())
    },
  ],
  toLowerCase: [0, (receiver) => recased(textOf(receiver, 'toLowerCase'), (text) => text.toLowerCase())],
  toUpperCase: [0, (receiver) => recased(textOf(receiver, 'toUpperCase'), (text) => text.toUpperCase())],
  toString: row(0, (receiver) => textOf(receiver, 'toString')),
  toWellFormed: [0, (receiver) => recased(textOf(receiver, 'toWellFormed'), (text) => text.toWellFormed())],
  trim: trimmed('trim'),
  trimEnd: trimmed('trimEnd'),
  trimLeft: trimmed('trimStart'),
  trimRight: trimmed('trimEnd'),
  trimStart: trimmed('trimStart'),
  valueOf: row(0, (receiver) => textOf(receiver, 'valueOf')),
}
