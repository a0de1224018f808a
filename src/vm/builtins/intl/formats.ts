import { burn, charge, chargeString, live } from '../../meter/live.ts'
import { refused } from '../../meter/stop.ts'
import { BoundMethod } from '../../value/native/bound-method.ts'
import type { BuiltinFunction } from '../../value/builtin-function.ts'
import type { Receiver } from '../../value/builtin-table.ts'
import { GuestDate } from '../../value/collections.ts'
import { toNumber } from '../../value/convert.ts'
import type { Guest } from '../../value/guest.ts'
import { newArray } from '../../value/guest-array.ts'
import { newObject } from '../../value/guest-object.ts'
import { FORMAT_TYPES, type FormatKind, GuestFormat } from '../../value/native/guest-native.ts'
import { concat } from '../../value/text/text.ts'
import { thrown } from '../../value/thrown.ts'
import { textArgument } from '../argument-reads.ts'
import { type Rows, functions, global, namespace } from '../constructors.ts'
import { itemsOf } from '../iteration.ts'
import { COLLATION_OPTIONS, type Collation, compareTexts, readCollation } from '../text/collation.ts'
import { checkLocale, formatOptions } from '../text/locale.ts'
import { DATE_OPTIONS, type DateFormat, dateFormatParts, formatDate, readDateFormat } from './date-format.ts'
import { type LocaleTag, knownLocale } from './locales.ts'
import { NUMBER_OPTIONS, type NumberFormat, formatNumber, readNumberFormat } from './number-format.ts'
import type { FormatOptions } from './options.ts'
import { FORMAT_UNITS } from './units.ts'
import { listWords, pluralOf, relativeText } from './words.ts'

const READ_UNITS = 30_000
const FORMAT_BYTES = 512

const KNOWN: Readonly<Record<FormatKind, readonly string[]>> = {
  numberformat: NUMBER_OPTIONS,
  datetimeformat: DATE_OPTIONS,
  collator: COLLATION_OPTIONS,
  pluralrules: ['type', 'localeMatcher'],
  listformat: ['type', 'style', 'localeMatcher'],
  relativetimeformat: ['numeric', 'style', 'localeMatcher'],
}

/** Returns the parsed options of a format, cached. A stored format may have been changed, so its options are parsed again after it is read. */
function engineOf(format: GuestFormat): unknown {
  format.engine ??= read(format.receiver, localeOf(format), optionsOf(format))
  return format.engine
}

function localeOf({ locale }: GuestFormat): LocaleTag {
  const tag = knownLocale(locale)
  if (tag === undefined) throw refused(`There is no locale "${locale.slice(0, 40)}".`)
  return tag
}

function optionsOf({ options }: GuestFormat): FormatOptions {
  const given: unknown = JSON.parse(options)
  return typeof given === 'object' && given !== null ? (given as FormatOptions) : {}
}

function read(kind: FormatKind, tag: LocaleTag, options: FormatOptions): unknown {
  burn(READ_UNITS)
  switch (kind) {
    case 'numberformat':
      return readNumberFormat(tag, options)
    case 'datetimeformat':
      return readDateFormat(tag, options, 'all', 'date')
    case 'listformat':
      return listWords(tag, options)
    case 'pluralrules':
      if (tag !== 'en-US' && tag !== 'en-GB')
        throw refused('Intl.PluralRules knows "en-US" and "en-GB" alone. Write `n === 1 ? one : many`.')
      return [pluralOf(options, 1)]
    case 'relativetimeformat':
      return [relativeText(tag, options, 2, 'day')]
    case 'collator':
      return readCollation(options)
  }
}

function make(kind: FormatKind): (args: readonly Guest[]) => GuestFormat {
  const type = FORMAT_TYPES[kind]
  return ([locale, given]) => {
    const tag = checkLocale(locale, type)
    const options = formatOptions(given, KNOWN[kind], type)
    charge(FORMAT_BYTES)
    const format = new GuestFormat(kind, tag, JSON.stringify(options))
    engineOf(format)
    return format
  }
}

function formatOf(receiver: Guest, kind: FormatKind, method: string): GuestFormat {
  if (receiver instanceof GuestFormat && receiver.receiver === kind) return receiver
  throw thrown('TypeError', `Method ${FORMAT_TYPES[kind]}.prototype.${method} called on incompatible receiver`)
}

/** A formatted text, charged for. */
function made(text: string): string {
  chargeString(text.length)
  return text
}

function timeOf(value: Guest): number {
  const time = value === undefined ? live.machine.now() : value instanceof GuestDate ? value.time : toNumber(value)
  if (Number.isNaN(time) || Math.abs(time) > 8.64e15) throw thrown('RangeError', 'Invalid time value')
  return time
}

function dateParts(receiver: Guest, [value]: readonly Guest[]): Guest {
  const format = engineOf(formatOf(receiver, 'datetimeformat', 'formatToParts')) as DateFormat
  burn(FORMAT_UNITS)
  const parts = dateFormatParts(format, timeOf(value)).map((part) => {
    const object = newObject()
    object.set('type', part.type)
    object.set('value', made(part.value))
    return object
  })
  charge(parts.length * 64)
  return newArray(parts)
}

