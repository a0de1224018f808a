import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newKey } from '../../src/store/encryption/key-ring.ts'
import type { KeyRing } from '../../src/store/encryption/index.ts'
import { keyRing } from '../../src/store/sqlite/index.ts'
import {
  countConformance,
  databaseConformance,
  journalConformance,
  memoryConformance,
  promptConformance,
  sampleRun,
} from '../../src/testing/index.ts'
import type { StartedStore } from '../../src/testing/index.ts'
import type { Journal } from '../../src/journal/index.ts'
import { localData, localJournal } from './local-stores.ts'
import { store } from './postgres.fixture.ts'
import { Cases, neverRun, plain, recordSqlite, sqlTexts } from './statements.fixture.ts'

/** Statements that may read a whole table, each with its reason. */
const WHOLE: ReadonlyMap<string, string> = new Map([
  ['SELECT id, host_key, wrapped, created_at FROM data_keys', 'a few keys, read when the file is opened'],
  ['SELECT 1 FROM data_keys LIMIT 1', 'the first row'],
  ['SELECT EXISTS (SELECT 1 FROM runs) AS found', 'the first row'],
  ['SELECT EXISTS (SELECT 1 FROM records) AS found', 'the first row'],
  ['SELECT EXISTS (SELECT 1 FROM prompts) AS found', 'the first row'],
  ['SELECT sealed IS NULL AS plain FROM records ORDER BY id LIMIT 1', 'the first row'],
  ['SELECT sealed IS NULL AS plain FROM prompts ORDER BY number LIMIT 1', 'the first row'],
  ['SELECT count(*) AS count FROM sqlite_schema', 'the tables themselves'],
  [`SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE name = 'records') AS found`, 'the tables themselves'],
  ['SELECT total(count) AS count FROM spaces', 'one row for each namespace'],
  [
    'SELECT p.* FROM prompts p JOIN ( SELECT id, min(number) AS first, max(version) AS newest FROM prompts GROUP BY id ) t ON t.id = p.id AND t.newest = p.version ORDER BY t.first',
    'lists all templates',
  ],
  [
    'INSERT INTO entries (run, seq, v, at, type, key, data_hash, prev, hash, salt, data) SELECT run, seq, v, at, type, key, data_hash, prev, hash, salt, data FROM entries_by_run ORDER BY run, seq',
    'a migration, once for each file',
  ],
])

/** A list of all runs, newest first, reads the index on their ages until its page is full. */
const WALK = /^SCAN runs USING INDEX runs_by_age$/u
const LIST = 'ORDER BY created_at DESC, run DESC'

/** Beginnings of statements that others end. */
const FRAGMENTS: ReadonlySet<string> = new Set([
  'SELECT runs.run AS run, summary, number, seq, hash, at, state, name, session, parent, wake_at, created_at, updated_at FROM runs LEFT JOIN heads ON heads.run = runs.run',
  `SELECT 1 FROM sqlite_schema WHERE name = 'records'`,
  'SELECT 1 FROM runs',
  'SELECT 1 FROM records',
  'SELECT 1 FROM prompts',
])

const folder = mkdtempSync(join(tmpdir(), 'mandate-plans-'))
const database = new DatabaseSync(join(folder, 'plans.db'))
let statements: ReadonlySet<string>
let files = 0

beforeAll(async () => {
  const path = join(folder, 'plans.db')
  await localJournal(path).open()
  await localData(path).caller.call('open')
  const recording = recordSqlite()
  try {
    const cases = new Cases()
    collect(cases)
    await cases.run()
    await besides()
    await sealed(keyRing(`k1:${newKey()}`))
  } finally {
    recording.stop()
  }
  statements = recording.statements
}, 60_000)

afterAll(() => {
  database.close()
  rmSync(folder, { recursive: true })
})

function newPath(): string {
  return join(folder, `${++files}.db`)
}

