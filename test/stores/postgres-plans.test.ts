import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { Journal, RunFilter } from '../../src/journal/index.ts'
import { newKey } from '../../src/store/encryption/key-ring.ts'
import { postgresData } from '../../src/store/postgres/data/postgres-data.ts'
import { keyRing, postgresJournal } from '../../src/store/postgres/index.ts'
import { sampleRun } from '../../src/testing/index.ts'
import { has } from '../servers/servers.ts'
import { asked, newSchema, refused, store } from './postgres.fixture.ts'
import type { Recording } from './statements.fixture.ts'
import { neverRun, recordPostgres, sqlTexts } from './statements.fixture.ts'

/** Parts of statements that may read a whole table, each with its reason. */
const WHOLE: readonly (readonly [part: string, reason: string])[] = [
  ['FROM "$schema".data_keys', 'a few keys, read when the store is opened'],
  [
    'SELECT DISTINCT run FROM "$schema".heads WHERE',
    'what changed while the connection of the watchers was lost, which no index knows',
  ],
  ['SELECT DISTINCT run FROM "$schema".signals WHERE', 'the same for signals'],
  ['SELECT EXISTS (SELECT FROM "$schema".', 'the first row, when keys are given to a store that has none'],
  [
    'SET owner = NULL WHERE owner = $1',
    'the leases of a dead worker, once for each: an index would cost every append its cheap update',
  ],
  ['SELECT DISTINCT ON (place) place, id, version, text, sealed FROM "$schema".prompts', 'lists all templates'],
]

/** Statements that only a lost reply leads to. */
const RARE: readonly string[] = [
  'SELECT FROM "$schema".prompts WHERE place = $1 AND version = $2 AND id = $3 AND (text = $4 OR sealed = $5)',
]

/** What a server without vector types cannot plan. They search one namespace, which is what they promise. */
const ELSEWHERE = /embedding/u

/** Parts of statements that begin like whole ones. */
const FRAGMENTS: ReadonlySet<string> = new Set([
  'SELECT id, row_number() OVER (ORDER BY number DESC) AS rank, sum(size) OVER (ORDER BY number DESC) AS bytes FROM {} WHERE {} = $1',
  'SELECT r.run, r.summary, r.state, r.name, r.session, r.parent, r.created_at, r.wake_at, h.seq, h.hash, h.at FROM {} AS r JOIN {} AS h ON h.run = r.run',
])

let place: { readonly url: string; readonly schema: string }
let statements: readonly string[]
let recording: Recording
let client: Client

describe.skipIf(!has('postgres'))('on a real server', () => {
  beforeAll(async () => {
    place = await newSchema()
    recording = recordPostgres()
    try {
      await useJournal()
      await useData()
      await useKeys()
    } finally {
      recording.stop()
    }
    const general = [...recording.statements, ...RARE].map((sql) => sql.replaceAll(/\bt_[0-9a-f]{16}\b/gu, '$schema'))
    statements = [...new Set(general)]
    client = new Client({ connectionString: place.url })
    await client.connect()
    await fill()
  }, 60_000)

  afterAll(() => client?.end())

  test('every statement in the sources was looked at', () => {
    const texts = sqlTexts('src/store/postgres/**/*.ts', ['schema.ts'], FRAGMENTS).filter(
      ({ text }) => !ELSEWHERE.test(text),
    )
    expect(texts.length).toBeGreaterThan(50)
    expect(neverRun(texts, new Set(statements)).join('\n')).toBe('')
  })

  test('no statement reads a table that grows with the store, but those that are listed', async () => {
    const reading = statements.filter(
      (sql) => /^(?:SELECT|INSERT|UPDATE|DELETE|WITH)\b/u.test(sql) && sql.includes('$schema'),
    )
    expect(reading.length).toBeGreaterThan(50)
    const scans: string[] = []
    for (const sql of reading.filter((one) => !WHOLE.some(([part]) => one.includes(part))))
      for (const scan of await scansOf(sql)) scans.push(`${scan} in: ${sql}`)
    expect(scans.join('\n')).toBe('')
  })

  test('the list of statements that may read a whole table has nothing that is not there', () => {
    expect(WHOLE.filter(([part]) => !statements.some((sql) => sql.includes(part)))).toEqual([])
  })
})

