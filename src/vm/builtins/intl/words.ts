import { refused } from '../../meter/stop.ts'
import { thrown } from '../../value/thrown.ts'
import { decimalText, roundToPlaces } from './decimal.ts'
import type { LocaleTag } from './locales.ts'
import { formatNumber, readNumberFormat } from './number-format.ts'
import { type FormatOptions, choice } from './options.ts'

/** Returns the English plural category of a number. */
export function pluralOf(options: FormatOptions, number: number): string {
  const type = choice({ options, method: 'Intl.PluralRules' }, 'type', ['cardinal', 'ordinal'], 'cardinal')
  if (!Number.isFinite(number)) return 'other'
  const count = Number(roundToPlaces(decimalText(Math.abs(number)), 0, 3))
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
const NEAR: Readonly<Record<string, readonly [string | undefined, string, string | undefined]>> = {
  second: [undefined, 'now', undefined],
  minute: [undefined, 'this minute', undefined],
  hour: [undefined, 'this hour', undefined],
  day: ['yesterday', 'today', 'tomorrow'],
}

/** Returns the name of a time that is at most one unit away, such as `yesterday`. ICU compares whole hundredths of a unit. */
function nearName(unit: string, value: number): string | undefined {
  const names = NEAR[unit] ?? [`last ${unit}`, `this ${unit}`, `next ${unit}`]
  const hundredths = Math.trunc(value * 100 + (value < 0 ? -0.5 : 0.5))
  return names[hundredths / 100 + 1]
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
  const near = isAuto ? nearName(unit, value) : undefined
  if (near !== undefined) return near
  const isPast = value < 0 || Object.is(value, -0)
  const rounded = Number(roundToPlaces(decimalText(Math.abs(value)), 0, 3, 'even'))
  const words = `${formatNumber(readNumberFormat(tag, {}), rounded)} ${unit}${rounded === 1 ? '' : 's'}`
  return isPast ? `${words} ago` : `in ${words}`
}
