import { refused } from '../../meter/stop.ts'
import { thrown } from '../../value/thrown.ts'
import { DATES, type DateData, type LocaleTag, padsDate } from './locales.ts'
import { type FormatOptions, choice, flag } from './options.ts'

export const DATE_OPTIONS: readonly string[] = [
  ...['weekday', 'year', 'month', 'day', 'hour', 'minute', 'second', 'hour12', 'hourCycle', 'timeZone', 'timeZoneName'],
  ...['dateStyle', 'timeStyle', 'localeMatcher', 'calendar', 'numberingSystem', 'formatMatcher'],
]

/** The fields written when the options name none: a date, a time, or both. */
export type Wanted = 'date' | 'time' | 'all'

interface DatePart {
  readonly type: string
  readonly value: string
}

type Fields = Readonly<Record<string, string>>

/** A date format with parsed options. */
export interface DateFormat {
  readonly tag: LocaleTag
  readonly data: DateData
  readonly date: Fields
  readonly time: Fields
  readonly cycle: 'h12' | 'h23'
  /** A time of a style is always padded. */
  readonly isStyled: boolean
}

const METHOD = 'Intl.DateTimeFormat'
const DIGITS = ['numeric', '2-digit']
const DATE_FIELDS: Readonly<Record<string, readonly string[]>> = {
  weekday: ['short', 'long'],
  year: DIGITS,
  month: [...DIGITS, 'short', 'long'],
  day: DIGITS,
}
const TIME_FIELDS: Readonly<Record<string, readonly string[]>> = { hour: DIGITS, minute: DIGITS, second: DIGITS }
const STYLES = ['full', 'long', 'medium', 'short']
const ZONES: readonly string[] = ['utc', 'etc/utc', 'gmt', 'etc/gmt']

function readFields(options: FormatOptions, known: Readonly<Record<string, readonly string[]>>): Fields {
  const fields: Record<string, string> = {}
  for (const [name, values] of Object.entries(known))
    if (options[name] !== undefined) fields[name] = choice({ options, method: METHOD }, name, values, '')
  return fields
}

function checkZone(options: FormatOptions, method: string): void {
  const zone = options['timeZone']
  if (zone === undefined || ZONES.includes(String(zone).toLowerCase())) return
  throw refused(`${method} knows no time zone but "UTC". Add the offset: \`new Date(time + hours * 3_600_000)\`.`)
}

/** Hours of half days, or from 0 to 23. */
function readCycle({ isTwelve }: DateData, options: FormatOptions): DateFormat['cycle'] {
  const isHalf = flag(options, 'hour12')
  if (isHalf !== undefined) return isHalf ? 'h12' : 'h23'
  const known = ['h12', 'h23']
  return choice({ options, method: METHOD }, 'hourCycle', known, isTwelve ? 'h12' : 'h23') as DateFormat['cycle']
}

function styledFields(data: DateData, options: FormatOptions): Pick<DateFormat, 'date' | 'time'> {
  const dateStyle = choice({ options, method: METHOD }, 'dateStyle', STYLES, '')
  const timeStyle = choice({ options, method: METHOD }, 'timeStyle', STYLES, '')
  const time: Record<string, string> = timeStyle === '' ? {} : { hour: 'numeric', minute: '2-digit' }
  if (timeStyle !== '' && timeStyle !== 'short') time['second'] = '2-digit'
  if (timeStyle === 'full') time['zone'] = 'long'
  if (timeStyle === 'long') time['zone'] = 'short'
  const date = dateStyle === '' ? {} : { ...data.styles[dateStyle], style: dateStyle }
  return { date, time }
}

