import { expect, test } from 'vitest'
import { runScript } from '../../machine/script.fixture.ts'

/** What a script gives, or the name of what it throws. */
async function outcome(source: string): Promise<unknown> {
  const { result, error } = await runScript(source, { limits: { fuel: 100_000 } })
  return error === undefined ? result : (error.name ?? error.code)
}

const cases: readonly (readonly [source: string, expected: unknown])[] = [
  // Operators and conversions.
  ['[1 + "2", "3" * "4", 7 % 3, 2 ** 10, -"5", +true, 5 / 2]', ['12', 12, 1, 1024, -5, 1, 2.5]],
  ['[1 == "1", null == undefined, null == 0, "" == 0, [] + [], [1] == 1]', [true, true, false, true, '', true]],
  ['[1 === 1, "a" < "b", "10" < "9", 10 < 9, null >= 0]', [true, true, true, false, true]],
  ['[5 & 3, 5 | 3, 5 ^ 3, ~5, 1 << 4, -16 >> 2, -1 >>> 28]', [1, 7, 6, -6, 16, -4, 15]],
  [
    '[typeof 1, typeof "", typeof undefined, typeof null, typeof {}, typeof (() => 1), typeof nothing]',
    ['number', 'string', 'undefined', 'object', 'object', 'function', 'undefined'],
  ],
  ['[void 0 === undefined, !0, !!"x", 1 && 2, 0 || 3, null ?? 4, 0 ?? 5]', [true, true, true, 2, 3, 4, 0]],
  ['const o = { a: 1 }; [delete o.a, "a" in o, "b" in { b: 1 }, 1 in [5, 6]]', [true, false, true, true]],
  ['`${1}${"a"}${[1, 2]}${{}}`', '1a1,2[object Object]'],
  // Variables and blocks.
  ['let x = 1; { let x = 2; { x = 3 } } x', 1],
  ['const f = () => y; let y = 5; f()', 5],
  ['const f = () => y; const r = f(); let y = 5; r', 'ReferenceError'],
  ['x = 1; let x', 'ReferenceError'],
  ['const x = 1; x = 2', 'TypeError'],
  ['let n = 0; for (let i = 0; i < 3; i++) { let n = i } n', 0],
  ['f(); function f() { return 1 }', 1],
  ['const g = f(); function f() { return 7 } g', 7],
  ['switch (2) { case 1: let a = 1; case 2: a }', 'ReferenceError'],
  // A method is found before its arguments are computed, and called after.
  [
    'const o = { f: (x) => "old" + x }; const g = async () => { o.f = (x) => "new" + x; return 1 }; o.f(await g())',
    'old1',
  ],
  [
    'const o = { f: (x) => "old" + x }; const g = () => { for (const i of [1]) o.f = (x) => "new" + i; return 1 }; o.f(g())',
    'old1',
  ],
  ['let n = 0; const g = () => { for (const i of [1]) n += i }; try { ({}).a.b(g()) } catch { n += 10 } n', 10],
  ['let n = 0; const g = () => { for (const i of [1]) n += i }; try { ({}).a(g()) } catch { n += 10 } n', 11],
  ['const k = "concat"; [1][k](await Promise.resolve([2]), [3])', [1, 2, 3]],
  ['Math.max(await Promise.resolve(2), 1)', 2],
  // Accessors beside properties that wait or call functions.
  ['const f = (x) => { for (const i of [x]) return i }; ({ n: f(1), get twice() { return this.n * 2 } }).twice', 2],
  ['({ get twice() { return this.n * 2 }, n: await Promise.resolve(1) }).twice', 2],
  ['const k = async () => "twice"; ({ n: 1, get [await k()]() { return this.n * 2 } }).twice', 2],
  ['const o = { n: await Promise.resolve(1), set twice(m) { this.n = m * 2 } }; o.twice = 4; o.n', 8],
  ['({ ...{ get n() { return 3 } }, get twice() { return this.n * 2 }, m: await Promise.resolve(1) }).twice', 6],
  // Functions and closures.
  ['const add = (a) => (b) => a + b; add(2)(3)', 5],
  [
    'function counter() { let n = 0; return { up: () => ++n, get: () => n } } const c = counter(); c.up(); c.up(); c.get()',
    2,
  ],
  ['const fs = []; for (let i = 0; i < 3; i++) fs.push(() => i * 10); fs.map((f) => f())', [0, 10, 20]],
  ['const fs = []; for (const x of [1, 2]) fs.push(() => x); fs.map((f) => f())', [1, 2]],
  ['const fs = []; for (let i = 0; i < 2; i++) { fs.push(() => i); i += 0 } fs[0]()', 0],
  ['((a, b = a + 1, ...c) => [a, b, c])(1, undefined, 3, 4)', [1, 2, [3, 4]]],
  ['(function f(n) { return n < 2 ? 1 : n * f(n - 1) })(6)', 720],
  ['const max = (...xs) => Math.max(...xs, 3); [max(1, 2), max(9)]', [3, 9]],
  ['const x = 5; x()', 'TypeError'],
  ['({}).a.b', 'TypeError'],
  ['const o = { f: (x) => x + 1, n: 1 }; [o.f(1), o["f"](2)]', [2, 3]],
  // Assignments.
  ['let a = 1; a += 2; a *= 3; a -= 1; a /= 2; a **= 2; a %= 7; a', 2],
  ['const o = { n: 1 }; o.n += 4; o.m ??= 5; o.n ||= 9; o.k &&= 1; [o.n, o.m, o.k === undefined]', [5, 5, true]],
  ['const a = [1, 2]; a[0] += 10; a[1]++; [a[0], a[1]--, a[1], ++a[0]]', [11, 3, 2, 12]],
  ['let i = 5; [i++, i, ++i, i--, --i]', [5, 6, 7, 7, 5]],
  ['let n = 0; const f = () => { n += 1; return n }; const o = {}; o[f()] = f(); o', { 1: 2 }],
  ['let [a, b] = [1, 2]; [a, b] = [b, a]; [a, b]', [2, 1]],
  ['const { a, b: { c = 9, ...d }, ...e } = { a: 1, b: { x: 1 }, y: 2 }; [a, c, d, e]', [1, 9, { x: 1 }, { y: 2 }]],
  // Records and lists.
  [
    'const a = { x: 1 }; const b = { ...a, y: 2, ["z" + 1]: 3 }; [Object.keys(b), a.y === undefined]',
    [['x', 'y', 'z1'], true],
  ],
  ['Object.keys({ b: 1, 2: 1, a: 1, 1: 1 })', ['1', '2', 'b', 'a']],
  ['[...[1, 2], ..."ab", ...new Set([3, 3])]', [1, 2, 'a', 'b', 3]],
  ['const a = []; a[2] = 1; a.length = 2; a', [null, null]],
  ['({ a: null })?.a?.b?.c === undefined', true],
  ['const o = { f: null }; [o.f?.(), o?.["g"]?.(1), o.x?.y.z.w === undefined]', [null, null, true]],
  [
    'const o = {}; for (let i = 0; i < 40; i++) o["k" + i] = i; delete o.k5; [Object.keys(o).length, o.k39, o.k5 === undefined]',
    [39, 39, true],
  ],
  // Loops and exits.
  ['let s = ""; for (const k in { a: 1, b: 2 }) s += k; for (const i in ["x", "y"]) s += i; s', 'ab01'],
  ['let n = 0; do { n++; if (n === 3) continue; if (n > 4) break } while (true); n', 5],
  [
    'let n = 0; a: for (let i = 0; i < 3; i++) { for (let j = 0; j < 3; j++) { if (j === 1) continue a; if (i === 2) break a; n += 10 } } n',
    20,
  ],
  [
    'let r = []; for (const x of [1, 2, 3]) { switch (x) { case 1: r.push("a"); case 2: r.push("b"); break; default: r.push("c") } } r',
    ['a', 'b', 'b', 'c'],
  ],
  ['let n = 0; b: { n = 1; break b; n = 2 } n', 1],
  ['let n = 0; const a = [1, 2]; for (const x of a) { n += x; if (n < 10) a.push(3) } n', 15],
  [
    'const s = new Set([1, 2]); const out = []; for (const x of s) { out.push(x); if (x === 1) { s.delete(2); s.add(3) } if (x === 3) s.add(4) } out',
    [1, 3, 4],
  ],
  [
    'const m = new Map([["a", 1]]); const out = []; for (const [k, v] of m) { out.push(k + v); if (v < 3) m.set(k + k, v + 1); await null } out',
    ['a1', 'aa2', 'aaaa3'],
  ],
  // Callbacks that may run long take another way, and must not be told apart.
  [
    'const f = (x) => { let s = 0; for (let i = 0; i <= x; i++) s += i; return s }; [[1, 2, 3].map(f), [1, 2, 3].filter((x, i) => f(x) > i + 2), [1, 2].some((x) => f(x) === 3), [1, 2].every((x) => f(x) === 3), [1, 2].find((x) => f(x) === 3), [1, 2].findIndex((x) => f(x) === 9)]',
    [[1, 3, 6], [3], true, false, 2, -1],
  ],
  [
    'const out = []; const f = (x) => { for (const y of [x]) out.push(y) }; [1, 2].forEach((x, i, a) => { f(x + i); if (i === 0) a.push(9) }); out',
    [1, 3],
  ],
  [
    'const f = (x) => { for (;;) { if (x > 1) throw new TypeError("t"); return x } }; let r; try { [1, 2].map((x) => f(x)) } catch (e) { r = e.message } r',
    't',
  ],
  // Errors.
  [
    'try { throw new RangeError("r") } catch (e) { [e.name, e.message, e instanceof RangeError, e instanceof Error, e instanceof TypeError] }',
    ['RangeError', 'r', true, true, false],
  ],
  ['const f = () => { try { return 1 } finally { } }; f()', 1],
  ['const f = () => { try { return 1 } finally { return 2 } }; f()', 2],
  [
    'const f = () => { for (const x of [1, 2]) { try { continue } finally { if (x === 2) return "out" } } }; f()',
    'out',
  ],
  [
    'let log = []; try { try { throw 1 } catch (e) { log.push(e); throw 2 } finally { log.push("f") } } catch (e) { log.push(e) } log',
    [1, 'f', 2],
  ],
  ['try { null.x } catch { "caught" }', 'caught'],
  ['throw { message: "m" }', 'MIND_FAILED'],
  // Waiting.
  ['await 5', 5],
  ['const f = async () => { throw new TypeError("t") }; try { await f() } catch (e) { return e.message }', 't'],
  ['let t = 1; const f = async () => { t = 10; return 1 }; t += await f(); t', 2],
  ['const f = async (x) => x * 2; const xs = await Promise.all([1, 2].map(f)); xs', [2, 4]],
  ['const x = (await tools.echo(true)) ? await tools.echo("y") : await tools.echo("n"); x', 'y'],
  ['const o = { a: 1 }; o.a = (await tools.echo(2)) + o.a; o.a', 3],
  [
    'const r = []; for (let i = await tools.echo(0); i < (await tools.echo(3)); i += await tools.echo(1)) r.push(i); r',
    [0, 1, 2],
  ],
  [
    'const f = async () => { try { return await tools.fail({}) } catch (e) { return e.code } finally { await null } }; await f()',
    'TOOL_FAILED',
  ],
  [
    '[await tools.echo(1), ...(await tools.echo([2, 3])), { a: await tools.echo(4), ...(await tools.echo({ b: 5 })) }]',
    [1, 2, 3, { a: 4, b: 5 }],
  ],
  [
    'const log = []; const f = async (n) => { log.push(n); await null; log.push(n + 10) }; const p = f(1); log.push(2); await p; log',
    [1, 2, 11],
  ],
  [
    'const log = []; Promise.resolve().then(() => log.push("then")); (async () => { await null; log.push("async") })(); log.push("sync"); await Promise.resolve(); await null; log',
    ['sync', 'then', 'async'],
  ],
  ['await Promise.any([Promise.reject(1), Promise.resolve(2)])', 2],
  ['try { await Promise.any([Promise.reject(1)]) } catch (e) { return [e.name, e.errors] }', ['AggregateError', [1]]],
  ['await Promise.resolve(1).then((x) => { throw x + 1 }).catch((x) => x * 10).finally(() => 99)', 20],
]

for (const [source, expected] of cases) {
  test(`${source.slice(0, 90)} means what it means in JavaScript`, async () => {
    expect(await outcome(source)).toEqual(expected)
  })
}
