import { describe, expect, test } from 'vitest'
import { isDue, isPinnedNode, isSweep } from '../../../../test/rotation.ts'
import { Eval } from '../../script/eval.ts'

const LOCALES = ['en-US', 'en-GB', 'de-DE', 'fr-FR']
const limits = { fuel: 1e6, wallMs: 60_000, outputBytes: 2 ** 26, memoryBytes: 2 ** 28 }

const NUMBERS = [
  ...['0', '-0', '1', '-1', '0.5', '1.005', '-2.5', '12.345', '99.995', '999.9995', '1234', '1234.5678', '-9876.54321'],
  ...[
    '12345',
    '99999',
    '999499',
    '999500',
    '999999',
    '1250000',
    '123456789',
    '2e12',
    '9.9995e14',
    '1e15',
    '1e16',
    '1e21',
  ],
  ...['1.2345678901234566e25', '2.5e-7', '0.001', '-0.001', 'NaN', 'Infinity', '-Infinity'],
]
const currency = (code: string, more: object = {}): object => ({ style: 'currency', currency: code, ...more })
const STYLES = [
  ...[{}, { style: 'percent' }, { style: 'percent', minimumFractionDigits: 1 }, { notation: 'compact' }],
  ...['USD', 'EUR', 'GBP', 'JPY', 'CHF', 'INR', 'BRL', 'XOF', 'KWD', 'XYZ', 'usd'].map((code) => currency(code)),
  ...[currency('USD', { currencyDisplay: 'code' }), currency('USD', { currencySign: 'accounting' })],
  ...[currency('CAD', { currencyDisplay: 'narrowSymbol' }), currency('EUR', { notation: 'compact' })],
  ...[{ style: 'currency' }, currency('x')],
]
const DIGITS = [
  ...[{}, { minimumFractionDigits: 2 }, { maximumFractionDigits: 0 }, { maximumFractionDigits: 1 }],
  ...[{ minimumFractionDigits: 4, maximumFractionDigits: 2 }, { maximumFractionDigits: 200 }, { useGrouping: false }],
  ...[{ useGrouping: 'min2' }, { minimumIntegerDigits: 3 }, { signDisplay: 'always' }, { signDisplay: 'exceptZero' }],
  ...[{ signDisplay: 'never' }, { signDisplay: 'negative' }],
]

/** What a function gives, or the name of what it throws. */
function tried(work: () => string): string {
  try {
    return work()
  } catch (error) {
    return `throws ${(error as Error).name}`
  }
}

const SIGNIFICANT = [{ maximumSignificantDigits: 3 }, { minimumSignificantDigits: 4 }]

/** A nineteenth of the grid in the short run, always the same, and a fifth in the sweep, on the next day another; the locales have different ones. All of it in
 *  the sweep of the full run. */
function someOf<T>(grid: readonly T[], locale: string): T[] {
  const own = LOCALES.indexOf(locale)
  return grid.filter((_, index) => (isSweep ? isDue(index + own, 5) : (index + 5 * own) % 19 === 0))
}

/** The formats of scripts are the same on every Node; other Nodes write some differently (CLDR, kinds of spaces), so only the pinned one can be compared with. */
const isOther = !isPinnedNode

describe.skipIf(isOther)('numbers are written as V8 writes them', () => {
  const grid = [...STYLES.flatMap((style) => DIGITS.map((digits) => ({ ...style, ...digits }))), ...SIGNIFICANT]

  test.each(LOCALES)('%s', { timeout: 60_000 }, async (locale) => {
    const options = someOf(grid, locale)
    const source = `options.map((o) => numbers.map((n) => {
      try { return new Intl.NumberFormat(locale, o).format(Number(n)) + '|' + Number(n).toLocaleString(locale, o) }
      catch (e) { return 'throws ' + e.name }
    }))`
    const { result, error } = await Eval(source, { vars: { locale, options, numbers: NUMBERS }, limits })
    expect(error).toBeUndefined()
    const real = options.map((one) =>
      NUMBERS.map((number) =>
        tried(() =>
          [
            new Intl.NumberFormat(locale, one as Intl.NumberFormatOptions).format(Number(number)),
            Number(number).toLocaleString(locale, one as Intl.NumberFormatOptions),
          ].join('|'),
        ),
      ),
    )
    for (const [at, one] of options.entries()) expect((result as string[][])[at], JSON.stringify(one)).toEqual(real[at])
  })
})

const WIDTHS = [undefined, 'numeric', '2-digit'] as const
const TIMES = [Date.UTC(2024, 2, 9, 8, 5, 7), Date.UTC(2023, 11, 25, 12), Date.UTC(1905, 8, 1, 13, 59, 59), -7e13]

function dateOptions(): object[] {
  const found: object[] = []
  for (const weekday of [undefined, 'short', 'long'])
    for (const year of WIDTHS)
      for (const month of [...WIDTHS, 'short', 'long'])
        for (const day of WIDTHS) found.push({ weekday, year, month, day })
  const times: object[] = []
  for (const hour of WIDTHS)
    for (const minute of WIDTHS)
      for (const second of WIDTHS)
        for (const cycle of hour === undefined ? [{}] : [{}, { hour12: true }, { hour12: false }, { hourCycle: 'h23' }])
          times.push({ hour, minute, second, ...cycle })
  const styles = ['full', 'long', 'medium', 'short', undefined]
  return [
    ...found,
    ...times,
    ...found.flatMap((date, at) => [0, 1, 2].map((more) => ({ ...date, ...times[(at * 3 + more) % times.length] }))),
    ...styles.flatMap((dateStyle) => styles.map((timeStyle) => ({ dateStyle, timeStyle }))),
  ]
}

