import { describe, expect, test } from 'vitest'
import { Eval } from '../../script/eval.ts'

const limits = { fuel: 50_000, memoryBytes: 4 * 1024 * 1024 }

describe('objects of the platform', () => {
  test('a URL is refused beyond a length at which parsing is no longer cheap', async () => {
    const { error } = await Eval('new URL("https://a/" + "x".repeat(70_000))')
    expect(error?.message).toContain('at most 65536 characters')
    const set = await Eval('const u = new URL("https://a/"); u.hash = "x".repeat(70_000); return 1')
    expect(set.error?.message).toContain('at most 65536 characters')
  })

  test.each([
    'new Uint8Array(1e8)',
    'new ArrayBuffer(1e8)',
    'Float64Array.from({ length: 6e5 })',
    'const all = []; for (;;) all.push(new Float64Array(1e4))',
    'const t = new Uint8Array(1e6); const all = []; for (;;) all.push(t.slice())',
    'const all = []; for (;;) all.push(new TextEncoder().encode("x".repeat(1e5)))',
    'const u = new URL("https://a/"); for (;;) u.searchParams.append("a", "x".repeat(1e3))',
    'const p = new URLSearchParams(); for (;;) p.append("a", "x".repeat(1e4))',
  ])('memory is charged before it is taken: %s', async (source) => {
    const { error } = await Eval(source, { limits })
    expect(error?.code === 'LIMIT_EXCEEDED' || error?.message.includes('65536')).toBe(true)
  })

  test.each([
    'const t = new Float64Array(5e5); for (;;) t.sort()',
    'const t = new Uint8Array(5e5); for (;;) t.fill(1)',
    'const p = new URLSearchParams("a=1&".repeat(1e3)); for (;;) String(p)',
    'for (;;) new URL("https://a.example/" + "x".repeat(1e3))',
    'const b = new Uint8Array(1e6); for (;;) new TextDecoder().decode(b)',
  ])('work is paid for: %s', async (source) => {
    const { error } = await Eval(source, { limits: { fuel: 5_000 } })
    expect(error?.info).toMatchObject({ limit: 'fuel' })
  })

  test('typed arrays leave a script as lists of numbers, and a URL as its text', async () => {
    const { result } = await Eval(
      'return { t: new Uint8Array([1, 300]), f: new Float64Array([0.5, NaN]), u: new URL("https://a/?b") }',
    )
    expect(result).toEqual({ t: [1, 44], f: [0.5, null], u: 'https://a/?b' })
    const given: unknown[] = []
    await Eval('await tools.take({ bytes: new Uint8Array([1]), url: new URL("https://a") })', {
      tools: { take: async (input: unknown) => given.push(input) },
    })
    expect(given).toEqual([{ bytes: [1], url: 'https://a/' }])
  })

  test.each([
    ['new ArrayBuffer(1)', '[...new Uint8Array(buffer)]'],
    ['new URLSearchParams("a=1")', 'Object.fromEntries(params)'],
    ['new AbortController().signal', 'cancelled from outside'],
  ])('%s does not leave a script, and the message says what to give instead', async (source, advice) => {
    expect((await Eval(`return ${source}`)).error?.message).toContain(advice)
  })

  // No `catch` sees a refusal: what a script did next would differ from other engines.
  test.each([
    ['new Uint8Array(1)[0] = {}', 'Number(value)'],
    ['const t = new Uint8Array(1); t[0] = { valueOf: () => 1 }', 'Number(value)'],
    ['const u = new URL("https://a"); u.hash = { toString: () => "x" }', 'String(value)'],
    ['const u = new URL("https://a"); u.extra = 1', 'Only objects take new properties'],
    ['new TextDecoder("latin1")', 'String.fromCharCode'],
    ['new TextDecoder().decode(new Uint8Array(1), { stream: true })', 'decoded whole'],
    ['new ArrayBuffer(1, { maxByteLength: 2 })', 'Make a larger one'],
    ['new AbortController().signal.addEventListener("abort", () => 1)', 'signal.aborted'],
    ['Array.fromAsync([1], (x) => x)', 'Promise.all(list.map'],
    ['Function("return 1")', '(a, b) => a + b'],
    ['new Function("return 1")', '(a, b) => a + b'],
    ['Error.captureStackTrace({})', 'new Error(message)'],
    ['Reflect.apply(Math.max, null, [1])', 'fn(...list)'],
    ['AbortSignal.timeout(5)', 'Promise.race'],
  ])('%s is refused with what to write instead', async (source, advice) => {
    const { error } = await Eval(`try { ${source} } catch { } return 'went on'`)
    expect(error?.info).toMatchObject({ kind: 'refused' })
    expect(error?.message).toContain(advice)
  })

  test('nothing of the host is reachable through them', async () => {
    const reads = ['constructor', '__proto__', 'prototype', 'toLocaleString', 'hasOwnProperty']
    for (const made of [
      'new URL("https://a")',
      'new URLSearchParams()',
      'new Uint8Array(1)',
      'new ArrayBuffer(1)',
      'new DataView(new ArrayBuffer(1))',
      'new TextEncoder()',
      'new AbortController()',
    ])
      for (const name of reads) {
        const { result, error } = await Eval(`const x = ${made}; return typeof x[${JSON.stringify(name)}]`)
        expect(error?.info ?? result, `${made}.${name}`).toSatisfy(
          (end: unknown) => end === 'undefined' || (end as { kind?: string }).kind === 'refused',
        )
      }
  })
})
