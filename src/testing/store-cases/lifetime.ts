import { manualClock } from '../../core/index.ts'
import type { DatabaseClient, RecordOptions } from '../../memory/index.ts'
import { refusal } from '../journal-cases/case.ts'
import type { StoreCase } from './case.ts'

type Case = StoreCase<DatabaseClient, RecordOptions>

/** How long values are kept, and how many. */
export const lifetimeCases: readonly Case[] = [
  {
    name: 'a value with an end is gone at its end, from everywhere',
    async check(store, expect) {
      const clock = manualClock(1_000_000)
      const database = await store.open({ clock })
      await database.write('c', 'short', { text: 'milk' }, { ttlMs: 1_000, vector: [1, 0] })
      await database.write('c', 'long', { text: 'milk' }, { ttlMs: 5_000, vector: [1, 0] })
      await database.write('c', 'ever', { text: 'milk' })
      clock.advance(999)
      expect((await database.query('c', {})).length).toBe(3)
      clock.advance(1)
      expect(await database.read('c', 'short')).toBe(null)
      expect((await database.query('c', {})).map(({ key }) => key)).toEqual(['ever', 'long'])
      expect((await database.search?.('milk'))?.map(({ key }) => key).toSorted()).toEqual(['ever', 'long'])
      expect((await database.search?.('', { vector: [1, 0] }))?.map(({ key }) => key)).toEqual(['long'])
      expect(await database.delete?.('c', 'short')).toBe(false)
      await database.write('c', 'long', { text: 'milk' })
      clock.advance(100_000)
      expect((await database.query('c', {})).map(({ key }) => key)).toEqual(['ever', 'long'])
      expect(await refusal(database.write('c', 'k', 1, { ttlMs: 0 }))).toBe('INPUT_INVALID')
    },
  },
  {
    name: 'trimming takes what expired, what is too old, and the oldest of what is too much',
    async check(store, expect) {
      const clock = manualClock(1_000_000)
      const database = await store.open({ clock })
      const keys = async (): Promise<string> => (await database.query('c', {})).map(({ key }) => key).join('')
      for (const key of ['a', 'b', 'c', 'd', 'e']) {
        await database.write('c', key, 'x'.repeat(98), key === 'c' ? { ttlMs: 1 } : {})
        clock.advance(10)
      }
      await database.write('other', 'o', 'x'.repeat(98))
      expect(await database.collections?.()).toEqual([
        { collection: 'c', count: 5, bytes: 500 },
        { collection: 'other', count: 1, bytes: 100 },
      ])
      expect(await database.trim?.()).toEqual({ count: 1, bytes: 100 })
      expect(await database.trim?.({ olderThanMs: 45 })).toEqual({ count: 1, bytes: 100 })
      expect(await keys()).toBe('bde')
      await database.write('c', 'b', 'x'.repeat(98))
      expect(await database.trim?.({ collection: 'c', maxCount: 2 })).toEqual({ count: 1, bytes: 100 })
      expect(await keys()).toBe('be')
      expect(await database.trim?.({ collection: 'c', maxBytes: 199 })).toEqual({ count: 1, bytes: 100 })
      expect(await keys()).toBe('b')
      expect(await database.trim?.({ maxCount: 1 })).toEqual({ count: 1, bytes: 100 })
      expect(await keys()).toBe('b')
      expect(await database.trim?.({ maxCount: 0 })).toEqual({ count: 1, bytes: 100 })
      expect(await database.collections?.()).toEqual([])
    },
  },
  {
    name: 'the limits of a store hold after every write, and what never fits is refused',
    async check(store, expect) {
      const database = await store.open({ maxCount: 3, maxBytes: 1_000 })
      for (const key of ['a', 'b', 'c', 'd']) await database.write('c', key, key)
      expect((await database.query('c', {})).map(({ key }) => key)).toEqual(['b', 'c', 'd'])
      await database.write('c', 'e', 'x'.repeat(994))
      expect((await database.query('c', {})).map(({ key }) => key)).toEqual(['d', 'e'])
      expect(await refusal(database.write('c', 'f', 'x'.repeat(999)))).toBe('LIMIT_EXCEEDED')
      expect((await database.query('c', {})).map(({ key }) => key)).toEqual(['d', 'e'])
    },
  },
  {
    name: 'after closing, a store that outlives it refuses; closing twice is closing once',
    async check(store, expect) {
      const database = await store.open({})
      await database.write('c', 'k', 1)
      const writing = database.write('c', 'late', 2)
      await database.close?.()
      await writing
      expect(await refusal(database.close!())).toBe('accepted')
      if (!store.isShared) return
      expect(await refusal(database.read('c', 'k'))).toBe('CLOSED')
      expect(await refusal(database.write('c', 'k', 2))).toBe('CLOSED')
      const again = await store.open({})
      expect(await again.read('c', 'k')).toBe(1)
      expect(await again.read('c', 'late')).toBe(2)
    },
  },
  {
    name: 'two who have it open see what the other wrote, deleted and found',
    async check(store, expect) {
      if (!store.isShared) return
      const one = await store.open({})
      const two = await store.open({})
      await one.write('c', 'k', { text: 'walrus' }, { vector: [0, 1] })
      expect(await two.read('c', 'k')).toEqual({ text: 'walrus' })
      expect((await two.search?.('walrus'))?.length).toBe(1)
      expect((await two.search?.('', { vector: [0, 1] }))?.length).toBe(1)
      await one.write('c', 'l', { text: 'seal' }, { vector: [0, 2] })
      expect((await two.search?.('', { vector: [0, 1] }))?.length).toBe(2)
      await one.delete?.('c', 'k')
      expect((await two.search?.('', { vector: [0, 1] }))?.map(({ key }) => key)).toEqual(['l'])
      await Promise.all(
        [one, two].flatMap((database, which) =>
          Array.from({ length: 50 }, (_, index) => database.write('both', `${which}/${index}`, index)),
        ),
      )
      expect((await one.query('both', {})).length).toBe(100)
    },
  },
]
