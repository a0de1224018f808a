import { manualClock } from '../../core/index.ts'
import type { Json } from '../../core/index.ts'
import type { MemoryClient, RecordOptions } from '../../memory/index.ts'
import { refusal } from '../journal-cases/case.ts'
import { AWKWARD } from './case.ts'
import type { StoreCase } from './case.ts'

type Case = StoreCase<MemoryClient, RecordOptions>

/** Streams of entries, oldest first. */
export const memoryCases: readonly Case[] = [
  {
    name: 'a stream is read oldest first; a limit gives the newest; an unknown stream is empty',
    async check(store, expect) {
      let memory = await store.open({})
      for (const n of [1, 2, 3]) await memory.append('s', n)
      await memory.append('other', 'x')
      if (store.isShared) {
        await memory.close?.()
        memory = await store.open({})
      }
      await memory.append('s', 4)
      expect(await memory.read('s')).toEqual([1, 2, 3, 4])
      expect(await memory.read('s', { limit: 2 })).toEqual([3, 4])
      expect(await memory.read('s', { limit: 0 })).toEqual([])
      expect(await memory.read('nowhere')).toEqual([])
      expect(await memory.streams?.()).toEqual([
        { collection: 'other', count: 1, bytes: 3 },
        { collection: 's', count: 4, bytes: 4 },
      ])
    },
  },
  {
    name: 'equal entries are entries of their own; any text is kept in any stream',
    async check(store, expect) {
      const memory = await store.open({})
      for (const name of AWKWARD) await memory.append(name, name)
      for (const name of AWKWARD) await memory.append(name, name)
      for (const name of AWKWARD) expect(await memory.read(name)).toEqual([name, name])
    },
  },
  {
    name: 'what goes in and what comes out are copies; what is no JSON is refused',
    async check(store, expect) {
      const memory = await store.open({})
      const given = { list: [1] }
      await memory.append('s', given)
      given.list.push(2)
      const [got] = (await memory.read('s')) as { list: number[] }[]
      got!.list.push(3)
      expect(await memory.read('s')).toEqual([{ list: [1] }])
      expect(await refusal(memory.append('s', undefined as unknown as Json))).toBe('JSON_INVALID')
    },
  },
  {
    name: 'appends that are asked for one after the other keep their order, also without waiting',
    async check(store, expect) {
      const memory = await store.open({})
      const numbers = Array.from({ length: 300 }, (_, index) => index)
      await Promise.all(numbers.map((number) => memory.append('s', number)))
      expect(await memory.read('s')).toEqual(numbers)
    },
  },
  {
    name: 'when there is too much the oldest go, whatever stream they are in',
    async check(store, expect) {
      const memory = await store.open({ maxCount: 3 })
      for (const [stream, entry] of [
        ['a', 1],
        ['b', 2],
        ['a', 3],
        ['b', 4],
      ] as const)
        await memory.append(stream, entry)
      expect([await memory.read('a'), await memory.read('b')]).toEqual([[3], [2, 4]])
      expect(await memory.trim?.({ maxCount: 1 })).toEqual({ count: 2, bytes: 2 })
      expect([await memory.read('a'), await memory.read('b')]).toEqual([[], [4]])
    },
  },
  {
    name: 'an entry with an end is gone at its end',
    async check(store, expect) {
      const clock = manualClock(5_000)
      const memory = await store.open({ clock })
      await memory.append('s', 'milk', { ttlMs: 10 })
      await memory.append('s', 'more milk')
      expect(await memory.read('s', { limit: 2 })).toEqual(['milk', 'more milk'])
      clock.advance(10)
      expect(await memory.read('s', { limit: 2 })).toEqual(['more milk'])
      expect(await memory.search?.('milk')).toEqual(['more milk'])
      expect(await memory.trim?.()).toEqual({ count: 1, bytes: 6 })
    },
  },
  {
    name: 'search finds words and likeness, in all streams or in one',
    async check(store, expect) {
      const memory = await store.open({})
      await memory.append('a', 'the red fox', { vector: [1, 0] })
      await memory.append('b', 'a red house', { vector: [0, 1] })
      await memory.append('a', { note: 'something else entirely' }, { vector: [0.1, 1] })
      expect(await memory.search?.('red fox')).toEqual(['the red fox', 'a red house'])
      expect(await memory.search?.('red', { streamKey: 'b' })).toEqual(['a red house'])
      expect((await memory.search?.('red', { limit: 1 }))?.length).toBe(1)
      expect(await memory.search?.('blue')).toEqual([])
      expect(await memory.search?.('', { vector: [0, 1], limit: 2 })).toEqual([
        'a red house',
        { note: 'something else entirely' },
      ])
      expect(await memory.search?.('', { vector: [0, 1], streamKey: 'a', limit: 1 })).toEqual([
        { note: 'something else entirely' },
      ])
    },
  },
  {
    name: 'clearing one stream leaves the others, and gives its room back',
    async check(store, expect) {
      const memory = await store.open({ maxCount: 2 })
      await memory.append('a', 1)
      await memory.append('b', 2)
      await memory.clear?.('a')
      await memory.append('b', 3)
      expect([await memory.read('a'), await memory.read('b')]).toEqual([[], [2, 3]])
    },
  },
  {
    name: 'namespaces see nothing of each other; a database in the same store neither',
    async check(store, expect) {
      if (!store.isShared) return
      const one = await store.open({ namespace: 'one' })
      const two = await store.open({ namespace: 'two' })
      await one.append('s', 'apple')
      expect(await two.read('s')).toEqual([])
      expect(await two.search?.('apple')).toEqual([])
      await two.clear?.('s')
      expect(await one.read('s')).toEqual(['apple'])
    },
  },
]