/** Reads the options of a date format. `wanted` are the required fields, `defaults` are those added if none of them is present. */
export function readDateFormat(tag: LocaleTag, options: FormatOptions, wanted: Wanted, defaults: Wanted): DateFormat {
  const data = DATES[tag]
  checkZone(options, METHOD)
  for (const [name, only] of [
    ['calendar', 'gregory'],
    ['numberingSystem', 'latn'],
  ] as const)
    choice({ options, method: METHOD }, name, [only], only)
  const cycle = readCycle(data, options)
  const [date, time] = [readFields(options, DATE_FIELDS), readFields(options, TIME_FIELDS)]
  if (options['dateStyle'] !== undefined || options['timeStyle'] !== undefined) {
    if (Object.keys(date).length + Object.keys(time).length > 0)
      throw thrown('TypeError', "Can't set option month when dateStyle or timeStyle is used")
    if ((wanted === 'date' && options['timeStyle']) || (wanted === 'time' && options['dateStyle']))
      throw thrown('TypeError', 'Invalid option : dateStyle or timeStyle')
    return { tag, data, cycle, isStyled: true, ...styledFields(data, options) }
  }
  const isEmpty =
    (wanted === 'time' || Object.keys(date).length === 0) && (wanted === 'date' || Object.keys(time).length === 0)
  const added = { date: { ...date }, time: { ...time } }
  if (isEmpty && defaults !== 'time') Object.assign(added.date, { year: 'numeric', month: 'numeric', day: 'numeric' })
  if (isEmpty && defaults !== 'date')
    Object.assign(added.time, { hour: 'numeric', minute: 'numeric', second: 'numeric' })
  const zone = choice({ options, method: METHOD }, 'timeZoneName', data.isTwelve ? ['short', 'long'] : [], '')
  if (zone !== '') added.time = { ...added.time, zone }
  const format = { tag, data, cycle, isStyled: false, ...added }
  checkFields(format)
  return format
}

/** Refuses rare combinations of fields that locales format irregularly. */
function checkFields({ date, time, data }: DateFormat): void {
  const key = patternKey(date)
  const hasTime = 'hour' in time || 'minute' in time || 'second' in time
  const isOdd =
    (key !== '' && data.patterns[key] === undefined) ||
    (key === 'E' && (hasTime || 'zone' in time)) ||
    ('hour' in time && 'second' in time && !('minute' in time)) ||
    ('zone' in time && !('hour' in time && 'minute' in time))
  if (!isOdd) return
  const fields = [...Object.keys(date), ...Object.keys(time)].join(', ')
  throw refused(`${METHOD} does not write ${fields} together. Write them one by one and join them with a template.`)
}

/** `EyMMMd`: the fields of a date, with three M for a month in letters. */
function patternKey({ weekday, year, month, day }: Fields): string {
  const isText = month === 'short' || month === 'long'
  return `${weekday === undefined ? '' : 'E'}${year === undefined ? '' : 'y'}${month === undefined ? '' : isText ? 'MMM' : 'M'}${day === undefined ? '' : 'd'}`
}

/** Before AM and PM in parts; whole texts have a plain space there, as in V8. */
const NARROW_SPACE = '\u202f'

const two = (value: number): string => String(value).padStart(2, '0')

function dateParts({ tag, data, date, time }: DateFormat, at: Date): DatePart[] {
  const key = patternKey(date)
  if (key === '') return []
  const { weekday, year: yearStyle, month: monthStyle = '', day: dayStyle = '' } = date
  const [padsMonth, padsDay] = padsDate(tag, key, monthStyle, dayStyle)
  const month = at.getUTCMonth()
  const era = at.getUTCFullYear()
  // Years before the first are counted backwards from it.
  const year = era > 0 ? era : 1 - era
  const monthNames = key === 'MMM' ? data.loneMonths : data.shortMonths
  const dayNames = key === 'E' && !('hour' in time) ? data.loneDays : data.shortDays
  const values: Readonly<Record<string, DatePart>> = {
    E: { type: 'weekday', value: (weekday === 'long' ? data.days : dayNames)[at.getUTCDay()]! },
    y: { type: 'year', value: yearStyle === '2-digit' ? two(year % 100) : String(year) },
    M: { type: 'month', value: monthText(data, { month, style: monthStyle, pads: padsMonth, names: monthNames }) },
    d: { type: 'day', value: dayStyle === '2-digit' || padsDay ? two(at.getUTCDate()) : String(at.getUTCDate()) },
  }
  return split(data.patterns[key]!, values)
}

