import { burn } from '../../meter/live.ts'

const days = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat']
const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

const two = (value: number): string => String(value).padStart(2, '0')

function yearText(year: number): string {
  return year < 0 ? `-${String(-year).padStart(6, '0')}` : String(year).padStart(4, '0')
}

/** `2020-01-02T03:04:05.678Z`; the caller knows that the time is valid. */
export function isoText(time: number): string {
  return new Date(time).toISOString()
}

/** `Thu Jan 02 2020`. */
export function dateText(time: number): string {
  const date = new Date(time)
  const day = `${days[date.getUTCDay()]} ${months[date.getUTCMonth()]} ${two(date.getUTCDate())}`
  return `${day} ${yearText(date.getUTCFullYear())}`
}

/** `03:04:05 GMT+0000 (Coordinated Universal Time)`: the only time zone there is. */
export function timeText(time: number): string {
  const date = new Date(time)
  const clock = `${two(date.getUTCHours())}:${two(date.getUTCMinutes())}:${two(date.getUTCSeconds())}`
  return `${clock} GMT+0000 (Coordinated Universal Time)`
}

const iso =
  /^([+-]\d{6}|\d{4})(?:-(\d\d)(?:-(\d\d))?)?(?:T(\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?(Z|[+-]\d\d:?\d\d)?)?$/

const DATE_TEXT_MAX = 200

/** Milliseconds of a text, or NaN. Times without a zone are UTC, as everything here is. */
export function parseDate(text: string): number {
  // Bounds the length: no date is longer, and the expressions below take quadratic time.
  if (text.length > DATE_TEXT_MAX) return Number.NaN
  burn(2_000 + text.length * 40)
  const match = iso.exec(text)
  if (match !== null && match[1] !== '-000000') return parseIso(match)
  return parseLoose(text)
}

function parseIso(match: RegExpExecArray): number {
  const [, year = '', month = '01', day = '01', hour = '00', minute = '00', second = '00', fraction = '', zone = ''] =
    match
  const milliseconds = Math.trunc(Number(`0.${fraction || '0'}`) * 1000)
  const parts = [month, day, hour, minute, second].map(Number) as [number, number, number, number, number]
  const isMidnight = parts[2] === 24 && parts[3] === 0 && parts[4] === 0 && milliseconds === 0
  const isValid = parts[0] >= 1 && parts[0] <= 12 && parts[1] >= 1 && parts[1] <= 31 && parts[3] < 60 && parts[4] < 60
  if (!isValid || (parts[2] > 23 && !isMidnight)) return Number.NaN
  const [monthNumber, dayNumber, hours, minutes, seconds] = parts
  return timeOf([Number(year), monthNumber - 1, dayNumber, hours, minutes, seconds, milliseconds]) - zoneOffset(zone)
}

function zoneOffset(zone: string): number {
  const match = /^([+-])(\d\d):?(\d\d)$/.exec(zone)
  if (match === null) return 0
  const minutes = Number(match[2]) * 60 + Number(match[3])
  return (match[1] === '-' ? -minutes : minutes) * 60_000
}

/** Texts as `Jan 2, 2020 03:04:05`, `Thu, 02 Jan 2020 03:04:05 GMT`, `2020/01/02 03:04` and `1/2/2020`. */
function parseLoose(text: string): number {
  const clock = /(?:^|[\sT,])(\d{1,2}):(\d\d)(?::(\d\d)(?:\.(\d{1,3}))?)?(?:\s*([AP]M))?/i.exec(text)
  const zone = /(?:GMT|UTC|Z)?\s*([+-]\d\d:?\d\d)(?:\s*\([^)]*\))?\s*$/.exec(
    clock === null ? '' : text.slice(clock.index + clock[0].length),
  )
  const date =
    looseDate(clock === null ? text : text.slice(0, clock.index)) ?? (clock === null ? bareNumbers(text) : undefined)
  if (date === undefined) return Number.NaN
  const [, hour = '0', minute = '0', second = '0', fraction = '0', half = ''] = clock ?? []
  let hours = Number(hour)
  if (half !== '') hours = (hours % 12) + (half.toUpperCase() === 'PM' ? 12 : 0)
  if (hours > 24 || Number(minute) > 59 || Number(second) > 59) return Number.NaN
  return timeOf([...date, hours, Number(minute), Number(second), Number(fraction)]) - zoneOffset(zone?.[1] ?? '')
}

/** Parses one to three bare numbers as the common engines do: month, day and year, or year first if the first number cannot be a day. */
function bareNumbers(text: string): [number, number, number] | undefined {
  const match = /^\s*(?:[a-z]+\s+)*[-+]?(\d+)(?:[,\s/.-]+(\d+))?(?:[,\s/.-]+(\d+))?\s*$/i.exec(text)
  if (match === null) return undefined
  const [first, second, third] = [match[1], match[2] ?? '1', match[3] ?? '1'].map(Number) as [number, number, number]
  const [year, month, day] = first < 1 || first > 31 ? [first, second, third] : [third, first, second]
  if (month < 1 || month > 12 || day < 1 || day > 31) return undefined
  return [fullYear(year), month - 1, day]
}

function looseDate(text: string): [number, number, number] | undefined {
  const cleaned = text.replace(/^\s*(?:sun|mon|tue|wed|thu|fri|sat)[a-z]*,?\s*/i, '').trim()
  const numeric = /^(\d{1,4})[/-](\d{1,2})[/-](\d{1,4})$/.exec(cleaned)
  if (numeric !== null) {
    const [first, second, third] = numeric.slice(1).map(Number) as [number, number, number]
    const isYearFirst = (numeric[1] as string).length > 2
    const [year, month, day] = isYearFirst ? [first, second, third] : [fullYear(third), first, second]
    return month >= 1 && month <= 12 && day >= 1 && day <= 31 ? [year, month - 1, day] : undefined
  }
  const named = /^(?:(\d{1,2})[\s-]+)?([a-z]{3})[a-z]*\.?[\s-]*(?:(\d{1,2})(?:st|nd|rd|th)?,?\s+)?(\d{1,6})$/i.exec(
    cleaned,
  )
  const month = named === null ? -1 : months.findIndex((name) => name.toLowerCase() === named[2]?.toLowerCase())
  if (named === null || month < 0) return undefined
  return [fullYear(Number(named[4])), month, Number(named[1] ?? named[3] ?? 1)]
}

function fullYear(year: number): number {
  if (year >= 100) return year
  return year < 50 ? 2000 + year : 1900 + year
}

/** Returns the milliseconds of calendar fields, or NaN. Years below 100 are not moved to another century. */
function timeOf(fields: readonly number[]): number {
  const [year = Number.NaN, month = 0, day = 1, hours = 0, minutes = 0, seconds = 0, milliseconds = 0] = fields
  const date = new Date(0)
  date.setUTCFullYear(year, month, day)
  return date.setUTCHours(hours, minutes, seconds, milliseconds)
}
