import { refused } from '../../meter/stop.ts'
import { thrown } from '../../value/thrown.ts'
import type { LocaleTag } from './locales.ts'
import { formatNumber, readNumberFormat } from './number-format.ts'
import { type FormatOptions, choice } from './options.ts'

/** Returns the English plural category of a number. */
export function pluralOf(options: FormatOptions, number: number): string {
  const type = choice({ options, method: 'Intl.PluralRules' }, 'type', ['cardinal', 'ordinal'], 'cardinal')
  const count = Math.abs(number)
  if (type === 'cardinal') return count === 1 ? 'one' : 'other'
  const [tens, ones] = [count % 100, count % 10]
  if (ones === 1 && tens !== 11) return 'one'
  if (ones === 2 && tens !== 12) return 'two'
  return ones === 3 && tens !== 13 ? 'few' : 'other'
}

const AND: Readonly<Record<LocaleTag, readonly [and: string, or: string]>> = {
  'en-US': ['and', 'or'],
  'en-GB': ['and', 'or'],
  'de-DE': ['und', 'oder'],
  'fr-FR': ['et', 'ou'],
}

/** Returns the separators of a list: before the last of two items, before the last of more, and between the others. */
export function listWords(tag: LocaleTag, options: FormatOptions): readonly [pair: string, last: string] {
  const type = choice({ options, method: 'Intl.ListFormat' }, 'type', ['conjunction', 'disjunction'], 'conjunction')
  choice({ options, method: 'Intl.ListFormat' }, 'style', ['long'], 'long')
  const word = AND[tag][type === 'conjunction' ? 0 : 1]
  return [` ${word} `, tag === 'en-US' ? `, ${word} ` : ` ${word} `]
}

const UNITS: readonly string[] = ['second', 'minute', 'hour', 'day', 'week', 'month', 'quarter', 'year']

/** Names of adjacent times: previous, current and next. */
const NEAR: Readonly<Record<string, readonly [string, string, string]>> = {
  second: ['1 second ago', 'now', 'in 1 second'],
  minute: ['1 minute ago', 'this minute', 'in 1 minute'],
  hour: ['1 hour ago', 'this hour', 'in 1 hour'],
  day: ['yesterday', 'today', 'tomorrow'],
}

/** `in 2 weeks`, `3 days ago`, in English. */
export function relativeText(tag: LocaleTag, options: FormatOptions, value: number, given: string): string {
  if (tag !== 'en-US' && tag !== 'en-GB')
    throw refused(`Intl.RelativeTimeFormat knows "en-US" and "en-GB" alone. Write the text with a template.`)
  const isAuto =
    choice({ options, method: 'Intl.RelativeTimeFormat' }, 'numeric', ['always', 'auto'], 'always') === 'auto'
  choice({ options, method: 'Intl.RelativeTimeFormat' }, 'style', ['long'], 'long')
  const unit = given.endsWith('s') ? given.slice(0, -1) : given
  if (!UNITS.includes(unit)) throw thrown('RangeError', `Invalid unit argument for format() '${given.slice(0, 20)}'`)
  if (!Number.isFinite(value)) throw thrown('RangeError', 'Invalid time value')
  if (isAuto && [-1, 0, 1].includes(value)) {
    const names = NEAR[unit] ?? [`last ${unit}`, `this ${unit}`, `next ${unit}`]
    return names[value + 1]!
  }
  const isPast = value < 0 || Object.is(value, -0)
  const amount = formatNumber(readNumberFormat(tag, {}), Math.abs(value))
  const words = `${amount} ${unit}${Math.abs(value) === 1 ? '' : 's'}`
  return isPast ? `${words} ago` : `in ${words}`
}