interface MonthStyle {
  readonly month: number
  readonly style: string
  readonly pads: boolean
  readonly names: readonly string[]
}

function monthText(data: DateData, { month, style, pads, names }: MonthStyle): string {
  if (style === 'long') return data.months[month]!
  if (style === 'short') return names[month]!
  return style === '2-digit' || pads ? two(month + 1) : String(month + 1)
}

/** Splits a pattern into parts; other text is copied literally. */
function split(pattern: string, values: Readonly<Record<string, DatePart>>): DatePart[] {
  const parts: DatePart[] = []
  for (const char of pattern) {
    const value = values[char]
    const last = parts.at(-1)
    if (value !== undefined) parts.push(value)
    else if (last?.type === 'literal') parts[parts.length - 1] = { type: 'literal', value: last.value + char }
    else parts.push({ type: 'literal', value: char })
  }
  return parts
}

function timeParts(format: DateFormat, at: Date): DatePart[] {
  const { data, time, cycle, isStyled } = format
  const { hour, minute, second, zone } = time
  const parts: DatePart[] = []
  const put = (type: string, value: string): void => void parts.push({ type, value })
  const isHalf = cycle === 'h12'
  if (hour !== undefined) {
    const value = isHalf ? at.getUTCHours() % 12 || 12 : at.getUTCHours()
    const isShort =
      minute === '2-digit' && (second === undefined || second === '2-digit') && !isStyled && !data.isTwelve
    put('hour', hour === '2-digit' || (!isHalf && !isShort) ? two(value) : String(value))
  }
  if (minute !== undefined) {
    if (hour !== undefined) put('literal', ':')
    put('minute', hour === undefined && second === undefined ? String(at.getUTCMinutes()) : two(at.getUTCMinutes()))
  }
  if (second !== undefined) {
    if (minute !== undefined) put('literal', ':')
    put('second', minute === undefined ? String(at.getUTCSeconds()) : two(at.getUTCSeconds()))
  }
  if (hour !== undefined && isHalf) {
    put('literal', NARROW_SPACE)
    put('dayPeriod', data.halves[at.getUTCHours() < 12 ? 0 : 1])
  } else if (hour !== undefined && minute === undefined && data.hourSuffix !== '') put('literal', data.hourSuffix)
  if (zone !== undefined) {
    put('literal', ' ')
    put('timeZoneName', zone === 'long' ? data.utc : 'UTC')
  }
  return parts
}

function glueOf({ data, date }: DateFormat): string {
  const { month, style } = date
  if (style !== undefined)
    return style === 'full' || style === 'long'
      ? data.glue.long
      : style === 'medium'
        ? data.glue.short
        : data.glue.digits
  return data.glue[month === 'long' ? 'long' : month === 'short' ? 'short' : 'digits']
}

/** The parts of the text of a date. */
export function dateFormatParts(format: DateFormat, time: number): DatePart[] {
  const at = new Date(time)
  const [date, clock] = [dateParts(format, at), timeParts(format, at)]
  if (date.length === 0 || clock.length === 0) return [...date, ...clock]
  const last = date.at(-1)!
  // Two literals in a row are one part.
  const rest = last.type === 'literal' ? date.slice(0, -1) : date
  const glue = (last.type === 'literal' ? last.value : '') + glueOf(format)
  return [...rest, { type: 'literal', value: glue }, ...clock]
}

/** The text of a date. */
export function formatDate(format: DateFormat, time: number): string {
  return dateFormatParts(format, time)
    .map(({ value }) => (value === NARROW_SPACE ? ' ' : value))
    .join('')
}
