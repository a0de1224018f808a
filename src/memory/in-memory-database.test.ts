import { expect, test } from 'vitest'
import type { DatabaseQuery } from './clients.ts'
import { inMemoryDatabase } from './in-memory-database.ts'

async function people(): Promise<ReturnType<typeof inMemoryDatabase>> {
  const database = inMemoryDatabase()
  await database.write('people', 'ada', { name: 'Ada', age: 36, tags: ['maths', 'code'], home: { city: 'London' } })
  await database.write('people', 'bob', { name: 'Bob', age: 41, tags: [] })
  await database.write('people', 'eve', { name: 'Eve', age: 29, tags: ['code'], home: null })
  return database
}

const keysFor = async (query: DatabaseQuery): Promise<string[]> =>
  (await (await people()).query('people', query)).map((one) => one.key)

test('a value is read back as a copy; an absent one is null; keys that name prototypes are only keys', async () => {
  const database = inMemoryDatabase()
  const given = { list: [1] }
  await database.write('c', 'k', given)
  given.list.push(2)
  expect(await database.read('c', 'k')).toEqual({ list: [1] })
  expect(await database.read('c', 'constructor')).toBeNull()
  expect(await database.read('__proto__', 'toString')).toBeNull()
  await database.write('__proto__', '__proto__', 1)
  expect(await database.read('__proto__', '__proto__')).toBe(1)
  expect(({} as Record<string, unknown>)['__proto__']).toBe(Object.prototype)
})

test('a query compares fields by equality and by order, also deep ones', async () => {
  expect(await keysFor({ name: 'Ada' })).toEqual(['ada'])
  expect(await keysFor({ 'home.city': 'London' })).toEqual(['ada'])
  expect(await keysFor({ home: { city: 'London' } })).toEqual(['ada'])
  expect(await keysFor({ age: { $gt: 29, $lte: 41 } })).toEqual(['ada', 'bob'])
  expect(await keysFor({ age: { $lt: 36 } })).toEqual(['eve'])
  expect(await keysFor({ name: { $in: ['Bob', 'Eve'] }, age: { $ne: 41 } })).toEqual(['eve'])
  expect(await keysFor({ tags: { $contains: 'code' } })).toEqual(['ada', 'eve'])
  expect(await keysFor({ name: { $contains: 'd' } })).toEqual(['ada'])
  expect(await keysFor({ home: { $exists: true } })).toEqual(['ada', 'eve'])
  expect(await keysFor({ tags: [] })).toEqual(['bob'])
  expect(await keysFor({})).toEqual(['ada', 'bob', 'eve'])
})

test('values of different kinds have no order, and inherited members are no fields', async () => {
  expect(await keysFor({ name: { $gt: 5 } })).toEqual([])
  expect(await keysFor({ 'tags.length': 1 })).toEqual(['eve'])
  expect(await keysFor({ toString: { $exists: true } })).toEqual([])
})

test('an unknown comparison is an error that lists the known ones', async () => {
  await expect(keysFor({ age: { $regex: '.*' } })).rejects.toThrow(/"\$regex" on "age".*\$gte/)
})

test('order, offset and limit page through a collection', async () => {
  const database = await people()
  const keys = async (options: Parameters<typeof database.query>[2]): Promise<string[]> =>
    (await database.query('people', {}, options)).map((one) => one.key)
  expect(await keys({ orderBy: 'age' })).toEqual(['eve', 'ada', 'bob'])
  expect(await keys({ orderBy: 'age', descending: true, limit: 2 })).toEqual(['bob', 'ada'])
  expect(await keys({ offset: 1, limit: 1 })).toEqual(['bob'])
  expect(await keys({ offset: 9 })).toEqual([])
})

test('search finds words in keys and values of all collections, best first', async () => {
  const database = await people()
  await database.write('places', 'london', { text: 'A city with code and maths' })
  const hits = await database.search('london maths', { topK: 2 })
  expect(hits.map(({ collection, key }) => [collection, key])).toEqual([
    ['people', 'ada'],
    ['places', 'london'],
  ])
  expect(hits[0]!.score).toBeGreaterThan(hits[1]!.score)
})

test('deleting says whether there was something', async () => {
  const database = await people()
  expect(await database.delete('people', 'ada')).toBe(true)
  expect(await database.delete('people', 'ada')).toBe(false)
  expect(await database.read('people', 'ada')).toBeNull()
})

test('a store that others write says what everything in it is to be taken as', () => {
  expect(inMemoryDatabase({ labels: ['untrusted:unknown'] }).labels).toEqual(['untrusted:unknown'])
  expect(inMemoryDatabase().labels).toBeUndefined()
})
