import { CURRENCY_DIGITS, type LocaleTag, NARROW, NUMBERS, type NumberData } from './locales.ts'
import { type FormatOptions, choice, whole } from './options.ts'
import { refused } from '../../meter/stop.ts'
import { thrown } from '../../value/thrown.ts'
import { type Rounding, decimalText, roundToPlaces, roundToSignificant, shifted } from './decimal.ts'

export const NUMBER_OPTIONS: readonly string[] = [
  ...[
    'style',
    'currency',
    'currencyDisplay',
    'currencySign',
    'notation',
    'compactDisplay',
    'signDisplay',
    'useGrouping',
  ],
  ...['minimumIntegerDigits', 'minimumFractionDigits', 'maximumFractionDigits'],
  ...['minimumSignificantDigits', 'maximumSignificantDigits', 'localeMatcher', 'numberingSystem'],
]

/** A number format with parsed options. */
export interface NumberFormat {
  readonly data: NumberData
  readonly style: string
  readonly symbol: string
  readonly isAccounting: boolean
  readonly isCompact: boolean
  readonly signDisplay: string
  /** The minimum number of integer digits for grouping; 0 for no grouping. */
  readonly groupsFrom: number
  readonly wholeDigits: number
  /** Undefined when not requested: compact numbers have their own rounding. */
  readonly rounding: Rounding | undefined
}

const METHOD = 'Intl.NumberFormat'

function symbolOf(tag: LocaleTag, currency: string, display: string): string {
  if (display === 'code') return currency
  if (display === 'narrowSymbol') {
    const narrow = NARROW.get(currency)
    if (narrow === undefined)
      throw refused(`${METHOD} has no narrow symbol of ${currency}. Write currencyDisplay: 'code'.`)
    return narrow
  }
  const { symbols } = NUMBERS[tag]
  if (currency === 'XOF') return 'F\u202fCFA'
  return (
    symbols
      .split(' ')
      .find((one) => one.startsWith(currency))
      ?.slice(3) ?? currency
  )
}

function readCurrency(tag: LocaleTag, options: FormatOptions): { symbol: string; digits: number } {
  const given = options['currency']
  if (given === undefined) throw thrown('TypeError', 'Currency code is required with currency style.')
  const currency = String(given).toUpperCase()
  if (!/^[A-Z]{3}$/.test(currency)) throw thrown('RangeError', `Invalid currency code : ${String(given).slice(0, 20)}`)
  const display = choice({ options, method: METHOD }, 'currencyDisplay', ['symbol', 'narrowSymbol', 'code'], 'symbol')
  return { symbol: symbolOf(tag, currency, display), digits: CURRENCY_DIGITS.get(currency) ?? 2 }
}

function readRounding(options: FormatOptions, least: number, most: number, isCompact: boolean): Rounding | undefined {
  const [minSignificant, maxSignificant] = ['minimumSignificantDigits', 'maximumSignificantDigits'] as const
  if (options[minSignificant] !== undefined || options[maxSignificant] !== undefined) {
    if (isCompact)
      throw refused(`${METHOD} does not take significant digits with notation "compact". Give maximumFractionDigits.`)
    const from = whole(options, minSignificant, [1, 21], 1)
    return { kind: 'significant', least: from, most: whole(options, maxSignificant, [from, 21], 21) }
  }
  const given = ['minimumFractionDigits', 'maximumFractionDigits'].map((name) => options[name])
  if (isCompact && given.every((one) => one === undefined)) return undefined
  const from = given[0] === undefined ? undefined : whole(options, 'minimumFractionDigits', [0, 100], 0)
  const to = given[1] === undefined ? undefined : whole(options, 'maximumFractionDigits', [0, 100], 0)
  if (from !== undefined && to !== undefined && from > to)
    throw thrown('RangeError', 'maximumFractionDigits value is out of range.')
  return { kind: 'places', least: from ?? Math.min(least, to ?? least), most: to ?? Math.max(most, from ?? 0) }
}

function readGrouping(options: FormatOptions, isCompact: boolean): number {
  const given = options['useGrouping']
  if (given === undefined) return isCompact ? 5 : 4
  if (given === false || given === 'false') return 0
  if (given === true || given === 'true') return 4
  const grouping = choice({ options, method: METHOD }, 'useGrouping', ['always', 'auto', 'min2'], 'auto')
  return grouping === 'min2' ? 5 : 4
}

