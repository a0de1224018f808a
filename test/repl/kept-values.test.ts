import { afterEach, describe, expect, it } from 'vitest'
import { AgentService, defineTool } from 'mandate'
import { memoryJournal } from 'mandate/journal'
import { ReplSession } from 'mandate/repl'
import type { ReplOptions } from 'mandate/repl'
import { isSweep, shareOf } from '../rotation.ts'

/** An expression that makes a value, and one over `v` that is true of the value wherever it is read again. */
type Kind = readonly [name: string, make: string, check: string]

const DATA: readonly Kind[] = [
  ['undefined', 'undefined', 'v === undefined'],
  ['odd numbers', '[NaN, -0, Infinity]', 'Object.is(v[0], NaN) && Object.is(v[1], -0) && v[2] === Infinity'],
  ['a text', '"\\uD83D\\uDE00\\u0000"', 'v === "\\uD83D\\uDE00\\u0000"'],
  ['a list with holes', '[1, , 3]', '!(1 in v) && v.length === 3'],
  ['a match', '"xab".match(/a(?<b>b)/)', 'v.index === 1 && v.groups.b === "b"'],
  ['a cycle', '(() => { const o = { a: [] }; o.a.push(o); return o })()', 'v.a[0] === v'],
  ['a frozen object', 'Object.freeze({ a: 1 })', 'Object.isFrozen(v) && v.a === 1'],
  ['a sealed object', 'Object.seal({ a: 1 })', 'Object.isSealed(v) && v.a === 1'],
  ['a hidden property', 'Object.defineProperty({}, "a", { value: 1 })', 'v.a === 1 && Object.keys(v).length === 0'],
  ['accessors', '({ n: 1, get a() { return this.n }, set a(x) { this.n = x } })', '(v.a = 5, v.a === 5)'],
  ['a prototype', 'Object.create({ a: 1 })', 'v.a === 1 && Object.keys(v).length === 0'],
  ['no prototype', 'Object.create(null)', 'Object.getPrototypeOf(v) === null && !("toString" in v)'],
  ['an error', 'new TypeError("t", { cause: { a: 1 } })', 'v instanceof TypeError && v.cause.a === 1'],
  ['a map', 'new Map([[{}, 1], ["k", [2]]])', 'v.size === 2 && v.get("k")[0] === 2'],
  ['a set', 'new Set([1, "1"])', 'v.size === 2 && v.has("1")'],
  ['a weak map', '(() => { const k = {}; return { k, m: new WeakMap([[k, 1]]) } })()', 'v.m.get(v.k) === 1'],
  ['a weak set', '(() => { const k = {}; return { k, s: new WeakSet([k]) } })()', 'v.s.has(v.k)'],
  ['a date', 'new Date(5)', 'v.getTime() === 5'],
  ['no date', 'new Date(NaN)', 'Number.isNaN(v.getTime())'],
  ['a pattern', '(() => { const r = /a/g; r.lastIndex = 2; return r })()', 'v.lastIndex === 2 && v.flags === "g"'],
  ['a symbol as key', '(() => { const s = Symbol("q"); return { s, o: { [s]: 1 } } })()', 'v.o[v.s] === 1'],
  ['a shared symbol', 'Symbol.for("x")', 'v === Symbol.for("x")'],
  ['its own iterator', '({ *[Symbol.iterator]() { yield* [1, 2] } })', '[...v].join() === "1,2"'],
  ['bytes', 'new Uint16Array([1, 2, 3]).subarray(1)', 'v.length === 2 && v[1] === 3'],
  ['a view', 'new DataView(new ArrayBuffer(4), 1)', 'v.byteOffset === 1 && v.byteLength === 3'],
  ['a coder', 'new TextDecoder("utf-8", { fatal: true })', 'v.fatal'],
  ['a URL', 'new URL("http://a.b/c?d=1")', '(v.searchParams.set("d", "2"), v.search === "?d=2")'],
  ['search parameters', 'new URLSearchParams("a=1&a=2")', 'v.getAll("a").join() === "1,2"'],
  ['a format', 'new Intl.NumberFormat("en-US")', 'v.format(1000) === "1,000"'],
  ['a method of a format', 'new Intl.NumberFormat("en-US").format', 'v(1000) === "1,000"'],
  [
    'an aborted controller',
    '(() => { const c = new AbortController(); c.abort("r"); return c })()',
    'v.signal.reason === "r"',
  ],
]

