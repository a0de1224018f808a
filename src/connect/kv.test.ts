import { expect, test } from 'vitest'
import type { Json } from '../core/index.ts'
import { inMemoryDatabase } from '../memory/index.ts'
import type { Tool } from '../tool/index.ts'
import { toolContext } from '../../test/tools/tool-context.fixture.ts'
import { type KvOptions, kv } from './kv.ts'

/** Calls a tool the way a run does: validated first. */
function caller(options: KvOptions = {}): (name: string, input: Json) => Promise<unknown> {
  const tools = new Map(kv(options).map((tool): [string, Tool] => [tool.name, tool]))
  return async (name, input) => {
    const tool = tools.get(name)!
    const checked = await tool.validate(input)
    if (!checked.valid) throw new Error(checked.issues.map((issue) => `${issue.path}: ${issue.message}`).join('; '))
    return tool.run(checked.value, toolContext())
  }
}

const stores: Record<string, () => KvOptions> = {
  'its own map': () => ({}),
  'a given map': () => ({ store: new Map() }),
  'a database': () => ({ store: inMemoryDatabase() }),
}

test.each(Object.keys(stores))('values are set, got, listed and deleted in %s', async (name) => {
  const call = caller(stores[name]!())
  expect(await call('kv_get', { key: 'a' })).toEqual({ found: false, value: null })
  expect(await call('kv_set', { key: 'a', value: { n: [1] } })).toEqual({ stored: true })
  await call('kv_set', { key: 'b', value: null })
  expect(await call('kv_get', { key: 'a' })).toEqual({ found: true, value: { n: [1] } })
  expect(await call('kv_get', { key: 'b' })).toEqual({ found: true, value: null })
  expect(await call('kv_list', {})).toEqual({ keys: ['a', 'b'], more: false })
  expect(await call('kv_list', { prefix: 'b' })).toEqual({ keys: ['b'], more: false })
  expect(await call('kv_list', { after: 'a' })).toEqual({ keys: ['b'], more: false })
  expect(await call('kv_delete', { key: 'a' })).toEqual({ deleted: true })
  expect(await call('kv_delete', { key: 'a' })).toEqual({ deleted: false })
  expect(await call('kv_get', { key: 'a' })).toEqual({ found: false, value: null })
})

test('no key leads out of the store', async () => {
  const database = inMemoryDatabase()
  await database.write('other', 'secret', { value: 'hidden' })
  const call = caller({ store: database })
  for (const key of ['__proto__', 'constructor', '../other/secret', 'other/secret']) {
    expect(await call('kv_get', { key })).toEqual({ found: false, value: null })
  }
  expect(await call('kv_list', { prefix: '' })).toEqual({ keys: [], more: false })
  const plain = caller()
  await plain('kv_set', { key: '__proto__', value: { polluted: true } })
  expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
})

test('two spellings of one letter are one key', async () => {
  const call = caller()
  await call('kv_set', { key: 'caf\u0065\u0301', value: 1 })
  expect(await call('kv_get', { key: 'caf\u00E9' })).toMatchObject({ found: true })
})

test('wrong keys, huge keys, huge values and unknown options are refused', async () => {
  const call = caller({ maxValueLength: 100 })
  await expect(call('kv_set', { key: ['a'], value: 1 })).rejects.toThrow(/key: expected string/)
  await expect(call('kv_set', { key: '', value: 1 })).rejects.toThrow(/key/)
  await expect(call('kv_set', { key: 'k'.repeat(1_000_000), value: 1 })).rejects.toThrow(/key/)
  await expect(call('kv_set', { key: 'k', value: 'x'.repeat(200) })).rejects.toMatchObject({ code: 'LIMIT_EXCEEDED' })
  await expect(call('kv_set', { key: 'k', value: 1, ttl: -1 })).rejects.toThrow(/ttl: is not known/)
  await expect(call('kv_set', { key: 'k' })).rejects.toThrow(/value: is required/)
})

test('the holder of the map and the tools share no objects', async () => {
  const store = new Map<string, Json>()
  const call = caller({ store })
  const value = { list: [1] }
  await call('kv_set', { key: 'a', value })
  value.list.push(2)
  const got = (await call('kv_get', { key: 'a' })) as { value: { list: number[] } }
  got.value.list.push(3)
  expect(store.get('a')).toEqual({ list: [1] })
})

test('a long list comes in pages', async () => {
  const call = caller({ store: new Map(Array.from({ length: 1500 }, (_, i) => [`k${String(i).padStart(4, '0')}`, i])) })
  const first = (await call('kv_list', {})) as { keys: string[]; more: boolean }
  expect(first.more).toBe(true)
  const rest = (await call('kv_list', { after: first.keys.at(-1)! })) as { keys: string[]; more: boolean }
  expect([first.keys.length, rest.keys.length, rest.more]).toEqual([1000, 500, false])
})

test('reading tools read, writing tools write, and only the one that compares may not be repeated', () => {
  expect(kv().map(({ name, risk, idempotent, safeByDefault }) => [name, risk, idempotent, safeByDefault])).toEqual([
    ['kv_get', 'read', true, true],
    ['kv_set', 'write', true, true],
    ['kv_swap', 'write', false, true],
    ['kv_delete', 'write', true, true],
    ['kv_list', 'read', true, true],
  ])
})

test('a database that cannot delete says so', async () => {
  const { delete: _delete, ...database } = inMemoryDatabase()
  await expect(caller({ store: database })('kv_delete', { key: 'a' })).rejects.toMatchObject({
    code: 'CONNECTOR_FAILED',
  })
})
