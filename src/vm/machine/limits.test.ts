import { expect, test } from 'vitest'
import { NO_WALL_MS } from '../meter/limits.ts'
import type { RequestPort } from '../port.ts'
import { runScript } from './script.fixture.ts'

const limited: readonly (readonly [limit: string, source: string, limits: Record<string, number>])[] = [
  ['fuel', 'while (true) {}', { fuel: 100 }],
  ['fuel', 'const f = () => f2(); const f2 = () => { for (;;) {} }; f()', { fuel: 100 }],
  ['fuel', '[1, 2, 3].map(() => { while (true) {} })', { fuel: 100 }],
  ['fuel', 'async function f() { while (true) { await null } } await f()', { fuel: 100 }],
  ['fuel', 'const f = () => Promise.resolve().then(f); await f()', { fuel: 100 }],
  ['memoryBytes', 'const a = []; while (true) a.push(a.length)', { fuel: 1e6, memoryBytes: 1e6 }],
  ['memoryBytes', 'const a = []; while (true) a.push({ n: [1] })', { fuel: 1e6, memoryBytes: 1e6 }],
  ['memoryBytes', 'const o = {}; let i = 0; while (true) o["k" + i++] = i', { fuel: 1e6, memoryBytes: 1e6 }],
  [
    'memoryBytes',
    'let s = "x"; const keep = []; while (true) { s += "abcdefgh"; keep.push(s); s.charCodeAt(0) }',
    { fuel: 1e6, memoryBytes: 1e6 },
  ],
  [
    'memoryBytes',
    'const ps = []; const f = async () => { await new Promise(() => {}) }; while (true) ps.push(f())',
    { fuel: 1e6, memoryBytes: 1e6 },
  ],
  ['stringLength', 'let s = "ab"; while (true) s = s + s', { fuel: 1e6, stringLength: 1e5 }],
  ['arrayLength', 'const a = []; while (true) a.push(1)', { fuel: 1e6, arrayLength: 1000 }],
  ['arrayLength', 'const a = []; a[5000] = 1', { arrayLength: 1000 }],
  ['arrayLength', 'const a = []; a[4e9] = 1', {}],
  ['arrayLength', 'Array(4e9)', {}],
  ['arrayLength', 'const a = []; a.length = 4e9', {}],
  ['memoryBytes', 'Array(1e6)', { fuel: 1e6, memoryBytes: 1e6 }],
  ['memoryBytes', 'const a = []; a.length = 1e6', { fuel: 1e6, memoryBytes: 1e6 }],
  ['memoryBytes', 'const a = [1]; a[1e6] = 1', { fuel: 1e6, memoryBytes: 1e6 }],
  ['memoryBytes', 'const a = []; for (;;) a.push([, , , , , , , ,])', { fuel: 1e6, memoryBytes: 1e6 }],
  ['fuel', 'Array(1e6)', { fuel: 100 }],
  ['fuel', '[..."x".repeat(1e6)].length', { fuel: 500, arrayLength: 2e6, memoryBytes: 1e9 }],
  ['fuel', 'const a = []; a[1e6] = 1', { fuel: 100 }],
  ['fuel', 'const a = Array(1e5); for (;;) a.unshift(a.shift())', { fuel: 1000 }],
  ['fuel', 'const a = Array(1e5); for (;;) a.forEach(() => 1)', { fuel: 1000 }],
  // Not so deep that the host's own stack would end it.
  ['callDepth', 'const f = (n) => n === 0 ? 0 : f(n - 1) + 1; f(100)', { fuel: 1e6, callDepth: 20 }],
  ['callDepth', 'const f = (n) => f(n + 1) + 1; f(0)', { fuel: 1e6 }],
  ['callDepth', 'const f = (n) => [n].map(f); f(0)', { fuel: 1e6 }],
  ['callDepth', 'const f = (n) => { try { return f(n + 1) } catch (e) { return 0 } }; f(0)', { fuel: 1e6 }],
  ['stringLength', '"x".repeat(2000)', { stringLength: 1000 }],
  ['arrayLength', 'const a = []; for (let i = 0; i < 600; i++) a.unshift(1, 2); a', { arrayLength: 1000 }],
  ['arrayLength', '[..."x".repeat(2000)]', { arrayLength: 1000 }],
  ['wallMs', 'while (true) {}', { fuel: 1e5, wallMs: 2 }],
  ['regexSteps', '/(a|b)*c/.test("ab".repeat(1000))', { fuel: 1e5, regexSteps: 100 }],
  ['outputBytes', 'for (let i = 0; i < 100; i++) console.log("x".repeat(100))', { outputBytes: 1000 }],
  ['outputBytes', 'console.log("é".repeat(600))', { outputBytes: 1000 }],
  ['outputBytes', '"日".repeat(400)', { outputBytes: 1000 }],
  ['outputBytes', '({ ["日".repeat(200) + "😀".repeat(100)]: 1 })', { outputBytes: 1000 }],
  ['outputBytes', 'let a = [1]; for (let i = 0; i < 25; i++) a = [a, a]; a', { fuel: 1e6, outputBytes: 1e5 }],
]

