import { expect, test } from 'vitest'
import { runScript } from '../machine/script.fixture.ts'

test('what leaves is plain data: odd numbers and nothing become null, dates their text, missing members are left out', async () => {
  const { result } = await runScript(
    '({ a: [NaN, Infinity, undefined, -0], d: new Date(0), u: undefined, n: null, s: "x" })',
  )
  expect(result).toEqual({ a: [null, null, null, -0], d: '1970-01-01T00:00:00.000Z', n: null, s: 'x' })
})

test('what leaves has no gaps and what enters gets none: null is there, and undefined', async () => {
  const { result } = await runScript('({ a: [1, , 3], n: Array(2) })')
  expect(result).toEqual({ a: [1, null, 3], n: [null, null] })
  // oxlint-disable-next-line no-sparse-arrays -- what a host may give
  const port = { perform: () => ({ status: 'ok' as const, value: [1, , 3] as never }) }
  const inside = await runScript('const l = await tools.echo(0); return [1 in l, l[1] === undefined, l.length]', {
    port,
  })
  expect(inside.result).toEqual([true, true, 3])
})

const refused: readonly (readonly [source: string, message: string])[] = [
  ['({ f: () => 1 })', 'A function cannot leave the program (at `/f`)'],
  ['[new Map()]', 'Object.fromEntries'],
  ['new Set()', '[...set]'],
  ['[[Promise.resolve(1)]]', 'Await it first'],
  ['const a = {}; a.self = a; a', 'holds itself'],
  ['let a = []; for (let i = 0; i < 300; i++) a = [a]; a', 'nested deeper'],
]

for (const [source, message] of refused) {
  test(`${source} does not leave the program`, async () => {
    const { result, error } = await runScript(source)
    expect(result).toBeUndefined()
    expect(error?.message).toContain(message)
  })
}

test('a request that holds what cannot leave is refused where it is made', async () => {
  const { result, stats } = await runScript('try { await tools.echo({ f: () => 1 }) } catch (e) { return e.name }')
  expect(result).toBe('TypeError')
  expect(stats.requests).toBe(0)
})

test('an outcome that is no plain data is an error inside, never a host object', async () => {
  for (const value of [() => 1, new Map(), { then: () => 1 }, new Date(0), new Error('host')]) {
    const { result } = await runScript('try { return await tools.echo(1) } catch (e) { return e.message }', {
      port: { perform: () => ({ status: 'ok', value }) },
    })
    expect(result).toContain('cannot enter the program')
  }
})
