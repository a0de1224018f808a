import { manualClock, parseJson } from '../../core/index.ts'
import type { Json } from '../../core/index.ts'
import type { DatabaseClient, DatabaseQuery, RecordOptions } from '../../memory/index.ts'
import { refusal } from '../journal-cases/case.ts'
import { AWKWARD } from './case.ts'
import type { StartedStore, StoreCase } from './case.ts'

type Case = StoreCase<DatabaseClient, RecordOptions>
type Store = StartedStore<DatabaseClient, RecordOptions>

const PEOPLE: readonly (readonly [key: string, value: Json])[] = [
  ['ada', { name: 'Ada', age: 36, tags: ['maths', 'code'], home: { city: 'London' }, note: null }],
  ['bob', { name: 'Bob', age: 41, tags: [], on: true }],
  ['eve', { name: 'Eve', age: 29, tags: ['code'], home: null }],
]

async function people(store: Store): Promise<DatabaseClient> {
  const database = await store.open({})
  for (const [key, value] of PEOPLE) await database.write('people', key, value)
  return database
}

const QUERIES: readonly (readonly [query: DatabaseQuery, keys: readonly string[]])[] = [
  [{}, ['ada', 'bob', 'eve']],
  [{ name: 'Ada' }, ['ada']],
  [{ name: 'ada' }, []],
  [{ 'home.city': 'London' }, ['ada']],
  [{ home: { city: 'London' } }, ['ada']],
  [{ home: null }, ['eve']],
  [{ on: true }, ['bob']],
  [{ on: { $ne: true } }, ['ada', 'eve']],
  [{ tags: ['maths', 'code'] }, ['ada']],
  [{ 'tags.0': 'code' }, ['eve']],
  [{ age: { $gt: 29, $lte: 41 } }, ['ada', 'bob']],
  [{ age: { $lt: 36 } }, ['eve']],
  [{ age: { $gte: '1' } }, []],
  [{ name: { $gt: 'Ada' } }, ['bob', 'eve']],
  [{ name: { $in: ['Bob', 'Eve'] }, age: { $ne: 41 } }, ['eve']],
  [{ tags: { $contains: 'code' } }, ['ada', 'eve']],
  [{ name: { $contains: 'd' } }, ['ada']],
  [{ home: { $exists: true } }, ['ada', 'eve']],
  [{ note: { $exists: false } }, ['bob', 'eve']],
  [{ toString: { $exists: true } }, []],
  [{ "na'me": 1, 'x".y': 2 }, []],
]

