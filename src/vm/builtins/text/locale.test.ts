import { expect, test } from 'vitest'
import { Eval } from '../../script/eval.ts'

test('a locale or option that texts cannot be written for ends the program, whatever it catches', async () => {
  for (const call of [
    '(1234.5).toLocaleString("sv-SE")',
    '(1234.5).toLocaleString(["ja"])',
    '(1234.5).toLocaleString("en-US", { style: "unit", unit: "liter" })',
    '(1234.5).toLocaleString(undefined, { notation: "scientific" })',
    '[1234.5].toLocaleString("sv-SE")',
    '[[1234.5]].toLocaleString("sv-SE")',
    'new Date(0).toLocaleDateString("sv-SE")',
    'new Date(0).toLocaleTimeString("en-US", { hour: "2-digit", dayPeriod: "long" })',
    'new Date(0).toLocaleString("en-US", { timeZone: "Europe/Berlin" })',
    '"a".localeCompare("b", "sv")',
    '"a".localeCompare("b", undefined, { ignorePunctuation: true })',
    '"I".toLocaleLowerCase("tr")',
    '"i".toLocaleUpperCase("tr")',
  ]) {
    const { result, error } = await Eval(`try { return ${call} } catch { return 'caught' }`)
    expect([result, error?.info], call).toEqual([undefined, { kind: 'refused' }])
  }
})

test('texts for en-US are those of other engines', async () => {
  const numbers = [
    0,
    -0,
    5,
    -5,
    0.5,
    1.005,
    1234.5678,
    1e21,
    1.2345678901234566e25,
    2.5e-7,
    1e-10,
    Infinity,
    NaN,
    1e308,
  ]
  const options = [undefined, { maximumFractionDigits: 7 }, { minimumFractionDigits: 2 }, { maximumFractionDigits: 0 }]
  for (const each of options) {
    const { result } = await Eval('numbers.map((n) => Number(n).toLocaleString("en-US", options))', {
      vars: { numbers: numbers.map((n) => (Object.is(n, -0) ? '-0' : String(n))), options: each ?? {} },
    })
    expect(result).toEqual(numbers.map((n) => n.toLocaleString('en-US', each)))
  }
  const times = [0, 951_782_400_000, -1, 1_700_000_000_000, -7e13]
  const methods = ['toLocaleString', 'toLocaleDateString', 'toLocaleTimeString'] as const
  for (const method of methods) {
    const { result } = await Eval(`times.map((t) => new Date(t).${method}("en-US", { timeZone: "UTC" }))`, {
      vars: { times },
    })
    expect(result).toEqual(times.map((time) => new Date(time)[method]('en-US', { timeZone: 'UTC' })))
  }
  const others = '["b".toLocaleString(), true.toLocaleString(), [1234.5, null, "x", [2000]].toLocaleString()]'
  expect((await Eval(others)).result).toEqual(['b', 'true', '1,234.5,,x,2,000'])
})