for (const [limit, source, limits] of limited) {
  test(`limit ${limit} ends: ${source.slice(0, 80)}`, async () => {
    const { result, error } = await runScript(source, { limits })
    expect(result).toBeUndefined()
    expect(error?.info).toMatchObject({ limit })
    expect(error?.message).toContain(limit)
  })
}

/** A clock on which each look takes some time. */
function slowClock(ms: number): { now: () => number; timer: () => () => void; looks: () => number } {
  let looks = 0
  return { now: () => ms * looks++, timer: () => () => {}, looks: () => looks }
}

const endless: readonly (readonly [what: string, source: string])[] = [
  ['a constructor', 'new (class { constructor() { while (true) {} } })()'],
  ['a getter', 'const { a } = { get a() { while (true) {} } }'],
  ['a getter of the result', 'return { get a() { while (true) {} } }'],
  ['a conversion', 'return `${{ toString() { while (true) {} } }}`'],
  ['an iterator', 'for (const x of { [Symbol.iterator]() { while (true) {} } }) {}'],
  ['a generator', 'function* g() { while (true) {} } return [...g()]'],
  ['an executor', 'new Promise(() => { while (true) {} })'],
]

test.each(endless)('without a wall time, an endless loop in %s ends, as no signal can end it', async (_, source) => {
  const limits = { fuel: 1e5, wallMs: NO_WALL_MS }
  const { error } = await runScript(`try { ${source} } catch {}`, { limits, clock: slowClock(250) })
  expect(error).toMatchObject({ code: 'TIMEOUT', message: expect.stringContaining('endless loop') })
})

test('a process that was stopped while a program computed has not computed for long', async () => {
  const limits = { fuel: 1e9, wallMs: NO_WALL_MS }
  const source = 'class A { constructor() { for (this.n = 0; this.n < 5e4; this.n++); } } return new A().n'
  const clock = slowClock(3_600_000)
  expect((await runScript(source, { limits, clock })).result).toBe(5e4)
  expect(clock.looks()).toBeGreaterThan(2)
})

test('limit wallMs ends a program that waits', async () => {
  const cut = new AbortController()
  const giveUp = setTimeout(() => cut.abort(), 5_000)
  const port = { perform: () => new Promise<never>(() => {}) }
  const { error } = await runScript('await tools.echo(1)', { port, limits: { wallMs: 20 }, signal: cut.signal })
  clearTimeout(giveUp)
  expect(error?.info).toMatchObject({ limit: 'wallMs' })
})

test('limit parallelCalls lets no more requests be under way at once, and all get their turn', async () => {
  let [now, most] = [0, 0]
  const port: RequestPort = {
    async perform({ input }) {
      most = Math.max(most, ++now)
      await new Promise((resolve) => setTimeout(resolve, 1))
      now -= 1
      return { status: 'ok', value: input }
    },
  }
  const source = 'await Promise.all([1, 2, 3, 4, 5, 6, 7].map((n) => tools.echo(n)))'
  const { result } = await runScript(source, { port, limits: { parallelCalls: 3 } })
  expect(result).toEqual([1, 2, 3, 4, 5, 6, 7])
  expect(most).toBe(3)
})

test('no catch sees a limit that leaves the program fuel to go on with', async () => {
  const { result, error } = await runScript('try { "x".repeat(2000) } catch { "caught" }', {
    limits: { stringLength: 1000 },
  })
  expect([result, error?.info]).toMatchObject([undefined, { limit: 'stringLength' }])
})

