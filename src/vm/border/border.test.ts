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

function nested(depth: number): unknown {
  let value: unknown = 1
  for (let i = 0; i < depth; i++) value = [value]
  return value
}

const counted = { reads: 0 }
const withGetter = Object.defineProperty({}, 'secret', { enumerable: true, get: () => ++counted.reads })

test.each<[string, unknown, string]>([
  ['is nested too deep', nested(300), 'nested deeper'],
  ['has a getter', withGetter, 'is a getter'],
  ['has a key of any length', { ['k'.repeat(20_000)]: 1 }, 'a key has more than'],
  ['has a long key among few', { a: 1, ['k'.repeat(20_000)]: { b: 2 } }, 'a key has more than'],
  [
    'has a long key among many',
    Object.fromEntries([...Array.from({ length: 2_000 }, (_, i) => [`n${i}`, i]), ['k'.repeat(20_000), 1]]),
    'a key has',
  ],
])('an outcome that %s does not enter', async (_, value, message) => {
  counted.reads = 0
  const { result } = await runScript('try { return await tools.echo(1) } catch (e) { return e.message }', {
    port: { perform: () => ({ status: 'ok', value }) },
  })
  expect(result).toContain(message)
  expect(counted.reads).toBe(0)
})

test('an outcome that is a longer list than lists may be ends the program', async () => {
  const { error } = await runScript('await tools.echo(1)', {
    limits: { arrayLength: 10 },
    port: { perform: () => ({ status: 'ok', value: Array(11).fill(0) }) },
  })
  expect(error?.info).toMatchObject({ limit: 'arrayLength' })
})

test.each<[string, unknown]>([
  [
    'records',
    Array.from({ length: 50 }, () => Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`n${i}`, i]))),
  ],
  ['lists', Array.from({ length: 200 }, () => Array.from({ length: 100 }, (_, i) => i))],
  ['short texts', Array.from({ length: 5_000 }, (_, i) => `text number ${i}`)],
])('an outcome of many %s takes memory as they enter, before the program does anything with them', async (_, value) => {
  const memoryBytes = 90_000
  const once = { perform: () => ({ status: 'ok' as const, value: value as never }) }
  const { error } = await runScript('await tools.echo(1); return 1', { limits: { memoryBytes }, port: once })
  expect(error?.info).toMatchObject({ limit: 'memoryBytes' })
})

test('a key called `__proto__` leaves as data, and changes no prototype', async () => {
  const { result } = await runScript('JSON.parse(\'{"__proto__":{"polluted":1},"a":2}\')')
  expect(Object.getPrototypeOf(result)).toBe(Object.prototype)
  expect(JSON.stringify(result)).toBe('{"__proto__":{"polluted":1},"a":2}')
})