/** Reads the options of a number format. */
export function readNumberFormat(tag: LocaleTag, options: FormatOptions): NumberFormat {
  const style = choice({ options, method: METHOD }, 'style', ['decimal', 'percent', 'currency'], 'decimal')
  const isCompact = choice({ options, method: METHOD }, 'notation', ['standard', 'compact'], 'standard') === 'compact'
  choice({ options, method: METHOD }, 'compactDisplay', ['short'], 'short')
  const { symbol, digits } = style === 'currency' ? readCurrency(tag, options) : { symbol: '', digits: 0 }
  const [least, most] = style === 'currency' && !isCompact ? [digits, digits] : [0, style === 'percent' ? 0 : 3]
  return {
    ...{ data: NUMBERS[tag], style, symbol, isCompact },
    isAccounting:
      choice({ options, method: METHOD }, 'currencySign', ['standard', 'accounting'], 'standard') === 'accounting',
    signDisplay: choice(
      { options, method: METHOD },
      'signDisplay',
      ['auto', 'never', 'always', 'exceptZero', 'negative'],
      'auto',
    ),
    groupsFrom: readGrouping(options, isCompact),
    wholeDigits: whole(options, 'minimumIntegerDigits', [1, 21], 1),
    rounding: readRounding(options, least, most, isCompact),
  }
}

function rounded(text: string, rounding: Rounding | undefined): string {
  if (rounding === undefined) {
    // Compact numbers: two digits, or all of the whole part.
    const places = text.split('.')[0]!.replace(/^0+/, '').length
    return places >= 2 ? roundToPlaces(text, 0, 0) : roundToSignificant(text, 1, 2)
  }
  const { kind, least, most } = rounding
  return kind === 'places' ? roundToPlaces(text, least, most) : roundToSignificant(text, least, most)
}

/** The digits of a number, and the suffix of a compact one. */
function digitsOf(format: NumberFormat, exact: string): readonly [digits: string, suffix: string] {
  if (!format.isCompact) return [rounded(exact, format.rounding), '']
  const { compact } = format.data
  for (let step = 4; step >= 1; step -= 1) {
    const suffix = compact[step - 1]!
    if (suffix === '') continue
    const part = shifted(exact, -3 * step)
    if (part.split('.')[0] !== '0') return [rounded(part, format.rounding), suffix]
    // 999,999 is rounded to 1M.
    const isBelow = step === 1 || compact[step - 2] !== ''
    const below = rounded(shifted(exact, -3 * (step - 1)), format.rounding)
    if (isBelow && below.split('.')[0] === '1000') return [rounded('1', format.rounding), suffix]
  }
  return [rounded(exact, format.rounding), '']
}

function grouped(digits: string, { data, groupsFrom, wholeDigits }: NumberFormat): string {
  const [integer = '0', fraction] = digits.split('.')
  const padded = integer.padStart(wholeDigits, '0')
  const parted =
    groupsFrom > 0 && padded.length >= groupsFrom ? padded.replace(/\B(?=(?:\d{3})+$)/g, data.group) : padded
  return fraction === undefined ? parted : `${parted}${data.decimal}${fraction}`
}

function signOf({ signDisplay }: NumberFormat, isNegative: boolean, isZero: boolean): string {
  switch (signDisplay) {
    case 'never':
      return ''
    case 'always':
      return isNegative ? '-' : '+'
    case 'exceptZero':
      return isZero ? '' : isNegative ? '-' : '+'
    case 'negative':
      return isNegative && !isZero ? '-' : ''
    default:
      return isNegative ? '-' : ''
  }
}

function withStyle(format: NumberFormat, text: string, sign: string): string {
  const { style, symbol, data, isAccounting } = format
  if (style === 'percent') return `${sign}${text}${data.percentSpace}%`
  if (style !== 'currency') return sign + text
  // A symbol that ends in a letter or a point is kept apart.
  const space = /[\p{S}]$/u.test(symbol) || !/^\d/.test(text) ? '' : '\u00a0'
  const amount = data.isSymbolFirst ? `${symbol}${space}${text}` : `${text}\u00a0${symbol}`
  return isAccounting && sign === '-' && data.hasBrackets ? `(${amount})` : sign + amount
}

/** The text of a number. */
export function formatNumber(format: NumberFormat, number: number): string {
  const isNegative = number < 0 || Object.is(number, -0)
  if (Number.isNaN(number)) return withStyle(format, 'NaN', signOf(format, false, true))
  if (!Number.isFinite(number)) return withStyle(format, '∞', signOf(format, isNegative, false))
  const exact = shifted(decimalText(Math.abs(number)), format.style === 'percent' ? 2 : 0)
  const [digits, suffix] = digitsOf(format, exact)
  const isZero = !/[1-9]/.test(digits)
  return withStyle(format, grouped(digits, format) + suffix, signOf(format, isNegative, isZero))
}
