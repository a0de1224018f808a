import { burn, charge, chargeString, live } from '../../meter/live.ts'
import type { BuiltinFunction } from '../../value/builtin-function.ts'
import { GuestDate } from '../../value/collections.ts'
import { toNumber, toPrimitive } from '../../value/convert.ts'
import type { Guest } from '../../value/guest.ts'
import { thrown } from '../../value/thrown.ts'
import { DATE_OPTIONS, type Wanted, formatDate, readDateFormat } from '../intl/date-format.ts'
import { FORMAT_UNITS } from '../intl/units.ts'
import { dateText, isoText, parseDate, timeText } from './date-text.ts'
import { checkLocale, formatOptions } from './locale.ts'
import { type Row, type Rows, functions, global, row } from '../constructors.ts'
import { dateOf, textArgument } from '../argument-reads.ts'

const TIME_MAX = 8.64e15

/** A whole number of milliseconds within the range of dates, or NaN. */
function clipped(time: number): number {
  return Math.abs(time) <= TIME_MAX ? Math.trunc(time) + 0 : Number.NaN
}

/** Fields of a calendar as `new Date(y, m, …)` takes them: two-digit years are of the last century. */
function fieldsOf(args: readonly Guest[]): number {
  const [year = Number.NaN, ...rest] = args.slice(0, 7).map((value) => toNumber(value))
  return Date.UTC(year, ...rest)
}

function timeFrom(args: readonly Guest[]): number {
  if (args.length === 0) return live.machine.now()
  if (args.length > 1) return fieldsOf(args)
  const [value] = args
  if (value instanceof GuestDate) return value.time
  const primitive = toPrimitive(value, 'default')
  return typeof primitive === 'string' ? clipped(parseDate(textArgument(primitive))) : clipped(toNumber(primitive))
}

function construct(args: readonly Guest[]): Guest {
  charge(48)
  return new GuestDate(timeFrom(args))
}

/** `Date`: its clock is the machine's recorded one, its only time zone is UTC. */
export const dateGlobal: BuiltinFunction = global('Date', {
  arity: 7,
  call: () => `${dateText(live.machine.now())} ${timeText(live.machine.now())}`,
  construct,
  members: functions('Date', {
    UTC: [7, (_, args) => fieldsOf(args)],
    now: [0, () => live.machine.now()],
    parse: [1, (_, args) => clipped(parseDate(textArgument(args[0])))],
  }),
})

/** Creates a method that formats a date; an invalid date gives `Invalid Date`. */
function asText(method: string, write: (time: number) => string): Row {
  return [
    0,
    (receiver) => {
      const { time } = dateOf(receiver, method)
      return Number.isNaN(time) ? 'Invalid Date' : write(time)
    },
  ]
}

/** Creates a method that formats a date in a locale. `wanted` are the default fields. */
function asLocal(method: string, wanted: Wanted): Row {
  return [
    0,
    (receiver, args) => {
      const { time } = dateOf(receiver, method)
      const tag = checkLocale(args[0], method)
      const format = readDateFormat(tag, formatOptions(args[1], DATE_OPTIONS, method), wanted, wanted)
      if (Number.isNaN(time)) return 'Invalid Date'
      burn(FORMAT_UNITS)
      const text = formatDate(format, time)
      chargeString(text.length)
      return text
    },
  ]
}

function iso(receiver: Guest): string {
  const { time } = dateOf(receiver, 'toISOString')
  if (Number.isNaN(time)) throw thrown('RangeError', 'Invalid time value')
  return isoText(time)
}

const getters = ['Date', 'Day', 'FullYear', 'Hours', 'Milliseconds', 'Minutes', 'Month', 'Seconds'] as const
const setters = ['Date', 'FullYear', 'Hours', 'Milliseconds', 'Minutes', 'Month', 'Seconds'] as const

function getter(name: (typeof getters)[number], method: string): Row {
  return [0, (receiver) => new Date(dateOf(receiver, method).time)[`getUTC${name}`]()]
}

/** Local time is UTC, so both families set the same. */
function setter(name: (typeof setters)[number], method: string): Row {
  return [
    2,
    (receiver, args) => {
      const date = dateOf(receiver, method)
      // The time is read first: converting the arguments may change it.
      const copy = new Date(date.time)
      const values = args.map((value) => toNumber(value))
      const set: unknown = copy[`setUTC${name}`]
      const isLost = Number.isNaN(copy.getTime()) && name !== 'FullYear'
      const time = (set as (...values: number[]) => number).apply(copy, values.length === 0 ? [Number.NaN] : values)
      if (isLost) return Number.NaN
      date.time = time
      return date.time
    },
  ]
}

const calendar: Record<string, Row> = {}
for (const prefix of ['', 'UTC']) {
  for (const name of getters) calendar[`get${prefix}${name}`] = getter(name, `get${prefix}${name}`)
  for (const name of setters) calendar[`set${prefix}${name}`] = setter(name, `set${prefix}${name}`)
}

/** Methods of dates. */
export const dateRows: Rows = {
  ...calendar,
  getTime: [0, (receiver) => dateOf(receiver, 'getTime').time],
  getTimezoneOffset: [0, (receiver) => (Number.isNaN(dateOf(receiver, 'getTimezoneOffset').time) ? Number.NaN : 0)],
  getYear: [0, (receiver) => new Date(dateOf(receiver, 'getYear').time).getUTCFullYear() - 1900],
  setTime: [
    1,
    (receiver, args) => {
      const date = dateOf(receiver, 'setTime')
      date.time = clipped(toNumber(args[0]))
      return date.time
    },
  ],
  toDateString: asText('toDateString', dateText),
  toISOString: [0, iso],
  toJSON: [1, (receiver) => (Number.isNaN(dateOf(receiver, 'toJSON').time) ? null : iso(receiver))],
  toLocaleDateString: asLocal('toLocaleDateString', 'date'),
  toLocaleString: asLocal('toLocaleString', 'all'),
  toLocaleTimeString: asLocal('toLocaleTimeString', 'time'),
  toString: asText('toString', (time) => `${dateText(time)} ${timeText(time)}`),
  toTimeString: asText('toTimeString', timeText),
  toUTCString: asText('toUTCString', (time) => new Date(time).toUTCString()),
  valueOf: row(0, (receiver) => dateOf(receiver, 'valueOf').time),
}