const contentCases: readonly Case[] = [
  {
    name: 'any value under any name is read back unchanged, and an absent one is null',
    async check(store, expect) {
      let database = await store.open({})
      const values = [0, -0, 1e21, 5e-324, true, null, [], {}, [[[]]], 'text', ...AWKWARD].map((value) => [value])
      const odd = parseJson('{"__proto__":{"polluted":true},"":1}', 'sample')
      await database.write('values', 'all', { values, odd })
      for (const name of NAMES) await database.write(name, name, { name })
      await database.close?.()
      if (store.isShared) database = await store.open({})
      expect(await database.read('values', 'all')).toEqual({ values: plain(values), odd })
      for (const name of NAMES) expect(await database.read(name, name)).toEqual({ name })
      for (const name of NAMES) expect((await database.query(name, {})).map(({ key }) => key)).toEqual([name])
      expect(await database.read('values', 'nothing')).toBe(null)
      expect(await database.read('nowhere', 'all')).toBe(null)
      expect(({} as { polluted?: boolean }).polluted).toBe(undefined)
    },
  },
  {
    name: 'what goes in and what comes out are copies; what is no JSON is refused',
    async check(store, expect) {
      const database = await store.open({})
      const given = { list: [1] }
      await database.write('c', 'k', given)
      given.list.push(2)
      const got = (await database.read('c', 'k')) as { list: number[] }
      got.list.push(3)
      expect(await database.read('c', 'k')).toEqual({ list: [1] })
      expect(await refusal(database.write('c', 'k', { f: () => 1 } as unknown as Json))).toBe('JSON_INVALID')
      expect(await refusal(database.write('c', 'k', Number.NaN))).toBe('JSON_INVALID')
      expect(await refusal(database.write('c', 7 as unknown as string, 1))).toBe('INPUT_INVALID')
      expect(await database.read('c', 'k')).toEqual({ list: [1] })
    },
  },
  {
    name: 'a value that is written again replaces the first; deleting says whether there was one',
    async check(store, expect) {
      const database = await people(store)
      await database.write('people', 'ada', { name: 'Ada L.' })
      expect(await database.read('people', 'ada')).toEqual({ name: 'Ada L.' })
      expect((await database.query('people', {})).length).toBe(3)
      expect(await database.delete?.('people', 'ada')).toBe(true)
      expect(await database.delete?.('people', 'ada')).toBe(false)
      expect(await database.read('people', 'ada')).toBe(null)
      expect(await database.clear?.('people')).toBe(2)
      expect(await database.clear?.('people')).toBe(0)
      expect(await database.query('people', {})).toEqual([])
    },
  },
  {
    name: 'of many who change a value at once, each expecting the same, exactly one does',
    async check(store, expect) {
      const clock = manualClock(1_000)
      const one = await store.open({ clock })
      const two = store.isShared ? await store.open({ clock }) : one
      await one.write('c', 'k', { n: 0, m: 1 })
      const attempts = Array.from({ length: 20 }, (_, index) =>
        (index % 2 ? one : two).writeIf!('c', 'k', { winner: index }, { expected: { m: 1, n: 0 } }),
      )
      expect((await Promise.all(attempts)).filter(Boolean).length).toBe(1)
      const firsts = Array.from({ length: 20 }, (_, index) =>
        (index % 2 ? one : two).writeIf!('c', 'new', index, { expected: null }),
      )
      expect((await Promise.all(firsts)).filter(Boolean).length).toBe(1)
      expect(await one.writeIf!('c', 'k', 1, { expected: 'something else' })).toBe(false)
      await one.write('c', 'short', 1, { ttlMs: 10 })
      expect(await one.writeIf!('c', 'short', 2, { expected: null })).toBe(false)
      clock.advance(10)
      expect(await one.writeIf!('c', 'short', 2, { expected: 1 })).toBe(false)
      expect(await one.writeIf!('c', 'short', 2, { expected: null })).toBe(true)
      expect(await one.read('c', 'short')).toBe(2)
    },
  },
  {
    name: 'many are written together or not at all',
    async check(store, expect) {
      const database = await store.open({})
      const entries = Array.from({ length: 500 }, (_, index) => ({ key: `k${index}`, value: { index } }))
      await database.writeMany?.('many', entries)
      expect((await database.query('many', { index: { $lt: 300 } })).length).toBe(300)
      const bad = [
        { key: 'good', value: 1 },
        { key: 'bad', value: undefined as unknown as Json },
      ]
      expect(await refusal(database.writeMany!('many', bad))).toBe('JSON_INVALID')
      expect(await database.read('many', 'good')).toBe(null)
    },
  },
  {
    name: 'a value of five megabytes is one value, and writes at once all arrive',
    async check(store, expect) {
      const database = await store.open({})
      const big = 'ä'.repeat(2_500_000)
      await database.write('c', 'big', { big })
      expect(((await database.read('c', 'big')) as { big: string }).big === big).toBe(true)
      await Promise.all(Array.from({ length: 200 }, (_, index) => database.write('c', `k${index}`, index)))
      expect((await database.query('c', {})).length).toBe(201)
    },
  },
]

/** Negative zero becomes zero in JSON. */
function plain(values: readonly Json[]): Json {
  return JSON.parse(JSON.stringify(values)) as Json
}

const queryCases: readonly Case[] = [
  {
    name: 'a query compares fields by equality, order and content, also deep ones',
    async check(store, expect) {
      const database = await people(store)
      for (const [query, keys] of QUERIES)
        expect([query, (await database.query('people', query)).map(({ key }) => key)]).toEqual([query, keys])
      expect(await refusal(database.query('people', { age: { $regex: '.*' } }))).toBe('INPUT_INVALID')
    },
  },
  {
    name: 'order, offset and limit page through a collection',
    async check(store, expect) {
      const database = await people(store)
      const keys = async (options: Parameters<DatabaseClient['query']>[2]): Promise<string[]> =>
        (await database.query('people', {}, options)).map((one) => one.key)
      expect(await keys({ orderBy: 'age' })).toEqual(['eve', 'ada', 'bob'])
      expect(await keys({ orderBy: 'age', descending: true, limit: 2 })).toEqual(['bob', 'ada'])
      expect(await keys({ orderBy: 'home.city' })).toEqual(['bob', 'eve', 'ada'])
      expect(await keys({ offset: 1, limit: 1 })).toEqual(['bob'])
      expect(await keys({ offset: 9 })).toEqual([])
      expect(await keys({ limit: 0 })).toEqual([])
    },
  },
  {
    name: 'namespaces see nothing of each other',
    async check(store, expect) {
      if (!store.isShared) return
      const one = await store.open({ namespace: 'one' })
      const two = await store.open({ namespace: 'two' })
      await one.write('c', 'k', 'of one')
      expect(await two.read('c', 'k')).toBe(null)
      await two.write('c', 'k', 'of two')
      await two.clear?.('c')
      expect(await one.read('c', 'k')).toBe('of one')
      expect((await two.search?.('one'))?.length).toBe(0)
      expect((await one.search?.('one'))?.length).toBe(1)
      expect(await two.collections?.()).toEqual([])
    },
  },
]

/** A name may be any text but none: what is kept under none would not be found on purpose. */
const NAMES = AWKWARD.filter((name) => name !== '')

export const databaseCases: readonly Case[] = [...contentCases, ...queryCases]