const CODE: readonly Kind[] = [
  ['a closure', '(() => { let n = 0; return () => ++n })()', 'v() === 1 && v() === 2'],
  ['a function with properties', 'Object.assign(() => 1, { a: 2 })', 'v() === 1 && v.a === 2'],
  ['a named function', '(function fact(n) { return n < 2 ? 1 : n * fact(n - 1) })', 'v(4) === 24'],
  ['a bound function', '((a, b) => a + b).bind(null, 1)', 'v(2) === 3'],
  [
    'a constructor',
    '(() => { function C(a) { this.a = a } C.prototype.get = function () { return this.a }; return C })()',
    'new v(3).get() === 3',
  ],
  ['a class', '(class P { static s = 1; #z = 3; get z() { return this.#z } })', 'v.s === 1 && new v().z === 3'],
  [
    'an instance',
    'new (class Q extends (class P { #z = 3; m() { return this.#z } }) { m() { return super.m() + 1 } })()',
    'v.m() === 4',
  ],
  ['an instance that is iterated', 'new (class { *[Symbol.iterator]() { yield 7 } })()', '[...v][0] === 7'],
  ['a built-in', 'Math.max', 'v(1, 2) === 2'],
  ['a method of lists', '[].map', 'typeof v === "function"'],
  ['a function of the host', 'print', 'typeof v === "function"'],
  ['a bound function of the host', 'print.bind(null, "x")', 'typeof v === "function"'],
  ['functions that wait', '[sleep, model_query, tools]', 'typeof v[1] === "function"'],
  ['an async function', '(async (x) => x + 1)', 'typeof v === "function"'],
  ['a generator function', '(function* () { yield 1 })', '[...v()][0] === 1'],
  ['an async generator function', '(async function* () { yield 1 })', 'typeof v === "function"'],
]

const SLOTS = Array.from({ length: 9 }, (_, n) => n)
const locals = (n: number): string =>
  SLOTS.slice(0, n)
    .map((each) => `const x${each} = ${each};`)
    .join(' ')
const sum = (n: number): string => ['0', ...SLOTS.slice(0, n).map((each) => `x${each}`)].join(' + ')
const generator = (n: number): string => `(function* (a = 1) { ${locals(n)} yield a; yield ${sum(n)}; return 5 })`

const PROGRESS: readonly Kind[] = [
  ...SLOTS.flatMap((n): Kind[] => [
    [`a generator of ${n} variables that has not begun`, `${generator(n)}()`, '(v.next().value === 1)'],
    [
      `one of ${n} that waits`,
      `(() => { const g = ${generator(n)}(); g.next(); return g })()`,
      `(v.next().value === ${(n * (n - 1)) / 2})`,
    ],
    [`one of ${n} that is over`, `(() => { const g = ${generator(n)}(); [...g]; return g })()`, 'v.next().done'],
  ]),
  [
    'a generator with others',
    '(() => { const g = (function* () { yield* [1, 2] })(); g.next(); return g })()',
    '(v.next().value === 2)',
  ],
  [
    'an iterator of a list',
    '(() => { const i = [1, 2][Symbol.iterator](); i.next(); return i })()',
    '(v.next().value === 2)',
  ],
  ['an iterator of a map', 'new Map([[1, 2]]).entries()', '(v.next().value[1] === 2)'],
  [
    'an iterator of a text',
    '(() => { const i = "ab"[Symbol.iterator](); i.next(); return i })()',
    '(v.next().value === "b")',
  ],
  ['matches', '"a1b2".matchAll(/\\d/g)', '(v.next().value[0] === "1")'],
  ['a lazy iterator', '[1, 2, 3].values().map((x) => x * 2)', '(v.next().value === 2)'],
  ['an async generator', '(async function* () { yield 1 })()', 'typeof v.next === "function"'],
  ['a settled promise', 'Promise.resolve(4)', '(await v) === 4'],
  [
    'a rejected promise',
    '(() => { const p = Promise.reject(new Error("q")); p.catch(() => {}); return p })()',
    '(await v.catch((e) => e.message)) === "q"',
  ],
  // What no call settles has not settled at the end of the cell, and says so.
  [
    'a promise under way',
    '(() => { const p = new Promise(() => {}); return p })()',
    '/had not settled/.test(await v.catch((e) => e.message))',
  ],
  [
    'a promise with its resolvers',
    'Promise.withResolvers()',
    '(v.resolve(5), v.reject(6), /had not settled.*make a new promise/.test(await v.promise.catch((e) => e.message)))',
  ],
  ['a resolver', '(() => { let r; new Promise((resolve) => { r = resolve }); return r })()', 'v(1) === undefined'],
  [
    'a resolver that was called',
    '(() => { const d = Promise.withResolvers(); d.resolve(1); return d })()',
    '(await v.promise) === 1',
  ],
  ['a timer', 'setTimeout(() => {}, 1)', 'v !== undefined'],
]

