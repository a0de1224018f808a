import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inMemoryDatabase } from 'mandate/memory'
import { scripted } from 'mandate/model'

const folder = mkdtempSync(join(tmpdir(), 'mandate-numbers-'))
const postgres = { url: 'postgres://127.0.0.1:1/none' }
const redis = { url: 'redis://127.0.0.1:1/0' }
const sqlite = { path: join(folder, 'numbers.db') }
const agent = { id: 'a', model: scripted(['Done.']) }

/** What a call needs besides the number that is tried, by the type of its options or by its name. */
export const NEEDED: Readonly<Record<string, object>> = {
  AgentConfig: agent,
  DocumentsOptions: { database: inMemoryDatabase() },
  FileToolOptions: { root: folder },
  MemoryToolsOptions: { database: inMemoryDatabase() },
  OnDemandOptions: { config: agent, owner: { id: 'ana', roles: ['owner'] } },
  "Omit<OnDemandOptions, 'owner'>": { config: agent },
  PostgresDataOptions: postgres,
  PostgresOptions: postgres,
  RedisCountersOptions: redis,
  RedisDataOptions: redis,
  RedisOptions: redis,
  RestateOptions: {
    store: postgres.url,
    ingress: 'http://127.0.0.1:1',
    admin: 'http://127.0.0.1:1',
  },
  RetainOptions: { keepRuns: 1, now: 1 },
  ShellOptions: { root: folder, allow: ['ls'] },
  SqlToolOptions: { database: {} },
  SqliteDataOptions: sqlite,
  SqliteJournalOptions: sqlite,
}