test('no catch and no finally sees a limit', async () => {
  const printed: string[] = []
  const { error } = await runScript(
    'try { while (true) {} } catch (e) { console.log("caught") } finally { console.log("finally") }',
    {
      limits: { fuel: 10 },
      onPrint: (_level, text) => printed.push(text),
    },
  )
  expect(error?.code).toBe('LIMIT_EXCEEDED')
  expect(printed).toEqual([])
})

const corpus = [
  'let s = 0; for (let i = 0; i < 5000; i++) { s += i % 7 === 0 ? i : 1 } s',
  'function fib(n) { return n < 2 ? n : fib(n - 1) + fib(n - 2) } fib(16)',
  'const o = {}; for (let i = 0; i < 300; i++) { o["k" + (i % 50)] = (o["k" + (i % 50)] ?? 0) + i } o.k7',
  'const xs = await Promise.all([1, 2, 3].map(async (x) => (await tools.echo(x)) * 2)); xs.reduce((a, b) => a + b, 0)',
  'let t = ""; for (let i = 0; i < 400; i++) { t += "abc"; if (t[i] === "a") t += "!" } t.length',
]

test('the same program costs the same fuel and memory in every execution, however often the host gets its turn', async () => {
  for (const source of corpus) {
    let now = 0
    const impatient = { now: () => (now += 10), timer: () => () => {} }
    const results = [
      await runScript(source, { limits: { fuel: 1e5 } }),
      await runScript(source, { limits: { fuel: 1e5 } }),
      await runScript(source, { limits: { fuel: 1e5, wallMs: 1e9 }, clock: impatient }),
    ]
    for (const { result, fuelUsed, memoryPeak, error } of results) {
      expect(error).toBeUndefined()
      expect({ result, fuelUsed, memoryPeak }).toEqual({
        result: results[0]!.result,
        fuelUsed: results[0]!.fuelUsed,
        memoryPeak: results[0]!.memoryPeak,
      })
    }
  }
})

const spinning = [
  'while (true) {}',
  'function f() { for (;;) {} } f()',
  'function g() { let n = 0; while (true) n += h(n); return n } const h = (x) => x + 1; g()',
  'const f = (n) => (n < 2 ? n : f(n - 1) + f(n - 2)); f(60)',
  'async function f() { while (true) await null } await f()',
  'for (const x of [1]) { do {} while (true) }',
  '[1, 2].forEach((x) => { while (true) {} })',
  'const deep = [[1]].map((a) => a.filter((x) => { for (;;) {} }))',
  '[1, 2].sort(() => { for (;;) {} })',
  '[1, 2].toSorted(() => { for (;;) {} })',
  '[1, 2].reduce(() => { for (;;) {} })',
  '[1, 2].reduceRight(() => { for (;;) {} })',
  '[1].findLast(() => { for (;;) {} })',
  '[1].findLastIndex(() => { for (;;) {} })',
  'new Map([[1, 1]]).forEach(() => { for (;;) {} })',
  'new Set([1]).forEach(() => { for (;;) {} })',
  '[1].flatMap(() => { for (;;) {} })',
  'Object.freeze([1]).map(() => { for (;;) {} })',
  'Array.from([1], () => { for (;;) {} })',
  'Array.from(new Set([1]), () => { for (;;) {} })',
  'Array.from({ length: 2 }, () => { for (;;) {} })',
  'Object.groupBy([1], () => { for (;;) {} })',
  'Map.groupBy([1], () => { for (;;) {} })',
  '"ab".replace("a", () => { for (;;) {} })',
  '"ab".replace(/a/, () => { for (;;) {} })',
  '"ab".replace(/a/g, () => { for (;;) {} })',
  '"ab".replaceAll("a", () => { for (;;) {} })',
  '"ab".replaceAll(/a/g, () => { for (;;) {} })',
  '(() => { for (;;) {} }).call()',
  '(() => { for (;;) {} }).apply(null, [])',
  'Promise.resolve().then(() => { for (;;) {} }); await new Promise(() => {})',
  'for (;;) await tools.echo(1)',
  'for (;;) await Promise.all([1, tools.echo(2)])',
]

for (const source of spinning) {
  test(`the host gets its turn, and an abort its way, during: ${source}`, async () => {
    const controller = new AbortController()
    let turns = 0
    const tick = (): void => {
      turns += 1
      if (turns < 5) setImmediate(tick)
      else controller.abort()
    }
    setImmediate(tick)
    const { error } = await runScript(source, { limits: { fuel: 1e9, wallMs: 10_000 }, signal: controller.signal })
    expect(error?.code).toBe('CANCELLED')
    expect(turns).toBe(5)
  })
}

