import { describe, expect, test } from 'vitest'
import { Eval } from '../script/eval.ts'

/** Work that grows with its input: each ends at a limit long before it is done. */
const costly = [
  '"x".repeat(2 ** 30)',
  '"x".padEnd(2 ** 29, "ab")',
  'const a = Array(1e6).fill(0); for (;;) a.includes(1)',
  'const s = "x".repeat(1e6); for (;;) s.indexOf("y")',
  'const s = "x".repeat(1e5); for (;;) s.split("")',
  'for (;;) JSON.parse("[1, 2, 3]")',
  'const o = { a: Array(1000).fill(1) }; for (;;) JSON.stringify(o)',
  'const a = Array.from({ length: 1e4 }, (_, i) => -i); for (;;) a.toSorted((x, y) => x - y)',
  'for (let i = 0; ; i++) new RegExp("a".repeat(500) + i)',
  'const s = "ab".repeat(1e5); for (;;) /b+c/.test(s)',
  'const m = new Map(); for (let i = 0; ; i++) m.set(i, i)',
  'for (;;) "a".localeCompare("b")',
  'const a = [1]; for (;;) a.push(...a)',
  'let s = "x"; for (;;) s = s + s',
  'for (;;) new Date("2020-01-01").toISOString()',
  'const o = {}; for (let i = 0; ; i++) o["k" + i] = i',
  'for (;;) structuredClone([1, [2, [3]]])',
]

describe('built-ins', () => {
  test.each(costly)('%s meets a limit', async (source) => {
    const { error } = await Eval(source, { limits: { fuel: 500, memoryBytes: 32 * 1024 * 1024 } })
    expect(error?.code).toBe('LIMIT_EXCEEDED')
  })

  test('many arguments at once are no trouble', async () => {
    const { result } = await Eval('[Math.max(...Array(1e5).fill(7)), Math.min.apply(null, Array(1e5).fill(3))]')
    expect(result).toEqual([7, 3])
    const inserted = await Eval(
      'const a = [1, 2]; a.splice(1, 0, ...Array(5e4).fill(0)); a.unshift(...Array(5e4).fill(9)); [a.length, a[0], a.at(-1)]',
    )
    expect(inserted.result).toEqual([100_002, 9, 2])
  })

  test('`constructor` is what a value was made with, for all but functions', async () => {
    const { result } = await Eval(`
      class A {}
      const all = [{}, [], 'x', 1, true, new Date(0), /x/, new Map(), new Set(), Promise.resolve(), new RangeError('r'), new A()]
      let met
      try { null.x } catch (error) { met = error.constructor }
      return [all.map((value) => value.constructor.name), met === TypeError, ({}).constructor === Object,
        'constructor' in {}, { constructor: 1 }.constructor, new ([1].constructor)(2).length]`)
    const names = 'Object Array String Number Boolean Date RegExp Map Set Promise RangeError A'.split(' ')
    expect(result).toEqual([names, true, true, true, 1, 2])
    for (const read of [
      'f.constructor',
      '[].map.constructor',
      'Object.constructor',
      'a.constructor.constructor',
      'g.constructor',
    ])
      expect(
        (await Eval(`const f = () => 1, a = [], g = (async () => {}); try { ${read} } catch { 1 }`)).error,
        read,
      ).toMatchObject({
        info: { kind: 'refused' },
      })
    for (const set of [
      '[].constructor.isArray = 1',
      '({}).constructor.prototype.x = 1',
      '"".constructor.prototype.at = 1',
    ])
      expect((await Eval(set)).error, set).toBeDefined()
  })

  test('a key of any name is data and reaches nothing', async () => {
    const { result } = await Eval('Object.keys(Object.fromEntries([["__proto__", 1], ["constructor", 2]]))')
    expect(result).toEqual(['__proto__', 'constructor'])
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
    for (const read of ['({}).constructor.constructor', '[].__proto__', '(() => 1).constructor', '(() => 1).prototype'])
      expect((await Eval(`try { ${read} } catch { 1 }`)).error, read).toMatchObject({ info: { kind: 'refused' } })
    expect((await Eval('const o = { constructor: 1 }, k = "constructor"; [o.constructor, ({})[k]]')).result).toEqual([
      1,
      null,
    ])
  })

  test('built-ins cannot be changed', async () => {
    for (const source of [
      'Math.max = 1',
      'JSON.parse = () => 1',
      'Array.isArray = 1',
      'delete Math.max',
      'console.log = 1',
    ]) {
      const { error } = await Eval(`try { ${source} } catch { 1 }`)
      expect(error?.info, source).toMatchObject({ kind: 'refused' })
    }
  })

  test('texts of numbers, dates and orders are the same on every machine', async () => {
    const source = `[
      (1234567.891).toLocaleString(), new Date(0).toLocaleString(), String(new Date(0)),
      ['b', 'A', 'a', 'B', 'é', 'z'].sort((x, y) => x.localeCompare(y)).join(''),
    ]`
    expect((await Eval(source)).result).toEqual([
      '1,234,567.891',
      '1/1/1970, 12:00:00 AM',
      'Thu Jan 01 1970 00:00:00 GMT+0000 (Coordinated Universal Time)',
      'aAbBéz',
    ])
  })

  test('expressions that need backtracking are refused with a message, at once or when they are made', async () => {
    expect((await Eval('/(a)\\1/')).error?.info).toMatchObject({ kind: 'refused', feature: 'back-reference' })
    const { error } = await Eval('try { new RegExp("(a)\\\\1") } catch (e) { 1 }')
    expect(error?.info).toMatchObject({ kind: 'refused' })
    expect(error?.message).toContain('back-reference')
  })
})