/** Uses everything of a journal. */
async function useJournal(): Promise<void> {
  const journal = postgresJournal(place)
  await store(journal, sampleRun('done', { notes: 2, end: 'completed' }))
  const lease = await journal.acquire({ run: 'open', owner: 'me', ttlMs: 60_000, now: 0 })
  const [first, ...rest] = sampleRun('open', { notes: 3 })
  await journal.append(lease, 0, [first!])
  await journal.append(lease, 0, [first!])
  const signal = { id: 's', type: 'wake', at: 1, by: { id: 'ana', roles: [] }, data: null } as const
  await journal.signal('open', signal)
  await journal.signal('open', signal)
  await journal.signal('open', { ...signal, id: 't' })
  expect((await journal.signals('open')).length).toBe(2)
  await journal.append(lease, 1, rest.slice(0, 1), ['s'])
  await journal.append(lease, 1, rest.slice(0, 1), ['t'])
  const other = postgresJournal(place)
  await other.append(lease, 2, rest.slice(1, 2))
  await other.close()
  await journal.renew(lease, 60_000, 0)
  await refused(journal.acquire({ run: 'open', owner: 'you', ttlMs: 1, now: 0 }))
  await journal.release(lease)
  await journal.releaseOwner?.('nobody')
  for await (const entry of journal.read('open', 2)) expect(entry.run).toBe('open')
  const long = sampleRun('long', { notes: 600 })
  await store(journal, long)
  for await (const entry of journal.read('long')) expect(entry.run).toBe('long')
  await list(journal)
  await journal.knownHead('open')
  await journal.addCount('mail', 1, 1)
  await journal.sumCount('mail', 0)
  const hash = await journal.writeBlob!('done', new Uint8Array([1]))
  await journal.readBlob!('done', hash)
  await journal.contentBytes?.('done')
  await journal.erase('done')
  await loseConnection(journal)
  await asked(place.url, `UPDATE "${place.schema}".heads SET hash = 'x' WHERE run = 'open'`)
  expect((await refused(journal.acquire({ run: 'open', owner: 'me', ttlMs: 1, now: 0 }))).code).toBe('JOURNAL_DAMAGED')
  await asked(place.url, `UPDATE "${place.schema}".store SET value = 'unread' WHERE name = 'waiting'`)
  await journal.close()
  const again = postgresJournal(place)
  await again.open()
  await again.close()
}

async function list(journal: Journal): Promise<void> {
  const after = { at: 1, run: 'open' }
  const filters: readonly RunFilter[] = [
    {},
    { after },
    { state: 'running' },
    { state: ['completed', 'failed'], after },
    { sessionId: 's', state: 'running' },
    { name: 'alpha' },
    { name: 'alpha', state: ['running', 'suspended'] },
    { parent: 'open', name: 'alpha' },
    { parent: null },
    { runPrefix: 'op' },
    { updatedBefore: 1 },
    { waiting: true },
    { waiting: true, order: 'waiting', after },
    { order: 'wake', parent: null, after },
    { wakeBefore: 5 },
  ]
  for (const filter of filters) await journal.list({ ...filter, limit: 20 })
}

