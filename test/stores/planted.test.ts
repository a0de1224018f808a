import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { keyRing, openPostgres } from '../../src/store/postgres/index.ts'
import { newKey } from '../../src/store/encryption/key-ring.ts'
import { redisData } from '../../src/store/redis/index.ts'
import { sampleRun } from '../../src/testing/index.ts'
import { keepServer } from '../servers/keeping.ts'
import { canKeep } from '../servers/servers.ts'
import { asked, store } from './postgres.fixture.ts'
import { askRedis } from './redis.fixture.ts'

/** Whether a text stands anywhere in the files of a folder. */
function holds(folder: string, text: string): boolean {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .some((entry) => readFileSync(join(entry.parentPath, entry.name)).includes(text))
}

const encryption = keyRing(`k:${newKey()}`)
const by = { id: 'x', roles: [] }

describe('what is planted in a sealed store is nowhere in the files of its server', () => {
  test.skipIf(!canKeep('postgres'))('Postgres: tables, indexes and log', async () => {
    const server = await keepServer({ kind: 'postgres', isSafe: true })
    onTestFinished(() => server.stop())
    const [{ data_directory: folder }] = (await asked(server.url, 'SHOW data_directory')) as [
      { data_directory: string },
    ]
    for (const [name, more] of [
      ['plain', {}],
      ['sealed', { encryption }],
    ] as const) {
      const opened = await openPostgres({ url: server.url, schema: name, ...more })
      const secret = (where: string): string => `planted-${name}-${where}`
      await store(opened.journal, sampleRun('run', { notes: 1, start: { input: secret('entry') } }))
      await opened.journal.signal('run', { id: 's', type: 'steer', at: 1, by, data: secret('signal') })
      await opened.data.memory().append('s', { text: secret('memory') })
      await opened.data.database().write('c', 'k', secret('record'), { vector: [1, 2, 3] })
      await opened.data.prompts().put({ id: 'p', text: secret('prompt') })
      await opened.close()
      await asked(server.url, 'CHECKPOINT')
      const found = ['entry', 'signal', 'memory', 'record', 'prompt'].filter((where) => holds(folder, secret(where)))
      expect([name, ...found]).toEqual(
        name === 'sealed' ? [name] : [name, 'entry', 'signal', 'memory', 'record', 'prompt'],
      )
    }
  })

  test.skipIf(!canKeep('redis'))('Redis: log and snapshot', async () => {
    const server = await keepServer({ kind: 'redis', isSafe: true })
    onTestFinished(() => server.stop())
    const [, folder] = (await askRedis(server.url, 'CONFIG', 'GET', 'dir')) as [string, string]
    for (const [name, more] of [
      ['plain', {}],
      ['sealed', { encryption }],
    ] as const) {
      const data = redisData({ url: server.url, prefix: name, ...more })
      const secret = (where: string): string => `planted-${name}-${where}`
      await data.memory().append('s', { text: secret('memory') })
      await data.database().write('c', 'k', secret('record'), { vector: [1, 2, 3] })
      await data.prompts().put({ id: 'p', text: secret('prompt') })
      await data.close()
      await askRedis(server.url, 'SAVE')
      const found = ['memory', 'record', 'prompt'].filter((where) => holds(folder, secret(where)))
      expect([name, ...found]).toEqual(name === 'sealed' ? [name] : [name, 'memory', 'record', 'prompt'])
    }
  })
})
