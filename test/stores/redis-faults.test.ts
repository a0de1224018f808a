import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { keyRing, redisCounters, redisData } from '../../src/store/redis/index.ts'
import { newKey } from '../../src/store/encryption/key-ring.ts'
import { redisDatabase } from '../../src/store/redis/redis-data.ts'
import { keepServer } from '../servers/keeping.ts'
import { startProxy } from '../servers/proxy.ts'
import type { Proxy } from '../servers/proxy.ts'
import { canKeep, has } from '../servers/servers.ts'
import { refused } from './postgres.fixture.ts'
import { askRedis, closing, newPrefix } from './redis.fixture.ts'

async function behindProxy(): Promise<{ proxy: Proxy; place: { url: string; prefix: string } }> {
  const place = await newPrefix()
  const url = new URL(place.url)
  const proxy = await startProxy(Number(url.port))
  onTestFinished(() => proxy.close())
  url.port = String(proxy.port)
  return { proxy, place: { ...place, url: url.href } }
}

/** Lets one answer be lost while something is asked. */
async function losing<T>(proxy: Proxy, work: () => Promise<T>): Promise<T> {
  const before = proxy.cuts
  proxy.loseAnswers()
  const result = work()
  await vi.waitFor(() => expect(proxy.cuts).toBeGreaterThan(before), { interval: 1, timeout: 15_000 })
  proxy.restore()
  return result
}

test('options that make no sense are refused, and a server that was never there is named at once, without its password', async () => {
  expect(() => redisData({ url: 'http://localhost' })).toThrow('redis://user:password@host')
  expect(() => redisData({ url: 'redis://localhost', prefix: 'a b' })).toThrow('prefix')
  expect(() => redisData({ url: 'redis://localhost', patienceMs: -1 })).toThrow('patienceMs')
  const data = redisData({ url: 'redis://me:planted-password@127.0.0.1:1' })
  const error = await refused(data.open())
  expect([error.code, error.message]).toEqual(['STORE_FAILED', expect.stringContaining('Connection refused')])
  expect(error.message).not.toContain('planted-password')
  await data.close()
})

