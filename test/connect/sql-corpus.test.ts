import { existsSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { MandateError } from 'mandate'
import type { Json } from 'mandate'
import { sqlTools } from 'mandate/connect'
import type { Tool } from 'mandate/tool'
import { readCorpus, readOwn } from '../corpora/read-corpus.ts'
import { has } from '../servers/servers.ts'
import { PostgresShop, SqliteShop, callTool, canAsk } from './sql.fixture.ts'

interface Case {
  readonly id: string
  readonly category: string
  readonly input: { readonly sql: string; readonly params?: Json[] }
  readonly expect: 'allow' | 'deny' | 'error' | 'bounded' | 'policy' | 'taint'
  readonly reason: string
}

const cases = [...readCorpus<Case>('tools'), ...readOwn<Case>('tools')].filter(
  ({ category }) => category === 'sql' || category === 'sql-param',
)
const LIMITS = { maxRows: 100, maxBytes: 50_000, timeoutMs: 250 }
/** For what has to end by itself, however busy the machine is. */
const PATIENT = { ...LIMITS, timeoutMs: 20_000 }

/** Whether an answer is what the corpus expects of the case; text that was built from untrusted data is for the flow guard, which sees labels. */
function check(one: Case, answer: Json | MandateError): void {
  const isRefused = MandateError.isInstance(answer)
  if (one.expect === 'deny' || one.expect === 'error')
    expect(isRefused, `${one.id}: ${JSON.stringify(answer)}`).toBe(true)
  if (one.expect === 'allow') expect(isRefused, `${one.id}: ${String(answer)}`).toBe(false)
  if (isRefused) {
    expect(['DENIED', 'INPUT_INVALID', 'SCHEMA_INVALID', 'TIMEOUT', 'LIMIT_EXCEEDED'], one.id).toContain(answer.code)
    expect(answer.message.length, one.id).toBeGreaterThan(20)
    return
  }
  expect((answer as { rows: Json[] }).rows.length, one.id).toBeLessThanOrEqual(LIMITS.maxRows)
  expect(Buffer.byteLength(JSON.stringify(answer)), one.id).toBeLessThanOrEqual(LIMITS.maxBytes * 2)
}

test('the corpus has its cases', () => {
  expect(cases.length).toBeGreaterThanOrEqual(36)
})

describe.skipIf(!canAsk)('SQLite', () => {
  const shop = new SqliteShop()
  const database = shop.open({ tables: ['t', 'a'] })
  const [query] = sqlTools({ ...LIMITS, database }) as [Tool]
  const [patient] = sqlTools({ ...PATIENT, database }) as [Tool]
  afterAll(() => shop.close())

  test.for(cases.map((one) => [one.id, one] as const))('%s', async ([, one]) => {
    const before = shop.content()
    check(one, await callTool(one.expect === 'allow' ? patient : query, textOf(one)))
    expect(shop.content()).toBe(before)
    expect(existsSync('/tmp/x.db')).toBe(false)
  })
})

describe.skipIf(!has('postgres'))('PostgreSQL', () => {
  let shop: PostgresShop
  let query: Tool
  let patient: Tool
  beforeAll(async () => {
    shop = await PostgresShop.create('mandate_sql_corpus')
    const database = shop.open()
    query = sqlTools({ ...LIMITS, database })[0]!
    patient = sqlTools({ ...PATIENT, database })[0]!
  }, 60_000)
  afterAll(() => shop?.close())

  test.for(cases.map((one) => [one.id, one] as const))('%s', async ([, one]) => {
    const before = await shop.content()
    check(
      one,
      await callTool(
        one.expect === 'allow' ? patient : query,
        textOf(one, (sql) => sql.replace('SELECT ?', 'SELECT $1::text')),
      ),
    )
    expect(await shop.content()).toBe(before)
  })
})

/** The corpus shortens a text of a megabyte. */
function textOf({ input }: Case, dialect: (sql: string) => string = (sql) => sql): Json {
  const sql = input.sql.endsWith('… 1 MB of text') ? 'x'.repeat(1_000_000) : dialect(input.sql)
  return { sql, ...(input.params === undefined ? {} : { params: input.params }) }
}
