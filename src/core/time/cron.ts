import { MandateError } from '../errors.ts'

/** A recurring time: five fields (minute, hour, day of the month, month, day of the week) in a time zone. */
interface Cron {
  /** The first time after the given one, in milliseconds since 1970. */
  next(after: number): number
}

interface Field {
  readonly name: string
  readonly from: number
  readonly to: number
  readonly words?: readonly string[]
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']
const FIELDS: readonly Field[] = [
  { name: 'minute', from: 0, to: 59 },
  { name: 'hour', from: 0, to: 23 },
  { name: 'day of the month', from: 1, to: 31 },
  { name: 'month', from: 1, to: 12, words: ['', ...MONTHS] },
  { name: 'day of the week', from: 0, to: 7, words: DAYS },
]
const ALIASES: Readonly<Record<string, string>> = {
  '@hourly': '0 * * * *',
  '@daily': '0 0 * * *',
  '@weekly': '0 0 * * 0',
  '@monthly': '0 0 1 * *',
  '@yearly': '0 0 1 1 *',
}
const DAY_MS = 86_400_000
/** A leap day recurs within this many days; a date that has not occurred by then does not exist. */
const DAYS_MAX = 366 * 9

/**
 * Parses a cron expression of five fields as in crontab: lists, ranges, steps, names of months and days, `@daily` and so on. If both days are given,
 * either matches. A local time that a clock change skips fires right after it; one that occurs twice fires once.
 */
export function cron(text: string, timeZone = 'UTC'): Cron {
  const word = text.trim().toLowerCase()
  const parts = (Object.hasOwn(ALIASES, word) ? ALIASES[word]! : text).trim().split(/\s+/)
  if (parts.length !== FIELDS.length)
    throw invalid(text, `has ${parts.length} fields. Give five: minute, hour, day of the month, month, day of the week`)
  const [minutes, hours, days, months, weekdays] = parts.map((part, index) => readField(text, part, FIELDS[index]!))
  const zone = zoneOf(timeZone)
  // Sunday is both 0 and 7.
  if (weekdays!.has(7)) weekdays!.add(0)
  const [isAnyDay, isAnyWeekday] = [parts[2] === '*', parts[4] === '*']
  const fits = (day: Date): boolean => {
    if (!months!.has(day.getUTCMonth() + 1)) return false
    const [inMonth, inWeek] = [days!.has(day.getUTCDate()), weekdays!.has(day.getUTCDay())]
    return isAnyDay || isAnyWeekday ? inMonth && inWeek : inMonth || inWeek
  }
  return {
    next(after) {
      const local = after + zone.offsetAt(after)
      const first = Math.floor(local / DAY_MS) * DAY_MS
      for (let day = 0; day < DAYS_MAX; day++) {
        const date = first + day * DAY_MS
        if (!fits(new Date(date))) continue
        for (const hour of hours!)
          for (const minute of minutes!) {
            const at = zone.toUtc(date + (hour * 60 + minute) * 60_000)
            if (at > after) return at
          }
      }
      throw invalid(text, 'never comes: no month has such a day')
    },
  }
}

function readField(text: string, part: string, field: Field): Set<number> {
  const found = new Set<number>()
  for (const item of part.split(',')) {
    const [range = '', step] = item.split('/')
    const every = step === undefined ? 1 : numberIn(text, step, { ...field, from: 1, to: field.to })
    const [from, to] =
      range === '*' ? [field.from, field.to] : range.split('-').map((end) => numberIn(text, end, field))
    const last = to ?? (step === undefined ? from! : field.to)
    if (last < from!) throw invalid(text, `has "${item}" as its ${field.name}, which ends before it begins`)
    for (let value = from!; value <= last; value += every) found.add(value)
  }
  return new Set([...found].sort((a, b) => a - b))
}

function numberIn(text: string, given: string, { name, from, to, words }: Field): number {
  const word = words?.indexOf(given.toLowerCase()) ?? -1
  const value = word >= 0 ? word : /^\d{1,2}$/.test(given) ? Number(given) : Number.NaN
  if (value >= from && value <= to) return value
  throw invalid(text, `has "${given}" as its ${name}. Use numbers from ${from} to ${to}, ranges, lists and steps`)
}

interface Zone {
  offsetAt(utc: number): number
  toUtc(local: number): number
}

function zoneOf(timeZone: string): Zone {
  let format: Intl.DateTimeFormat
  try {
    const parts = {
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
    } as const
    format = new Intl.DateTimeFormat('en-US', { timeZone, hourCycle: 'h23', ...parts })
  } catch (cause) {
    const message = `There is no time zone ${JSON.stringify(timeZone)}. Use a name such as "Europe/Berlin" or "UTC".`
    throw new MandateError('CONFIG_INVALID', message, { cause })
  }
  const offsetAt = (utc: number): number => {
    const part = new Map(format.formatToParts(utc).map(({ type, value }) => [type, Number(value)]))
    const local = Date.UTC(
      part.get('year')!,
      part.get('month')! - 1,
      part.get('day'),
      part.get('hour'),
      part.get('minute'),
      part.get('second'),
    )
    return local - Math.floor(utc / 1_000) * 1_000
  }
  return {
    offsetAt,
    toUtc(local) {
      // The offset before a clock change gives the first of two equal local times, and the first valid time after a gap.
      const before = local - offsetAt(local - DAY_MS)
      const after = local - offsetAt(local + DAY_MS)
      const isBefore = before + offsetAt(before) === local
      return isBefore ? Math.min(before, after + offsetAt(after) === local ? after : before) : Math.max(before, after)
    },
  }
}

function invalid(text: string, what: string): MandateError {
  return new MandateError('CONFIG_INVALID', `The cron expression ${JSON.stringify(text.slice(0, 100))} ${what}.`)
}