const standing: readonly (readonly [source: string, expected: unknown])[] = [
  ['const f = (a, b) => { for (const x of [1]) {} return a - b }; [3, 1, 2].sort(f)', [1, 2, 3]],
  [
    'const f = (a, b) => { for (const x of [1]) {} return b.k - a.k }; [{ k: 1, n: 1 }, { k: 2, n: 2 }, { k: 1, n: 3 }].toSorted(f).map((x) => x.n)',
    [2, 1, 3],
  ],
  [
    'const f = (a, b) => { for (const x of [1]) {} return a - b }; const a = [3, undefined, 1, , 2]; a.sort(f); [a.length, 4 in a, a.slice(0, 4)]',
    [5, false, [1, 2, 3, null]],
  ],
  [
    'const f = (a, b) => { for (const x of [1]) {} return a + b }; [[1, 2, 3].reduce(f), [1, 2].reduce(f, 10), ["a", "b"].reduceRight(f), ["a"].reduceRight(f, "z")]',
    [6, 13, 'ba', 'za'],
  ],
  [
    'const f = (a, b) => { for (const x of [1]) {} return a + b }; try { [].reduce(f) } catch (e) { return e.name }',
    'TypeError',
  ],
  [
    'const f = (x) => { for (const y of [1]) {} return x < 3 }; [[1, 2, 3].findLast(f), [1, 2, 3].findLastIndex(f)]',
    [2, 1],
  ],
  [
    'let s = ""; new Map([["a", 1], ["b", 2]]).forEach((v, k, m) => { for (const y of [1]) {} s += k + v + m.size }); s',
    'a12b22',
  ],
  ['let s = ""; new Set(["a"]).forEach((v, k) => { for (const y of [1]) {} s += v + k }); s', 'aa'],
  [
    'const f = (a, b) => { for (const y of [1]) {} return [a, b] }; [f.call(null, 1, 2), f.apply(null, [3])]',
    [
      [1, 2],
      [3, null],
    ],
  ],
  [
    'const s = [1]; const f = (x, i, a) => { for (const y of [1]) {} s.push(x + i + a.length); return x > 2 ? x : s }; [[1, , 2, 3].flatMap(f), [1, 2].flatMap((x) => { for (const y of [1]) {} return [[x], , x] })]',
    [
      [1, 5, 1, 5, 8, 3],
      [[1], 1, [2], 2],
    ],
  ],
  [
    'const f = (x, i) => { for (const y of [1]) {} return [x, i] }; [Array.from([5, , 6], f), Array.from("a🙂", f), Array.from(new Map([[1, 2]]), f), Array.from({ length: 2, 0: "z" }, f), Array.from({}, f)]',
    [
      [
        [5, 0],
        [null, 1],
        [6, 2],
      ],
      [
        ['a', 0],
        ['🙂', 1],
      ],
      [[[1, 2], 0]],
      [
        ['z', 0],
        [null, 1],
      ],
      [],
    ],
  ],
  [
    'const a = [1, 2]; Array.from(a, (x) => { for (const y of [1]) {} if (a.length < 4) a.push(x * 10); return x })',
    [1, 2, 10, 20],
  ],
  [
    'const f = (x, i) => { for (const y of [1]) {} return x > 1 ? "toString" : i === 0 ? ["p", 1] : null }; Object.groupBy(new Set([1, 2, 3, 0]), f)',
    { 'p,1': [1], toString: [2, 3], null: [0] },
  ],
  [
    'const f = (x) => { for (const y of [1]) {} return x < 0 ? "__proto__" : "constructor" }; Object.entries(Object.groupBy([1, -1], f))',
    [
      ['constructor', [1]],
      ['__proto__', [-1]],
    ],
  ],
  [
    'const f = (x) => { for (const y of [1]) {} return x % 2 === 0 ? NaN : -0 }; [...Map.groupBy([1, 2, 3, 4], f)].map(([k, v]) => [String(k), v])',
    [
      ['0', [1, 3]],
      ['NaN', [2, 4]],
    ],
  ],
  [
    'const f = (...all) => { for (const y of [1]) {} return `<${all.map((x) => typeof x === "object" ? JSON.stringify(x) : String(x))}>` }; ["xaya".replace("a", f), "xaya".replaceAll("a", f), "ab".replaceAll("", f), "xy".replace("q", f), "xaya".replace(/(a)|(b)/, f), "aba".replace(/(?<n>a)/g, f), "a1a".replaceAll(/a|(\\d)/g, f), "🙂".replace(/(?:)/gu, f)]',
    [
      'x<a,1,xaya>ya',
      'x<a,1,xaya>y<a,3,xaya>',
      '<,0,ab>a<,1,ab>b<,2,ab>',
      'xy',
      'x<a,a,undefined,1,xaya>ya',
      '<a,a,0,aba,{"n":"a"}>b<a,a,2,aba,{"n":"a"}>',
      '<a,undefined,0,a1a><1,1,1,a1a><a,undefined,2,a1a>',
      '<,0,🙂>🙂<,2,🙂>',
    ],
  ],
  [
    'const r = /a/g; r.lastIndex = 2; const y = /b/y; y.lastIndex = 1; const f = () => { for (const y of [1]) {} return {} }; ["aa".replace(r, f), r.lastIndex, "ab".replace(y, f), y.lastIndex]',
    ['[object Object][object Object]', 0, 'a[object Object]', 2],
  ],
  [
    'const f = () => { for (const y of [1]) {} return 1 }; try { "a".replaceAll(/a/, f) } catch (e) { return e.name }',
    'TypeError',
  ],
  ['await Promise.resolve(1).then((x) => { for (const y of [1]) {} return Promise.resolve(x + 1) })', 2],
  [
    'await Promise.resolve(1).then((x) => { for (const y of [1]) {} throw new Error("no") }).catch((e) => e.message)',
    'no',
  ],
]

