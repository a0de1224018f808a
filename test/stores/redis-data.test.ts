import { describe, expect, it } from 'vitest'
import { keyRing, redisCounters } from '../../src/store/redis/index.ts'
import { newKey } from '../../src/store/encryption/key-ring.ts'
import { redisDatabase, redisMemory, redisPrompts } from '../../src/store/redis/redis-data.ts'
import type { RedisOptions } from '../../src/store/redis/index.ts'
import { countConformance, databaseConformance, memoryConformance, promptConformance } from '../../src/testing/index.ts'
import type { StartedStore } from '../../src/testing/index.ts'
import { everyFifth } from '../rotation.ts'
import { has } from '../servers/servers.ts'
import { newPrefix } from './redis.fixture.ts'

const api = { describe, it, expect }
const sealed = { describe, it: everyFifth(it), expect }
const encryption = keyRing(`test:${newKey()}`)

function starting<C extends { close(): Promise<void> }, O>(open: (place: RedisOptions, options: O) => C) {
  return async (): Promise<StartedStore<C, O>> => {
    const place = await newPrefix()
    const opened: C[] = []
    return {
      isShared: true,
      open(options) {
        const client = open(place, options)
        opened.push(client)
        return client
      },
      async stop() {
        for (const client of opened) await client.close()
      },
    }
  }
}

describe.skipIf(!has('redis'))('on a real server', () => {
  for (const [name, extra, tests] of [
    ['Redis', {}, api],
    ['sealed Redis', { encryption }, sealed],
    ['sealed, searchable Redis', { encryption, searchable: true }, sealed],
  ] as const) {
    memoryConformance(
      { name, start: starting((place, options) => redisMemory({ ...options, ...extra, ...place })) },
      tests,
    )
    databaseConformance(
      { name, start: starting((place, options) => redisDatabase({ ...options, ...extra, ...place })) },
      tests,
    )
    // Prompts are found by their ids: there are no words to keep readable.
    if ('searchable' in extra) continue
    promptConformance(
      { name, start: starting((place, options) => redisPrompts({ ...options, ...extra, ...place })) },
      tests,
    )
  }
  countConformance({ name: 'Redis', start: starting((place) => redisCounters(place)) }, api)
})
