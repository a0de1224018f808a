import { describe, expect, test } from 'vitest'
import { Eval } from '../../script/eval.ts'
import type { EvalResult } from '../../script/eval.ts'

/** Runs a script that calls a tool first and would catch whatever it can; counts the calls. */
async function guarded(source: string): Promise<EvalResult & { readonly calls: number }> {
  let calls = 0
  const tools = { touch: () => (calls += 1), search: () => [] }
  const result = await Eval(`await tools.touch({}); try { ${source} } catch { return 'caught' }`, { tools })
  return { ...result, calls }
}

describe('names that a script cannot have are refused before its first step', () => {
  const sources: readonly (readonly [source: string, name: string, advice: string])[] = [
    ['new Intl.Segmenter("de")', 'Segmenter', '[...text]'],
    ['requestAnimationFrame(() => 1)', 'requestAnimationFrame', 'setTimeout'],
    ['BigInt(5)', 'BigInt', 'groups of 7 digits'],
    ['({ [Symbol.toPrimitive]: () => 1 })', 'toPrimitive', 'toString'],
    ['Buffer.from("x")', 'Buffer', 'btoa'],
    ['crypto.getRandomValues([])', 'crypto', 'Math.random'],
    ['performance.mark("a")', 'mark', 'performance.now'],
    ['fetch("https://a")', 'fetch', 'tools'],
    ['await axios.get("https://a")', 'axios', 'tools'],
    ['_.chunk([1], 1)', '_', 'arrays'],
    ['process.env.HOME', 'process', 'args'],
    ['globalThis.x', 'globalThis', 'global object'],
    ['new WeakRef({})', 'WeakRef', 'Map'],
    ['Math.f16round(1)', 'f16round', 'fround'],
    ['Object.getOwnPropertySymbols({})', 'getOwnPropertySymbols', 'prototype'],
    ['JSON.rawJSON("1")', 'rawJSON', 'stringify'],
    ['new String("x")', 'String', 'String(value)'],
    ['new Number(1)', 'Number', 'Number(value)'],
    ['[1].isPrototypeOf([])', 'isPrototypeOf', 'prototype'],
    ['const data = 1; return dta', 'dta', 'Did you mean `data`?'],
    ['count = 5', 'count', 'const'],
    ['search({})', 'search', 'tools.search'],
    ['const f = () => { if (false) return hidden }; f()', 'hidden', 'const'],
  ]

  test.each(sources)('%s', async (source, name, advice) => {
    const { error, calls } = await guarded(source)
    expect(error).toMatchObject({ code: 'INPUT_INVALID', line: 1, info: { kind: 'refused', name } })
    expect(error?.message).toContain(advice)
    expect(error?.message).toContain('line 1, column')
    expect(calls).toBe(0)
  })

  test('a tool that was not given is refused with the nearest', async () => {
    const { error, calls } = await guarded('await tools.serch({})')
    expect(error).toMatchObject({ code: 'TOOL_UNKNOWN', info: { kind: 'refused', name: 'serch' } })
    expect(error?.message).toContain('Did you mean `tools.search`?')
    expect(calls).toBe(0)
  })
})

describe('what can be known only at run time ends the program, and no catch sees it', () => {
  const sources = [
    'const f = () => 1; return f.constructor("return 1")()',
    'const f = () => 1; return f.toString()',
    'return `${() => 1}`',
    'const f = () => 1; return f["bind"](null)()',
    'const m = new Map(); m.count = 1; return m.count',
    'return new (class extends Map {})().size',
    'class A {}; new A(); Object.defineProperty(A.prototype, "x", { get: () => 1 }); return new A().x',
    'const a = []; a[-1] = 1; return a[-1]',
    'const k = {}; return ({ "[object Object]": 1 })[k]',
    'return Object.assign("x", { a: 1 }).a',
    'return await { then: (done) => done(5) }',
    'return [].slice.call("abc")',
  ]

  test.each(sources)('%s', async (source) => {
    const { error, result } = await guarded(source)
    expect([result, error?.code, (error?.info as { kind?: string } | undefined)?.kind]).toEqual([
      undefined,
      'INPUT_INVALID',
      'refused',
    ])
  })

  test('neither does a finally, a rejected promise or a callback', async () => {
    for (const source of [
      'try { f.toString() } finally { return 1 }',
      'return (async () => f.toString())().catch(() => 1)',
      'return Promise.allSettled([Promise.resolve(1).then(() => f.toString())])',
      'return [1].map(() => f.toString())',
    ])
      expect((await guarded(`const f = () => 1; ${source}`)).error?.info, source).toEqual({ kind: 'refused' })
  })
})

test('what JavaScript lets a program catch, it catches', async () => {
  for (const source of [
    '({}).foo()',
    'null.foo',
    'const a = []; a.foo()',
    'Math.foo()',
    'const x = 1; x = 2',
    'y; let y = 1',
    'undefined()',
    'new Math()',
    '"abc".x = 1',
    'new RegExp("(")',
    'for (const x of 5) x',
    '1 instanceof 2',
    'const { slice } = "abc"; slice()',
  ])
    expect((await guarded(source)).result, source).toBe('caught')
})

test('a script may ask for the type of a name that nothing has', async () => {
  expect(
    (await guarded('return [typeof WeakRef, typeof nothing, typeof Math.f16round, typeof Math.max]')).result,
  ).toEqual(['undefined', 'undefined', 'undefined', 'function'])
  expect((await guarded('return Math.f16round?.(1) ?? 0')).result).toBe(0)
  expect((await guarded('return typeof WeakRef === "undefined" ? 1 : new WeakRef({})')).result).toBe(1)
  expect((await guarded('if (typeof WeakRef) return new WeakRef({})')).error).toMatchObject({
    info: { kind: 'refused' },
  })
})

test('a variable of the host or of the script hides what engines have', async () => {
  expect((await Eval('URL + fetch(1)', { vars: { URL: 'a' } })).error?.message).toContain('`fetch` is not available')
  expect((await Eval('const fetch = (x) => x; URL + fetch(1)', { vars: { URL: 'a' } })).result).toBe('a1')
})