describe.skipIf(isOther)('dates are written as V8 writes them, or refused', () => {
  const grid = dateOptions().map((one) => JSON.parse(JSON.stringify({ ...one, timeZone: 'UTC' })) as object)

  test.each(LOCALES)('%s', { timeout: 60_000 }, async (locale) => {
    const options = someOf(grid, locale)
    let written = 0
    const source = `times.map((t) => [
      new Intl.DateTimeFormat(locale, o).format(t),
      new Intl.DateTimeFormat(locale, o).formatToParts(new Date(t)).map((p) => p.type + '=' + p.value).join(),
      ...(styled ? [] : [new Date(t).toLocaleDateString(locale, o), new Date(t).toLocaleTimeString(locale, o)]),
      new Date(t).toLocaleString(locale, o),
    ].join('|'))`
    for (const one of options) {
      const styled = 'dateStyle' in one || 'timeStyle' in one
      const { result, error } = await Eval(source, { vars: { locale, o: one, times: TIMES, styled } })
      if ((error?.info as { kind?: string } | undefined)?.kind === 'refused') continue
      written += 1
      const format = new Intl.DateTimeFormat(locale, one)
      const real = TIMES.map((time) =>
        [
          format.format(time),
          format
            .formatToParts(new Date(time))
            .map((part) => `${part.type}=${part.value}`)
            .join(),
          ...(styled
            ? []
            : [new Date(time).toLocaleDateString(locale, one), new Date(time).toLocaleTimeString(locale, one)]),
          new Date(time).toLocaleString(locale, one),
        ].join('|'),
      )
      expect(result, JSON.stringify(one)).toEqual(real)
    }
    expect(written).toBeGreaterThan(options.length / 3)
  })
})

describe.skipIf(isSweep)('words', () => {
  test('lists, plurals and relative times are those of V8', async () => {
    const lists = ['', 'a', 'a b', 'a b c', 'a b c d'].map((one) => one.split(' ').filter(Boolean))
    const types = ['conjunction', 'disjunction'] as const
    const { result } = await Eval(
      'locales.map((l) => types.map((type) => lists.map((x) => new Intl.ListFormat(l, { type }).format(x))))',
      { vars: { locales: LOCALES, types, lists } },
    )
    expect(result).toEqual(
      LOCALES.map((locale) =>
        types.map((type) => lists.map((one) => new Intl.ListFormat(locale, { type }).format(one))),
      ),
    )
    const counts = [
      0,
      1,
      1.5,
      2,
      3,
      4,
      11,
      12,
      13,
      21,
      22,
      23,
      101,
      111,
      -1,
      1.0004,
      1.0005,
      0.9995,
      2.0001,
      NaN,
      Infinity,
    ]
    const plural = await Eval(
      "counts.map((n) => [new Intl.PluralRules('en').select(n), new Intl.PluralRules('en-GB', { type: 'ordinal' }).select(n)])",
      { vars: { counts } },
    )
    expect(plural.result).toEqual(
      counts.map((count) => [
        new Intl.PluralRules('en').select(count),
        new Intl.PluralRules('en-GB', { type: 'ordinal' }).select(count),
      ]),
    )
    const units = ['second', 'minutes', 'hour', 'day', 'week', 'month', 'quarter', 'years'] as const
    const near = [-2, -1, 0, -0, 1, 1.5, 1200, 0.0005, 0.0015, -0.0025, 1.0004, 1.004, 1.006, -0.996, 0.005, 12345.6785]
    const relative = await Eval(
      "units.map((u) => near.map((n) => [new Intl.RelativeTimeFormat('en', { numeric: 'auto' }).format(n, u), new Intl.RelativeTimeFormat('en').format(n, u)]))",
      { vars: { units, near }, limits: { fuel: 10_000 } },
    )
    expect(relative.result).toEqual(
      units.map((unit) =>
        near.map((value) => [
          new Intl.RelativeTimeFormat('en', { numeric: 'auto' }).format(value, unit),
          new Intl.RelativeTimeFormat('en').format(value, unit),
        ]),
      ),
    )
  })
})

describe('what texts cannot be written for ends the program, whatever it catches, and names what is known', () => {
  test.each([
    ['new Intl.NumberFormat("sv-SE").format(1)', 'de-DE'],
    ['(1).toLocaleString("ja-JP")', 'fr-FR'],
    ['(1).toLocaleString("en-US", { style: "unit", unit: "liter" })', 'currency'],
    ['(1).toLocaleString("en-US", { notation: "scientific" })', 'compact'],
    ['new Date(0).toLocaleString("en-US", { timeZone: "Europe/Berlin" })', 'UTC'],
    ['new Date(0).toLocaleDateString("en-US", { month: "narrow" })', 'short'],
    ['new Intl.DateTimeFormat("en-US", { weekday: "long", year: "numeric" }).format(0)', 'template'],
  ])('%s', async (call, named) => {
    const { result, error } = await Eval(`try { return ${call} } catch { return 'caught' }`)
    expect([result, error?.info]).toEqual([undefined, { kind: 'refused' }])
    expect(error?.message).toContain(named)
  })
})
