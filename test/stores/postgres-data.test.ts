import { describe, expect, it } from 'vitest'
import { keyRing, postgresJournal } from '../../src/store/postgres/index.ts'
import { newKey } from '../../src/store/encryption/key-ring.ts'
import { postgresDatabase, postgresMemory, postgresPrompts } from '../../src/store/postgres/data/postgres-data.ts'
import type { PostgresOptions } from '../../src/store/postgres/options.ts'
import { countConformance, databaseConformance, memoryConformance, promptConformance } from '../../src/testing/index.ts'
import type { StartedStore } from '../../src/testing/index.ts'
import { everyFifth } from '../rotation.ts'
import { has } from '../servers/servers.ts'
import { newSchema } from './postgres.fixture.ts'

const api = { describe, it, expect }
const sealed = { describe, it: everyFifth(it), expect }
const encryption = keyRing(`test:${newKey()}`)

function starting<C extends { close(): Promise<void> }, O>(open: (place: PostgresOptions, options: O) => C) {
  return async (): Promise<StartedStore<C, O>> => {
    const place = await newSchema()
    const opened: C[] = []
    return {
      isShared: true,
      open(options) {
        const client = open({ ...place, poolSize: 3 }, options)
        opened.push(client)
        return client
      },
      async stop() {
        for (const client of opened) await client.close()
      },
    }
  }
}

describe.skipIf(!has('postgres'))('on a real server', () => {
  for (const [name, extra, tests] of [
    ['Postgres', {}, api],
    ['sealed Postgres', { encryption }, sealed],
    ['sealed, searchable Postgres', { encryption, searchable: true }, sealed],
  ] as const) {
    memoryConformance(
      { name, start: starting((place, options) => postgresMemory({ ...options, ...extra, ...place })) },
      tests,
    )
    databaseConformance(
      { name, start: starting((place, options) => postgresDatabase({ ...options, ...extra, ...place })) },
      tests,
    )
    // Prompts are found by their ids: there are no words to keep readable.
    if ('searchable' in extra) continue
    promptConformance(
      { name, start: starting((place, options) => postgresPrompts({ ...options, ...extra, ...place })) },
      tests,
    )
  }
  countConformance({ name: 'Postgres', start: starting((place) => postgresJournal(place)) }, api)
})
