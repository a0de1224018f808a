import { visible as seen } from '../../../src/core/text/visible-text.ts'

/** Halves of a character that stand alone: they belong to no text, and a browser would hide them behind one sign. */
const LONE = /\p{Cs}/gu

/** Control characters, those that change the direction of text and halves of characters are shown, not obeyed: as on a terminal. */
export function visible(text: string): string {
  return seen(text).replaceAll(LONE, (half) => `\\u${half.charCodeAt(0).toString(16)}`)
}

/** How times, amounts and money are written, everywhere the same. */
const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', second: '2-digit' })
const day = new Intl.DateTimeFormat(undefined, {
  year: 'numeric',
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
})

export function timeOf(at: number): string {
  return new Date(at).toDateString() === new Date().toDateString() ? clock.format(at) : day.format(at)
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

/** Money is worked out from a table of prices, not billed: it always says that it is an estimate. */
export function money(amount: number | undefined): string {
  if (amount === undefined) return ''
  if (amount === 0) return '$0'
  return amount < 0.01 ? `~$${amount.toFixed(4)}` : `~$${amount.toFixed(2)}`
}

export function count(amount: number | undefined): string {
  if (amount === undefined) return ''
  if (amount < 10_000) return amount.toLocaleString('en').replace(/,/g, '\u2009')
  return amount < 1_000_000
    ? `${(amount / 1_000).toFixed(amount < 100_000 ? 1 : 0)}k`
    : `${(amount / 1_000_000).toFixed(1)}M`
}

export function bytes(amount: number): string {
  if (amount < 1_000) return `${amount} B`
  return amount < 1_000_000 ? `${(amount / 1_000).toFixed(1)} kB` : `${(amount / 1_000_000).toFixed(1)} MB`
}