for (const [source, expected] of standing) {
  test(`what can be put aside means the same: ${source}`, async () => {
    const { result, error } = await runScript(source)
    expect({ result, error }).toEqual({ result: expected, error: undefined })
  })
}

test('garbage does not count: a loop may make much more than it may hold', async () => {
  const { result, error } = await runScript(
    'let n = 0; for (let i = 0; i < 20000; i++) { const x = { a: [i, i, i] }; n += x.a.length } n',
    {
      limits: { fuel: 1e5, memoryBytes: 1e6 },
    },
  )
  expect(error).toBeUndefined()
  expect(result).toBe(60_000)
})

test.each(['JSON.stringify({ toJSON() { BUSY } })', '`${{ toString() { BUSY } }}`'])(
  'an abort is seen where the host gets no turn: %s',
  async (source) => {
    const controller = new AbortController()
    const printed: string[] = []
    const busy = 'for (let i = 0; i < 100_000; i++) {} console.log("went on")'
    const { error } = await runScript(`console.log("abort"); ${source.replace('BUSY', busy)}`, {
      limits: { fuel: 1e6, wallMs: 60_000 },
      signal: controller.signal,
      onPrint: (_level, text) => {
        printed.push(text)
        controller.abort()
      },
    })
    expect(error?.code).toBe('CANCELLED')
    expect(printed).toEqual(['abort'])
  },
)

test('a signal that is aborted already lets nothing run', async () => {
  const printed: string[] = []
  const { error } = await runScript('console.log("ran")', {
    signal: AbortSignal.abort(),
    onPrint: (_level, text) => printed.push(text),
  })
  expect(error?.code).toBe('CANCELLED')
  expect(printed).toEqual([])
})

test('nothing of the program runs after its result', async () => {
  const printed: string[] = []
  const { result, warnings } = await runScript('tools.echo(1).then(() => console.log("late")); "done"', {
    onPrint: (_level, text) => printed.push(text),
  })
  await new Promise((resolve) => setTimeout(resolve, 20))
  expect(result).toBe('done')
  expect(printed).toEqual([])
  expect(warnings.join()).toContain('still under way')
})

test('a rejection that nobody looks at is a warning', async () => {
  const { result, warnings } = await runScript(
    'Promise.reject(new Error("lost")); const kept = Promise.reject(1); try { await kept } catch {} "done"',
  )
  expect(result).toBe('done')
  expect(warnings).toHaveLength(1)
  expect(warnings[0]).toContain('1 promises were rejected')
})

test('a program that waits for nothing is told so', async () => {
  const { error } = await runScript('await new Promise(() => {})')
  expect(error?.message).toContain('will never settle')
})
