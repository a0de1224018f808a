import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { everyFifth } from '../../../../test/rotation.ts'
import { countConformance, databaseConformance, memoryConformance, promptConformance } from '../../../testing/index.ts'
import type { StartedStore } from '../../../testing/index.ts'
import { keyRing, newKey, sqliteDatabase, sqliteJournal, sqliteMemory, sqlitePrompts } from '../index.ts'

const api = { describe, it, expect }
const sealed = { describe, it: everyFifth(it), expect }
const encryption = keyRing(`test:${newKey()}`)

function starting<C extends { close(): Promise<void> }, O>(open: (path: string, options: O) => C) {
  return async (): Promise<StartedStore<C, O>> => {
    const folder = mkdtempSync(join(tmpdir(), 'mandate-data-'))
    const opened: C[] = []
    return {
      isShared: true,
      open(options) {
        const client = open(join(folder, 'data.db'), options)
        opened.push(client)
        return client
      },
      async stop() {
        for (const client of opened) await client.close()
        rmSync(folder, { recursive: true })
      },
    }
  }
}

for (const [name, extra, tests] of [
  ['SQLite', {}, api],
  ['sealed SQLite', { encryption }, sealed],
  ['sealed, searchable SQLite', { encryption, searchable: true }, sealed],
] as const) {
  memoryConformance({ name, start: starting((path, options) => sqliteMemory({ ...options, ...extra, path })) }, tests)
  databaseConformance(
    { name, start: starting((path, options) => sqliteDatabase({ ...options, ...extra, path })) },
    tests,
  )
  promptConformance({ name, start: starting((path, options) => sqlitePrompts({ ...options, ...extra, path })) }, tests)
}
countConformance({ name: 'SQLite', start: starting((path) => sqliteJournal({ path })) }, api)