/** A watcher that loses its connection reads what it has missed. */
async function loseConnection(journal: Journal): Promise<void> {
  const stop = journal.watch('*', () => {})
  for await (const entry of journal.read('open')) expect(entry.run).toBe('open')
  await asked(
    place.url,
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'mandate' AND query LIKE '%pg_snapshot_xmin%'`,
  )
  await vi.waitFor(
    () => expect([...recording.statements].filter((sql) => sql.startsWith('SELECT DISTINCT')).length).toBe(2),
    10_000,
  )
  stop()
}

/** Uses everything of memory, database and prompts. */
async function useData(): Promise<void> {
  const data = postgresData(place)
  const database = data.database({ maxCount: 50 })
  for (const key of ['a', 'b']) await database.write('c', key, { text: `Hello ${key}` }, { vector: [1, 0] })
  await database.writeIf('c', 'a', 1, { expected: { text: 'Hello a' } })
  await database.read('c', 'a')
  await database.query('c', { text: 'Hello b' })
  await database.search('hello')
  await database.search('hello', { collection: 'c' })
  await database.search('', { vector: [1, 0] })
  await database.search('', { vector: [1, 0], collection: 'c' })
  await database.collections()
  await database.trim({ collection: 'c', olderThanMs: 1e9, maxBytes: 1e6 })
  await database.delete('c', 'a')
  const memory = data.memory()
  await memory.append('s', 'one')
  await memory.read('s', { limit: 2 })
  await memory.clear('s')
  const prompts = data.prompts()
  await prompts.put({ id: 'p', text: 'Hello.' })
  await prompts.list()
  await prompts.versions('p')
  await prompts.label('p', 'live', '1')
  await prompts.get('p', 'live')
  await data.close()
}

/** Opens stores with keys: one that has content, and a new one. */
async function useKeys(): Promise<void> {
  const encryption = keyRing(`k1:${newKey()}`)
  await refused(postgresJournal({ ...place, encryption }).open())
  const fresh = postgresJournal({ ...(await newSchema()), encryption })
  await fresh.open()
  await fresh.rekey()
  await fresh.close()
}

/** Enough rows that the server decides as it does in a large store. */
async function fill(): Promise<void> {
  const rows = (table: string, columns: string, values: string, count: number): string =>
    `INSERT INTO "${place.schema}".${table} (${columns}) SELECT ${values} FROM generate_series(1, ${count}) AS n ON CONFLICT DO NOTHING`
  const state = `CASE n % 100 WHEN 1 THEN 'running' WHEN 50 THEN 'suspended' WHEN 3 THEN 'failed' ELSE 'completed' END`
  const many = 30_000
  for (const sql of [
    rows('heads', 'run, epoch, owner, until, seq, hash, at', `'run_' || n, 1, NULL, 0, 2, md5(n::text), n`, many),
    rows(
      'runs',
      'run, state, name, session, parent, created_at, wake_at, waiting_at, summary',
      `'run_' || n, ${state}, 'name' || n % 900, 's' || n / 4, CASE n % 3 WHEN 0 THEN 'run_' || n / 9 END, n, CASE n % 50 WHEN 0 THEN n END, CASE n % 60 WHEN 0 THEN n END, '{}'`,
      many,
    ),
    rows(
      'entries',
      'run, seq, v, at, type, data_hash, hash',
      `'run_' || n / 2, 1 + n % 2, 1, n, 'note', md5(n::text), md5(n::text)`,
      many * 2,
    ),
    rows('signals', 'run, id, content', `'run_' || n, 'id' || n, '{}'`, many),
    rows('counts', 'name, at, id, amount', `'name' || n % 100, n, 'x' || n, 1`, many),
    rows('blobs', 'hash, size, content', `md5(n::text), 1, 'x'`, many),
    rows('run_blobs', 'run, hash', `'run_' || n, md5(n::text)`, many),
    rows(
      'records',
      'id, space, place, collection, key, text, size, words, length, at, expires_at',
      `md5(n::text), 's' || n % 300, 'p' || n % 900, 'c', 'k', 'text', 4, to_tsvector('w' || n), 1, n, CASE n % 9 WHEN 0 THEN n END`,
      many,
    ),
    rows('prompts', 'place, version, id, text', `'p' || n / 3, 1 + n % 3, 'id', 'text'`, many),
    rows('prompt_labels', 'place, label_place, label, version', `'p' || n / 3, 'l' || n % 3, 'l', 1`, many),
  ])
    await client.query(sql)
  await client.query('ANALYZE')
  await client.query('SET plan_cache_mode = force_generic_plan')
}

interface PlanNode {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Index Name'?: string
  readonly 'Index Cond'?: string
  readonly Plans?: readonly PlanNode[]
}

/** The steps of a statement's plan that read a whole table, whatever the values are. A walk in the order of an index that ends with a page is none. */
async function scansOf(general: string): Promise<string[]> {
  const sql = general.replaceAll('$schema', place.schema)
  const count = Math.max(0, ...[...sql.matchAll(/\$(\d+)/gu)].map((match) => Number(match[1])))
  await client.query(`PREPARE looked AS ${sql}`)
  const values = count === 0 ? '' : `(${Array.from({ length: count }, () => 'NULL').join(', ')})`
  const { rows } = await client.query<{ 'QUERY PLAN': readonly [{ readonly Plan: PlanNode }] }>(
    `EXPLAIN (FORMAT JSON) EXECUTE looked${values}`,
  )
  await client.query('DEALLOCATE looked')
  return wholeReads(rows[0]!['QUERY PLAN'][0].Plan, false)
}

function wholeReads(node: PlanNode, isPaged: boolean): string[] {
  const kind = node['Node Type']
  const table = node['Relation Name']
  const isWalk = /^Index (?:Only )?Scan$/u.test(kind) && isPaged && node['Index Name'] === 'runs_by_age'
  const isWhole =
    kind.endsWith('Scan') && table !== undefined && node['Index Cond'] === undefined && kind !== 'Bitmap Heap Scan'
  const own =
    isWhole && !isWalk && !['store', 'pg_class'].includes(table) ? [`${kind} of ${table} by ${node['Index Name']}`] : []
  const paged = kind === 'Limit' || (isPaged && kind === 'Nested Loop')
  return [...own, ...(node.Plans ?? []).flatMap((part) => wholeReads(part, paged))]
}
