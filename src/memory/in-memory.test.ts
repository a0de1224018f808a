import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Json } from '../core/index.ts'
import { hydrate } from './hydrate.ts'
import { inMemoryDatabase } from './in-memory-database.ts'
import { inMemory } from './in-memory.ts'

test('a stream is read oldest first; a limit gives the newest; an unknown stream is empty', async () => {
  const memory = inMemory()
  for (const n of [1, 2, 3]) await memory.append('s', n)
  await memory.append('other', 'x')
  expect(await memory.read('s')).toEqual([1, 2, 3])
  expect(await memory.read('s', { limit: 2 })).toEqual([2, 3])
  expect(await memory.read('s', { limit: 0 })).toEqual([])
  expect(await memory.read('nowhere')).toEqual([])
})

test('stored values cannot be mutated through values that were given or returned', async () => {
  const memory = inMemory()
  const given = { list: [1] }
  await memory.append('s', given)
  given.list.push(2)
  const got = (await memory.read('s')) as { list: number[] }[]
  got[0]!.list.push(3)
  expect(await memory.read('s')).toEqual([{ list: [1] }])
})

test('the limits always hold and the oldest entries go first', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.string({ maxLength: 40 })), { maxLength: 60 }),
      fc.integer({ min: 1, max: 10 }),
      fc.integer({ min: 100, max: 200 }),
      async (entries, maxEntries, maxBytes) => {
        const memory = inMemory({ maxEntries, maxBytes })
        for (const [stream, text] of entries) await memory.append(stream, text)
        const kept = entries.slice()
        const size = (): number => kept.reduce((sum, [, text]) => sum + JSON.stringify(text).length, 0)
        while (kept.length > maxEntries || size() > maxBytes) kept.shift()
        for (const stream of ['a', 'b', 'c']) {
          expect(await memory.read(stream)).toEqual(kept.filter(([key]) => key === stream).map(([, text]) => text))
        }
      },
    ),
  )
})

test('an entry that can never fit is refused and loses nothing', async () => {
  const memory = inMemory({ maxBytes: 20 })
  await memory.append('s', 'small')
  await expect(memory.append('s', 'x'.repeat(100))).rejects.toMatchObject({ code: 'LIMIT_EXCEEDED' })
  expect(await memory.read('s')).toEqual(['small'])
})

test('what is not JSON is refused with the place', async () => {
  const memory = inMemory()
  const cyclic: Record<string, unknown> = {}
  cyclic['self'] = cyclic
  for (const bad of [cyclic, { f: () => 1 }, undefined, { n: Number.NaN }]) {
    await expect(memory.append('s', bad as Json)).rejects.toMatchObject({ code: 'JSON_INVALID' })
  }
  await expect(memory.append('s', { a: { f: () => 1 } } as unknown as Json)).rejects.toThrow('$.a.f')
})

test('search ranks by words found, newest first among equals, in all streams or in one', async () => {
  const memory = inMemory()
  await memory.append('a', 'the red fox')
  await memory.append('b', 'a red house')
  await memory.append('a', { note: 'The RED fox' })
  expect(await memory.search('red fox')).toEqual([{ note: 'The RED fox' }, 'the red fox', 'a red house'])
  expect(await memory.search('red', { streamKey: 'b' })).toEqual(['a red house'])
  expect(await memory.search('red', { limit: 1 })).toHaveLength(1)
  expect(await memory.search('blue')).toEqual([])
  expect(await memory.search('')).toEqual([])
})

test('clearing one stream leaves the others and gives its room back', async () => {
  const memory = inMemory({ maxEntries: 2 })
  await memory.append('a', 1)
  await memory.append('b', 2)
  await memory.clear('a')
  await memory.append('b', 3)
  expect(await memory.read('a')).toEqual([])
  expect(await memory.read('b')).toEqual([2, 3])
})

test('limits that are no limits are refused', () => {
  for (const bad of [0, -1, Number.NaN, '9' as unknown as number])
    expect(() => inMemory({ maxEntries: bad })).toThrow(/`maxEntries`/)
})

test('stored records fill short-term memory in the requested order', async () => {
  const database = inMemoryDatabase()
  await database.write('notes', 'b', { at: 1, text: 'first' })
  await database.write('notes', 'a', { at: 2, text: 'second' })
  await database.write('notes', 'c', { at: 3, text: 'other', hidden: true })
  const memory = inMemory()
  const count = await hydrate(memory, database, {
    collection: 'notes',
    query: { hidden: { $exists: false } },
    orderBy: 'at',
    streamKey: 'context',
  })
  expect(count).toBe(2)
  expect(await memory.read('context')).toEqual([
    { at: 1, text: 'first' },
    { at: 2, text: 'second' },
  ])
})