/** Where a value can be: how it is put there, and how it is got out. */
const HOLDERS: readonly (readonly [put: (make: string) => string, get: (holder: string) => string])[] = [
  [(make) => make, (holder) => holder],
  [(make) => `{ x: ${make} }`, (holder) => `${holder}.x`],
  [(make) => `[${make}]`, (holder) => `${holder}[0]`],
  [(make) => `new Map([["x", ${make}]])`, (holder) => `${holder}.get("x")`],
  [(make) => `((x) => () => x)(${make})`, (holder) => `${holder}()`],
  [
    (make) => `new (class { #x; constructor(x) { this.#x = x } get x() { return this.#x } })(${make})`,
    (holder) => `${holder}.x`,
  ],
]

const services: AgentService[] = []

afterEach(async () => {
  for (const service of services.splice(0)) await service.stop()
})

function open(journal: ReturnType<typeof memoryJournal>, options: ReplOptions = {}): Promise<ReplSession> {
  const service = new AgentService({ journal })
  services.push(service)
  return ReplSession.open(service, { sessionId: 's', ...options })
}

describe('a variable of a session in another process', () => {
  const all = shareOf([...DATA, ...CODE, ...PROGRESS], 3)
  const parts = Array.from({ length: Math.ceil(all.length / 8) }, (_, part) => all.slice(part * 8, part * 8 + 8))

  it.each(parts.map((kinds) => [kinds.map(([name]) => name).join(', '), kinds] as const))(
    'is what it was, or was dropped with a warning: %s',
    async (_names, kinds) => {
      const journal = memoryJournal()
      const options = { policy: { maxIterations: 1_000 } }
      const first = await open(journal, options)
      const lost: string[] = []
      for (const [kind, [name, make]] of kinds.entries()) {
        const declared = HOLDERS.map(([put], at) => `const h${kind}_${at} = ${put(make)}`)
        const { error, warnings } = await first.evalCell(`${declared.join('; ')}; const twin${kind} = h${kind}_0; 1`)
        expect([name, error]).toEqual([name, undefined])
        lost.push(...warnings.flatMap((warning) => /^`(\w+)` cannot be kept/.exec(warning)?.[1] ?? []))
      }
      const session = await open(journal, options)
      for (const [kind, [name, , check]] of kinds.entries()) {
        const checks = HOLDERS.map(([, get], at) => {
          const holder = `h${kind}_${at}`
          return lost.includes(holder) ? `${holder} === undefined` : `await (async (v) => ${check})(${get(holder)})`
        })
        const { value, error } = await session.evalCell(
          `const same = h${kind}_0 === twin${kind}; [same, ${checks.join(', ')}]`,
        )
        expect([name, value, error?.message]).toEqual([name, [true, ...HOLDERS.map(() => true)], undefined])
      }
    },
  )

  it.skipIf(isSweep)('that cannot be read is dropped with a warning, and takes no other with it', async () => {
    const journal = memoryJournal()
    const one = defineTool({ name: 'one', risk: 'read', inputSchema: { type: 'object' }, run: () => 1 })
    await (await open(journal, { tools: [one] })).evalCell('const call = { it: tools.one }; const kept = [1, 2]')
    const session = await open(journal)
    const { value, warnings } = await session.evalCell('[call === undefined, kept.length]')
    expect(value).toEqual([true, 2])
    expect(warnings).toEqual([expect.stringContaining('`call` cannot be read and is undefined from here on') as string])
    const after = await (await open(journal)).evalCell('[call === undefined, kept.length]')
    expect([after.value, after.warnings]).toEqual([[true, 2], []])
  })

  it.skipIf(isSweep)(
    'that was dropped is undefined in the same process, in a fork and in another process',
    async () => {
      const journal = memoryJournal()
      const session = await open(journal)
      const { warnings } = await session.evalCell('const stream = (async function* () { yield 1 })(); 1')
      expect(warnings).toHaveLength(1)
      for (const each of [session, await session.fork(), await open(journal)])
        expect((await each.evalCell('stream === undefined')).value).toBe(true)
    },
  )
})
