import { visible as seen } from '../../../src/core/text/visible-text.ts'

/** Halves of a character that stand alone: they belong to no text, and a browser would hide them behind one sign. */
const LONE = /\p{Cs}/gu

/** Control characters, those that change the direction of text and halves of characters are shown, not obeyed: as on a terminal. */
export function visible(text: string): string {
  return seen(text).replaceAll(LONE, (half) => `\\u${half.charCodeAt(0).toString(16)}`)
}

/** How times, amounts and money are written, everywhere the same. */
const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', second: '2-digit' })
const DAY = { month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit' } as const
const day = new Intl.DateTimeFormat(undefined, DAY)
const dayOfYear = new Intl.DateTimeFormat(undefined, { ...DAY, year: 'numeric' })

/** A moment without what goes without saying: today's date, this year. */
export function timeOf(at: number, now: number = Date.now()): string {
  const [date, today] = [new Date(at), new Date(now)]
  if (date.toDateString() === today.toDateString()) return clock.format(at)
  return (date.getFullYear() === today.getFullYear() ? day : dayOfYear).format(at)
}

const dayOnly = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric', timeZone: 'UTC' })

/** A day that is written as `2026-11-16`. */
export function dayText(date: string): string {
  return dayOnly.format(Date.parse(date))
}

/** A moment of a log, to the millisecond: what followed what is what it is read for. */
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

/** Money is worked out from a table of prices, not billed: it always says that it is an estimate. What is too little to be written is less than the least. */
export function money(amount: number | undefined, digits: number = moneyDigits([amount ?? 0])): string {
  if (amount === undefined) return ''
  if (amount === 0) return '$0'
  const least = 10 ** -digits
  return amount < least ? `<$${least.toFixed(digits)}` : `~$${amount.toFixed(digits)}`
}

/** How many digits a column of money has: amounts that are compared are written alike. */
export function moneyDigits(amounts: readonly number[]): number {
  const isSmall = amounts.some((amount) => amount > 0 && amount < 0.01)
  return isSmall && Math.max(...amounts) < 10 ? 4 : 2
}

/** A number with all its digits, in groups. */
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