/** The conformance suites of every store in a file. */
function collect({ api }: Cases): void {
  const options = { watchIntervalMs: 5 }
  const open = async () => {
    const path = newPath()
    let journal = localJournal(path, options)
    const reopen = async (): Promise<Journal> => {
      await journal.close()
      journal = localJournal(path, options)
      return journal
    }
    return { journal, reopen, close: () => journal.close() }
  }
  journalConformance({ name: 'local', open }, api)
  memoryConformance({ name: 'local', start: starting((path, given) => localData(path).memory(given)) }, api)
  databaseConformance({ name: 'local', start: starting((path, given) => localData(path).database(given)) }, api)
  promptConformance({ name: 'local', start: starting((path, given) => localData(path).prompts(given)) }, api)
  countConformance({ name: 'local', start: starting((path) => localJournal(path)) }, api)
}

function starting<C extends { close(): Promise<void> }, O>(open: (path: string, options: O) => C) {
  return async (): Promise<StartedStore<C, O>> => {
    const path = newPath()
    const opened: C[] = []
    return {
      isShared: true,
      open(options) {
        const client = open(path, options)
        opened.push(client)
        return client
      },
      stop: async () => void (await Promise.all(opened.map((client) => client.close()))),
    }
  }
}

/** What the suites do not reach: files of an older build, copies, and vectors that another process deleted. */
async function besides(): Promise<void> {
  const path = newPath()
  const journal = localJournal(path)
  await store(journal, sampleRun('run', { notes: 1 }))
  await journal.close()
  const old = new DatabaseSync(path)
  old.exec(`UPDATE store SET value = 'unread' WHERE name = 'waiting'`)
  old.close()
  await localJournal(path).open()

  const shared = newPath()
  const [one, other] = [localData(shared), localData(shared)]
  const [left, right] = [one.database({}), other.database({})]
  for (const key of ['k', 'l']) await left.write('c', key, 1, { vector: [1, 0] })
  await right.search('', { vector: [1, 0] })
  await left.delete('c', 'k')
  await right.search('', { vector: [1, 0] })
  await one.caller.call('backup', newPath())
  await left.close()
  await right.close()
}

/** Files that are encrypted. */
async function sealed(ring: KeyRing): Promise<void> {
  const path = newPath()
  await localData(path).caller.call('open')
  const data = localData(path, { ring })
  await data.prompts({}).put({ id: 'p', text: 'Hello.' })
  await data.caller.call('rekey')
  const journal = localJournal(newPath(), { ring })
  await store(journal, sampleRun('run', { notes: 1, end: 'completed' }))
  await journal.close()
}

test('every statement in the sources was looked at', () => {
  const texts = sqlTexts('src/store/sqlite/**/*.ts', ['schema.ts'], FRAGMENTS)
  expect(texts.length).toBeGreaterThan(60)
  expect(neverRun(texts, statements).join('\n')).toBe('')
})

test('no statement reads a table that grows with the store, but those that are listed', () => {
  const reading = [...statements].filter(
    (sql) => /^(?:SELECT|INSERT|UPDATE|DELETE|WITH)\b/u.test(sql) && !sql.includes('entries_by_run'),
  )
  expect(reading.length).toBeGreaterThan(80)
  const scans = reading
    .filter((sql) => !WHOLE.has(sql))
    .flatMap((sql) => scansOf(sql).map((scan) => `${scan} in: ${sql}`))
  expect(scans.join('\n')).toBe('')
})

test('the list of statements that may read a whole table has nothing that is not there, or does not', () => {
  expect([...WHOLE.keys()].filter((sql) => !statements.has(plain(sql)))).toEqual([])
})

/** The steps of a statement's plan that read a whole table. */
function scansOf(sql: string): string[] {
  return database
    .prepare(`EXPLAIN QUERY PLAN ${sql}`)
    .all()
    .map((row) => String(row['detail']))
    .filter(
      (step) =>
        step.startsWith('SCAN ') &&
        !/^SCAN (?:json_each|CONSTANT ROW|\(subquery|words VIRTUAL TABLE INDEX \d+:\S)/u.test(step),
    )
    .filter((step) => !(WALK.test(step) && sql.endsWith(LIST)))
}