describe.skipIf(!has('redis'))('a Redis store whose server is not always there', () => {
  test('what was asked for while an answer was lost is there once', async () => {
    const { proxy, place } = await behindProxy()
    const data = closing(redisData(place))
    const counters = closing(redisCounters(place))
    const memory = data.memory()
    const prompts = data.prompts()
    await memory.append('s', 0)
    await counters.addCount('c', 1, 1)
    await losing(proxy, () => memory.append('s', 1))
    await losing(proxy, () => counters.addCount('c', 2, 0.5))
    const first = await losing(proxy, () => prompts.put({ id: 'hello', text: 'Hello' }))
    expect(first.version).toBe('1')
    expect(await losing(proxy, () => data.database().write('c', 'k', 1))).toBe(undefined)
    expect(await memory.read('s')).toEqual([0, 1])
    expect(await counters.sumCount('c', 0)).toBe(1.5)
    expect(await prompts.versions('hello')).toHaveLength(1)
    expect(await data.database().read('c', 'k')).toBe(1)
  })

  test('a server that says nothing any more is given up after the time that was allowed, and found again', async () => {
    const { proxy, place } = await behindProxy()
    const data = closing(redisData({ ...place, commandTimeoutMs: 1_000, patienceMs: 0 }))
    const database = data.database()
    await database.write('c', 'k', 1)
    proxy.stall()
    const error = await refused(database.read('c', 'k'))
    expect([error.code, error.message]).toEqual(['STORE_FAILED', expect.stringContaining('commandTimeoutMs')])
    proxy.restore()
    expect(await database.read('c', 'k')).toBe(1)
  })

  test('what has an end is let go by Redis itself, and leaves nothing behind', async () => {
    const place = await newPrefix()
    const database = closing(redisDatabase(place))
    await database.write('c', 'short', { text: 'walrus' }, { ttlMs: 5_000, vector: [1, 0] })
    await database.write('c', 'long', { text: 'seal' })
    const records = (await askRedis(place.url, 'KEYS', `${place.prefix}:r:*`)) as string[]
    const lives = await Promise.all(records.map((key) => askRedis(place.url, 'PTTL', key)))
    expect(lives.filter((life) => Number(life) > 5_000 && Number(life) <= 65_000)).toHaveLength(1)
    // As if the time had passed: the record is gone, its places are not.
    for (const key of records)
      if (Number(await askRedis(place.url, 'PTTL', key)) > 0) await askRedis(place.url, 'DEL', key)
    expect(await database.read('c', 'short')).toBe(null)
    expect(await database.search('walrus')).toEqual([])
    expect((await database.query('c', {})).map(({ key }) => key)).toEqual(['long'])
    await database.clear('c')
    expect(await database.search('walrus')).toEqual([])
    const left = (await askRedis(place.url, 'KEYS', `${place.prefix}:*`)) as string[]
    expect(left.filter((key) => /:(?:r|o|p|e|m|w|v|d|l|c):/.test(key))).toEqual([])
  })

  test('two prefixes see nothing of each other', async () => {
    const [one, two] = [closing(redisDatabase(await newPrefix())), closing(redisDatabase(await newPrefix()))]
    await one.write('c', 'k', 'walrus')
    expect(await two.read('c', 'k')).toBe(null)
    expect(await two.search('walrus')).toEqual([])
    expect(await two.collections()).toEqual([])
  })

  test('a sealed store shows nothing of what was said, opens only with its key, and is not begun over a plain one', async () => {
    const place = await newPrefix()
    const encryption = keyRing(`one:${newKey()}`)
    const data = closing(redisData({ ...place, encryption }))
    const secret = 'planted-text-that-nobody-may-see'
    await data.memory().append('s', { secret }, { vector: [1, 2, 3] })
    await data.database().write('c', 'k', secret)
    await data.prompts().put({ id: 'p', text: secret })
    const dump = await Promise.all(
      ((await askRedis(place.url, 'KEYS', `${place.prefix}:*`)) as string[]).map((key) =>
        askRedis(place.url, 'DUMP', key),
      ),
    )
    expect(dump.length).toBeGreaterThan(10)
    expect(dump.some((bytes) => String(bytes).includes(secret))).toBe(false)
    expect(await data.memory().read('s')).toEqual([{ secret }])
    expect((await refused(closing(redisData(place)).open())).code).toBe('KEY_MISSING')
    const wrong = closing(redisData({ ...place, encryption: keyRing(`one:${newKey()}`) }))
    expect((await refused(wrong.open())).code).toBe('KEY_WRONG')
    const [next, last] = [newKey(), Object.values(encryption.keys)[0]!]
    const both = keyRing(`two:${next},one:${Buffer.from(last).toString('base64')}`)
    expect((await closing(redisData({ ...place, encryption: both })).rekey()).hostKey).toBe('two')
    const later = closing(redisData({ ...place, encryption: keyRing(`two:${next}`) }))
    expect(await later.database().read('c', 'k')).toBe(secret)
    const plain = await newPrefix()
    await closing(redisData(plain)).open()
    expect((await refused(closing(redisData({ ...plain, encryption })).open())).code).toBe('SEAL_BROKEN')
  })

  test('after closing, everything is refused as closed, also for the others of the same connection', async () => {
    const data = redisData(await newPrefix())
    const [memory, prompts] = [data.memory(), data.prompts()]
    await memory.append('s', 1)
    await memory.close()
    expect((await refused(memory.append('s', 2))).code).toBe('CLOSED')
    await prompts.put({ id: 'p', text: 'x' })
    await Promise.all([data.close(), data.close()])
    expect((await refused(prompts.get('p'))).code).toBe('CLOSED')
  })
})

describe.skipIf(!canKeep('redis'))('a Redis server of its own', () => {
  test('a server that crashes and comes back has what was acknowledged, and the same client goes on', async () => {
    const server = await keepServer({ kind: 'redis', isSafe: true })
    onTestFinished(() => server.stop())
    const database = closing(redisDatabase({ url: server.url }))
    const acknowledged: number[] = []
    const writing = (async () => {
      for (let index = 0; index < 300; index++) {
        await database.write('c', `k${index}`, index)
        acknowledged.push(index)
      }
    })()
    await vi.waitFor(() => expect(acknowledged.length).toBeGreaterThan(20), { interval: 1, timeout: 15_000 })
    await server.crash()
    await server.start()
    await writing
    expect(acknowledged).toHaveLength(300)
    expect(await database.query('c', {})).toHaveLength(300)
  })
})
