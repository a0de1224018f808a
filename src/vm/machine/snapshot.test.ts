import { expect, test } from 'vitest'
import { createMachine } from './machine.ts'
import type { Machine } from './machine.ts'
import { compileScript } from './script.fixture.ts'
import { restoreMachine, takeSnapshot } from './snapshot.ts'
import type { VmResult } from './result.ts'

/** Answers the first request with its input. */
async function answerNext(machine: Machine): Promise<void> {
  await machine.idle()
  const [request] = machine.pending
  if (machine.result !== undefined) return
  machine.resolve(request!.id, { status: 'ok', value: request!.input })
}

async function straight(source: string): Promise<VmResult> {
  const machine = createMachine(compileScript(source))
  machine.start()
  while (machine.result === undefined) await answerNext(machine)
  return machine.result
}

/** Takes a snapshot at every wait and goes on in another machine, compiled anew. */
async function hopping(source: string): Promise<{ result: VmResult; hops: number }> {
  let machine = createMachine(compileScript(source))
  machine.start()
  let hops = 0
  await machine.idle()
  while (machine.result === undefined) {
    const text = takeSnapshot(machine)!
    machine = restoreMachine(compileScript(source), text)!
    machine.start()
    hops += 1
    await answerNext(machine)
    await machine.idle()
  }
  return { result: machine.result, hops }
}

const programs: readonly (readonly [what: string, source: string])[] = [
  ['a loop', 'let t = 0; for (let i = 0; i < 5; i++) { t += await tools.echo(i) } t'],
  [
    'closures over fresh variables',
    'const fs = []; for (let i = 0; i < 3; i++) { await tools.echo(i); fs.push(() => i++) } fs.map((f) => f() + f())',
  ],
  [
    'parallel calls',
    'const f = async (x) => (await tools.echo(x)) + (await tools.echo(x)); await Promise.all([f(1), f(2), f(3)])',
  ],
  [
    'calls of calls',
    'async function a(n) { return n === 0 ? 0 : 1 + (await a(n - 1)) + (await tools.echo(0)) } await a(4)',
  ],
  [
    'a regular expression',
    'const r = /a+/g; let n = 0; for (const x of ["aab", "ca"]) n += (await tools.echo(x)).replace(r, "").length; n',
  ],
  [
    'a handler',
    'let log = []; for (const x of [1, 2]) { try { log.push(await tools.echo(x)); throw new TypeError("t" + x) } catch (e) { log.push(e.name, await tools.echo(e.message)) } finally { log.push(await tools.echo("f")) } } log',
  ],
  [
    'a return through finally',
    'async function f() { try { return await tools.echo(1) } finally { await tools.echo(2) } } await f()',
  ],
  [
    'a labelled loop',
    'let n = 0; outer: for (const a of [1, 2, 3]) { for (const b of [1, 2, 3]) { n += await tools.echo(b); if (b === 2) continue outer; if (a === 3) break outer } } n',
  ],
  [
    'a switch',
    'let s = ""; for (const k of ["a", "b", "c"]) { switch (k) { case "a": s += await tools.echo("A"); case "b": s += await tools.echo("B"); break; default: s += await tools.echo("D") } } s',
  ],
  [
    'collections and dates',
    'const m = new Map([["k", { v: 1 }]]); const d = new Date(5); const set = new Set([1]); await tools.echo(1); m.get("k").v += 1; set.add(2); [[...m], d.getTime(), [...set]]',
  ],
  [
    'odd numbers and holes in records',
    'const x = [NaN, -0, Infinity, undefined, null]; const o = { a: undefined }; await tools.echo(0); [Number.isNaN(x[0]), Object.is(x[1], -0), x[2] === Infinity, x[3] === undefined, "a" in o]',
  ],
  [
    'lists with gaps',
    'const a = [1, , 3]; const b = Array(3); delete a[0]; await tools.echo(0); b[1] = 1; a.shift(); [a.length, 0 in a, 1 in a, Object.keys(a), Object.keys(b), b.map(() => 5).length, Object.keys([, ...a])]',
  ],
  [
    'a loop over keys that go',
    'const o = { a: 1, b: 2, c: 3 }; const l = [1, 2, 3]; const out = []; const drop = () => { delete o.b; l.length = 1 }; for (const k in o) { out.push(await tools.echo(k)); drop() } for (const k in l) out.push(await tools.echo(k)); out',
  ],
  [
    'iterators',
    'const m = new Map([["a", 1], ["b", 2], ["c", 3]]); const l = [1, 2]; const it = l.values(); it.next(); const out = []; for (const k of m.keys()) { out.push(await tools.echo(k)); m.delete("b"); m.set("d", 4) } for (const [i, x] of l.entries()) { out.push(await tools.echo(i + x)); if (i < 2) l.push(x) } for (const v of m.values()) out.push(await tools.echo(v)); [out, it.next()]',
  ],
  [
    'reactions',
    'const log = []; const p = tools.echo(1).then((x) => { log.push(x); return tools.echo(2) }).finally(() => log.push("f")); log.push(await p); log',
  ],
  ['races', 'await Promise.race([tools.echo("first"), tools.echo("second")])'],
  [
    'resolvers',
    'let done; const p = new Promise((resolve) => { done = resolve }); tools.echo(7).then((x) => done(x)); await p',
  ],
  [
    'large records',
    'const o = {}; for (let i = 0; i < 60; i++) o["k" + i] = i; await tools.echo(1); delete o.k3; await tools.echo(2); [Object.keys(o).length, o.k59]',
  ],
  [
    'a loop over a set that grows',
    'const s = new Set([1]); const out = []; for (const x of s) { out.push(await tools.echo(x)); if (x < 4) s.add(x + 1) } out',
  ],
  ['shared references', 'const a = { n: 1 }; const b = [a, a]; await tools.echo(1); b[0].n = 2; [a.n, b[0] === b[1]]'],
]

for (const [what, source] of programs) {
  test(`a program with ${what} goes on in another machine as if it had never stopped`, async () => {
    const expected = await straight(source)
    const { result, hops } = await hopping(source)
    expect(expected.error).toBeUndefined()
    expect(result.result).toEqual(expected.result)
    expect(result.fuelUsed).toBe(expected.fuelUsed)
    expect(hops).toBeGreaterThan(0)
  })
}

test('a snapshot of another program is not read', async () => {
  const machine = createMachine(compileScript('await tools.echo(1)'))
  machine.start()
  await machine.idle()
  expect(restoreMachine(compileScript('await tools.echo(2)'), takeSnapshot(machine)!)).toBeUndefined()
})

test('a program that has ended has no snapshot', async () => {
  const machine = createMachine(compileScript('1'))
  expect((await machine.run()).result).toBe(1)
  expect(takeSnapshot(machine)).toBeUndefined()
})
