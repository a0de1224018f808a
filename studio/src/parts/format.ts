import { visible as seen } from '../../../src/core/text/visible-text.ts'

/** Unpaired surrogates. They are not valid text, and browsers show all of them as the same replacement character. */
const LONE = /\p{Cs}/gu

/** Escapes control characters, bidirectional controls and unpaired surrogates, as on a terminal. */
export function visible(text: string): string {
  return seen(text).replaceAll(LONE, (half) => `\\u${half.charCodeAt(0).toString(16)}`)
}

/** Shared formats of times, amounts and money. */
const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', second: '2-digit' })
const DAY = { month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit' } as const
const day = new Intl.DateTimeFormat(undefined, DAY)
const dayOfYear = new Intl.DateTimeFormat(undefined, { ...DAY, year: 'numeric' })

/** Formats a time without the parts that are the same as now: today's date, this year. */
export function timeOf(at: number, now: number = Date.now()): string {
  const [date, today] = [new Date(at), new Date(now)]
  if (date.toDateString() === today.toDateString()) return clock.format(at)
  return (date.getFullYear() === today.getFullYear() ? day : dayOfYear).format(at)
}

const dayOnly = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric', timeZone: 'UTC' })

/** Formats a day given as `2026-11-16`. */
export function dayText(date: string): string {
  return dayOnly.format(Date.parse(date))
}

/** Formats a time in a log with milliseconds, so that the order of events is visible. */
export function logTimeOf(at: number): string {
  const date = new Date(at)
  const part = (value: number, digits = 2): string => String(value).padStart(digits, '0')
  return `${part(date.getHours())}:${part(date.getMinutes())}:${part(date.getSeconds())}.${part(date.getMilliseconds(), 3)}`
}

export function ago(at: number, now: number = Date.now()): string {
  const seconds = Math.max(0, Math.round((now - at) / 1_000))
  if (seconds < 60) return `${seconds}s ago`
  if (seconds < 3_600) return `${Math.floor(seconds / 60)}m ago`
  if (seconds < 86_400) return `${Math.floor(seconds / 3_600)}h ago`
  return `${Math.floor(seconds / 86_400)}d ago`
}

export function duration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)}ms`
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)}s`
  if (ms < 3_600_000) return `${Math.floor(ms / 60_000)}m ${Math.round((ms % 60_000) / 1_000)}s`
  return `${Math.floor(ms / 3_600_000)}h ${Math.round((ms % 3_600_000) / 60_000)}m`
}

/** Formats money as an estimate, because it is computed from a price table, not billed. Amounts below the smallest unit are shown as less than it. */
export function money(amount: number | undefined, digits: number = moneyDigits([amount ?? 0])): string {
  if (amount === undefined) return ''
  if (amount === 0) return '$0'
  const least = 10 ** -digits
  return amount < least ? `<$${least.toFixed(digits)}` : `~$${amount.toFixed(digits)}`
}

/** Returns the number of digits for a column of money, so that its amounts are comparable. */
export function moneyDigits(amounts: readonly number[]): number {
  const isSmall = amounts.some((amount) => amount > 0 && amount < 0.01)
  return isSmall && Math.max(...amounts) < 10 ? 4 : 2
}

/** Formats a number with all its digits, grouped. */
export function exact(amount: number): string {
  return amount.toLocaleString('en').replace(/,/g, '\u2009')
}

export function count(amount: number | undefined): string {
  if (amount === undefined) return ''
  if (amount < 10_000) return exact(amount)
  return amount < 1_000_000
    ? `${(amount / 1_000).toFixed(amount < 100_000 ? 1 : 0)}k`
    : `${(amount / 1_000_000).toFixed(1)}M`
}

export function bytes(amount: number): string {
  if (amount < 1_000) return `${amount} B`
  return amount < 1_000_000 ? `${(amount / 1_000).toFixed(1)} kB` : `${(amount / 1_000_000).toFixed(1)} MB`
}