/** Returns the resolved options of a date format. Formats with a time have options that are not supported here. */
function resolvedDate(receiver: Guest): Guest {
  const given = formatOf(receiver, 'datetimeformat', 'resolvedOptions')
  const { date, time } = engineOf(given) as DateFormat
  if (Object.keys(time).length > 0 || 'style' in date)
    throw refused('resolvedOptions() is there for dates without a time alone. Keep the options in a variable.')
  const options = newObject()
  const own = { locale: given.locale, calendar: 'gregory', numberingSystem: 'latn', timeZone: 'UTC' }
  for (const [key, value] of Object.entries({ ...own, ...date })) options.set(key, value)
  return options
}

function formatList(receiver: Guest, [list]: readonly Guest[]): Guest {
  const [pair, last] = engineOf(formatOf(receiver, 'listformat', 'format')) as readonly [string, string]
  const items = list === undefined ? [] : itemsOf(list)
  burn(items.length * 300)
  let text = ''
  for (const [at, item] of items.entries()) {
    if (typeof item !== 'string') throw thrown('TypeError', 'Iterable yielded a value which is not a string')
    if (at > 0) text = concat(text, items.length === 2 ? pair : at === items.length - 1 ? last : ', ')
    text = concat(text, item)
  }
  return text
}

function select(receiver: Guest, [value]: readonly Guest[]): Guest {
  return pluralOf(optionsOf(formatOf(receiver, 'pluralrules', 'select')), toNumber(value))
}

function relative(receiver: Guest, [value, unit]: readonly Guest[]): Guest {
  const format = formatOf(receiver, 'relativetimeformat', 'format')
  burn(FORMAT_UNITS)
  return made(relativeText(localeOf(format), optionsOf(format), toNumber(value), textArgument(unit)))
}

const rows: Readonly<Record<FormatKind, Rows>> = {
  numberformat: {
    format: [
      1,
      (receiver, args) => {
        const number = toNumber(args[0])
        burn(Math.abs(number) < 1e21 ? FORMAT_UNITS : FORMAT_UNITS * 4)
        return made(
          formatNumber(engineOf(formatOf(receiver, 'numberformat', 'format')) as NumberFormat, toNumber(args[0])),
        )
      },
    ],
  },
  datetimeformat: {
    format: [
      1,
      (receiver, args) => {
        burn(FORMAT_UNITS)
        return made(formatDate(engineOf(formatOf(receiver, 'datetimeformat', 'format')) as DateFormat, timeOf(args[0])))
      },
    ],
    formatToParts: [1, dateParts],
    resolvedOptions: [0, resolvedDate],
  },
  collator: {
    compare: [
      2,
      (receiver, args) => {
        const collation = engineOf(formatOf(receiver, 'collator', 'compare')) as Collation
        return compareTexts(textArgument(args[0]), textArgument(args[1]), collation)
      },
    ],
  },
  pluralrules: { select: [1, select] },
  listformat: { format: [1, formatList] },
  relativetimeformat: { format: [2, relative] },
}

/** Methods of formats, by their receiver. */
export const formatMethods: readonly (readonly [Receiver, ReadonlyMap<string, BuiltinFunction>])[] = Object.entries(
  rows,
).map(([kind, own]) => [kind as FormatKind, functions(kind, own)])

const BOUND: Readonly<Partial<Record<FormatKind, string>>> = {
  numberformat: 'format',
  datetimeformat: 'format',
  collator: 'compare',
}

/** Methods that other engines bind to their format when they are read. */
export const formatGetters: readonly (readonly [Receiver, ReadonlyMap<string, (receiver: never) => Guest>])[] =
  Object.entries(BOUND).map(([kind, name]) => {
    const method = new Map(formatMethods).get(kind as FormatKind)!.get(name)!
    const bind = (receiver: GuestFormat): Guest => {
      charge(64)
      return new BoundMethod(method, receiver)
    }
    return [kind as FormatKind, new Map([[name, bind as (receiver: never) => Guest]])]
  })

function constructor(kind: FormatKind, isCallable: boolean): [string, BuiltinFunction] {
  const path = FORMAT_TYPES[kind]
  const construct = make(kind)
  const call = (_: Guest, args: Guest[]): Guest => {
    if (isCallable) return construct(args)
    throw thrown('TypeError', `Constructor ${path} requires 'new'`)
  }
  return [path.slice(5), global(path, { arity: 0, call, construct })]
}

/** `Intl`, with its own tables for the locales en-US, en-GB, de-DE and fr-FR. */
export const intlGlobal: BuiltinFunction = namespace(
  'Intl',
  new Map([
    constructor('numberformat', true),
    constructor('datetimeformat', true),
    constructor('collator', true),
    constructor('pluralrules', false),
    constructor('listformat', false),
    constructor('relativetimeformat', false),
  ]),
)
