import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Agent, MandateError, defineTool } from 'mandate'
import type { Json } from 'mandate'
import { sqlOverPostgres, sqlTools, sqlOverSqlite } from 'mandate/connect'
import type { SqlDatabase } from 'mandate/connect'
import { memoryJournal, readAll } from 'mandate/journal'
import { scripted } from 'mandate/model'
import type { Tool } from 'mandate/tool'
import { has } from '../servers/servers.ts'
import { PostgresShop, SqliteShop, callTool, canAsk } from './sql.fixture.ts'

const LIMITS = { maxRows: 20, maxBytes: 4_000, timeoutMs: 1_000 }

interface Rows {
  readonly columns: readonly string[]
  readonly rows: readonly (readonly Json[])[]
  readonly truncated?: string
  readonly note?: string
}

async function ask(tool: Tool, sql: string, params: Json[] = []): Promise<Rows> {
  const answer = await callTool(tool, { sql, params })
  if (MandateError.isInstance(answer)) throw answer
  return answer as unknown as Rows
}

async function refusal(tool: Tool, sql: string, params: Json[] = []): Promise<MandateError> {
  const answer = await callTool(tool, { sql, params })
  if (MandateError.isInstance(answer)) return answer
  throw new Error(`${sql} was accepted: ${JSON.stringify(answer)}`)
}

/** What holds for every database behind the tools. */
function anyDatabase(
  open: () => { database: SqlDatabase; writing: SqlDatabase; content: () => Promise<string> | string },
): void {
  const tools = (): { query: Tool; schema: Tool } => {
    const [query, schema] = sqlTools({ ...LIMITS, database: open().database }) as [Tool, Tool]
    return { query, schema }
  }
  const one = (): string => (open().database.dialect === 'SQLite' ? '?' : '$1')

  test('values are bound, whatever they look like', async () => {
    const { query } = tools()
    const { rows } = await ask(query, `SELECT name FROM t WHERE name = ${one()}`, ["a'b"])
    expect(rows).toEqual([["a'b"]])
    expect((await ask(query, `SELECT name FROM t WHERE name = ${one()}`, ["' OR 1=1 --"])).rows).toEqual([])
    for (const params of [[{}], [['a']]])
      expect(await refusal(query, `SELECT * FROM t WHERE name = ${one()}`, params)).toMatchObject({
        code: 'SCHEMA_INVALID',
      })
  })

  test('columns of the same name, nothing, large numbers, bytes and truth survive', async () => {
    const { query } = tools()
    const bytes = open().database.dialect === 'SQLite' ? `x'00ff'` : `'\\x00ff'::bytea`
    const { columns, rows } = await ask(
      query,
      `SELECT 1 AS x, 2 AS x, NULL AS n, 9007199254740993 AS big, 1.5 AS half, ${bytes} AS bytes`,
    )
    expect(columns).toEqual(['x', 'x', 'n', 'big', 'half', 'bytes'])
    expect(rows[0]!.slice(0, 4)).toEqual([1, 2, null, '9007199254740993'])
    expect(JSON.stringify(rows[0]![5])).toMatch(/AP8=|00ff/u)
  })

  test('rows and bytes beyond the limits are cut off, and the answer says so', async () => {
    const { query } = tools()
    const many = await ask(query, 'SELECT a.n FROM a CROSS JOIN a AS b CROSS JOIN a AS c CROSS JOIN a AS d')
    expect(many).toMatchObject({ truncated: 'rows', note: expect.stringContaining('LIMIT') as string })
    expect(many.rows).toHaveLength(LIMITS.maxRows)
    const wide = await ask(query, `SELECT replace('${'y'.repeat(100)}', 'y', 'yyyyyyyyyy') FROM a`)
    expect(wide.truncated).toBe('bytes')
    expect(JSON.stringify(wide.rows).length).toBeLessThanOrEqual(LIMITS.maxBytes)
    const huge = await refusal(query, `SELECT replace('${'y'.repeat(1_000)}', 'y', 'yyyyyyyyyy')`)
    expect([huge.code, huge.message]).toEqual(['LIMIT_EXCEEDED', expect.stringContaining('fewer columns')])
  })

  test('a query without end is stopped, and the next one is answered', async () => {
    const { query } = tools()
    const endless = 'WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT 1 FROM c) SELECT count(*) FROM c'
    expect(await refusal(query, endless)).toMatchObject({
      code: 'TIMEOUT',
      message: expect.stringContaining('1000 ms') as string,
    })
    expect((await ask(query, 'SELECT 1 AS one')).rows).toEqual([[1]])
  })

  test('a query ends when its call is cut', async () => {
    const [query] = sqlTools({ ...LIMITS, timeoutMs: 60_000, database: open().database }) as [Tool]
    const cutter = new AbortController()
    const endless = { sql: 'WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT 1 FROM c) SELECT count(*) FROM c' }
    const answer = callTool(query, endless, cutter.signal)
    setTimeout(() => cutter.abort(), 300)
    expect(await answer).toMatchObject({ code: 'CANCELLED' })
    expect((await ask(query, 'SELECT 1 AS one')).rows).toEqual([[1]])
  })

  test('nothing but one statement that reads is taken, however it is written', async () => {
    const { query } = tools()
    const before = await open().content()
    const hostile = [
      'SELECT 1; DELETE FROM t',
      'SELECT 1;;DELETE FROM t',
      'DELETE FROM t',
      '/* SELECT */ DELETE FROM t',
      '-- SELECT\nUPDATE t SET name = 1',
      '/*!50000 DELETE FROM t */ SELECT 1',
      'WITH gone AS (DELETE FROM t RETURNING *) SELECT * FROM gone',
      'WITH x AS (SELECT 1) INSERT INTO t (id, name) SELECT 7, 8',
      "INSERT INTO t (id, name) VALUES (9, 'x') RETURNING *",
      'CREATE TABLE made (a int)',
      'CREATE TEMP TABLE made (a int)',
      'CREATE TABLE made AS SELECT * FROM t',
      'ALTER TABLE t ADD COLUMN y int',
      'DROP TABLE t',
      'BEGIN',
      'COMMIT',
      'ROLLBACK',
      'SAVEPOINT s',
      'ANALYZE',
      'VACUUM',
      'REINDEX',
      'EXPLAIN DELETE FROM t',
      'SELECT 1) ; DELETE FROM t; --',
      '',
      ' ',
      ';',
      '-- nothing',
      'SELECT \0 1',
    ]
    for (const sql of hostile) {
      const answer = await callTool(query, { sql })
      expect(MandateError.isInstance(answer), `${JSON.stringify(sql)}: ${JSON.stringify(answer)}`).toBe(true)
    }
    expect(await open().content()).toBe(before)
  })

  test('a mistake comes back in words that a model can act on', async () => {
    const { query, schema } = tools()
    expect((await refusal(query, 'SELECT nme FROM t')).message).toMatch(/nme.*(sql_schema|t\.name)/u)
    expect((await refusal(query, 'SELECT * FROM nowhere')).message).toMatch(/nowhere.*sql_schema/u)
    expect((await refusal(query, 'DELETE FROM t')).message).toContain('one SELECT')
    expect((await callTool(schema, { table: 'nowhere' })) as Error).toMatchObject({
      message: expect.stringContaining('child') as string,
    })
  })

  test('the schema tells tables, columns, keys and references', async () => {
    const { schema } = tools()
    const { tables } = (await callTool(schema, {})) as unknown as { tables: { table: string; columns: string[] }[] }
    expect(tables.map(({ table }) => table)).toEqual(['a', 'child', 't'])
    expect(tables[2]!.columns[0]).toMatch(/^id int(eger)?( NOT NULL)? PRIMARY KEY$/iu)
    expect(tables[1]).toMatchObject({ references: ['parent → t.id'] })
    expect(await callTool(schema, { table: 'T' })).toMatchObject({ tables: [{ table: 't' }] })
  })

  test('what was not granted cannot be read', async () => {
    const { query } = tools()
    for (const sql of [
      'SELECT * FROM hidden',
      'SELECT (SELECT word FROM hidden) FROM t',
      'SELECT * FROM (SELECT word FROM hidden) AS x',
    ])
      expect(await refusal(query, sql)).toMatchObject({ code: 'DENIED' })
  })

  test('writing takes a database that was opened for it, and a tool of its own', async () => {
    expect(sqlTools({ database: open().database }).map(({ name }) => name)).toEqual(['sql_query', 'sql_schema'])
    const [query, , execute] = sqlTools({ ...LIMITS, database: open().writing }) as [Tool, Tool, Tool]
    expect(execute).toMatchObject({ name: 'sql_execute', risk: 'write', safeByDefault: false })
    expect((await refusal(query, "INSERT INTO t (id, name) VALUES (50, 'no')")).code).toBe('DENIED')
    const insert = `INSERT INTO t (id, name) VALUES (50, ${one()})`
    expect(await callTool(execute, { sql: insert, params: ["x'); DROP TABLE t; --"] })).toEqual({ changes: 1 })
    expect(await callTool(execute, { sql: 'DELETE FROM t WHERE id = 50 RETURNING name' })).toEqual({
      changes: 1,
      returned: { columns: ['name'], rows: [["x'); DROP TABLE t; --"]] },
    })
    const before = await open().content()
    for (const sql of [
      'DELETE FROM t WHERE id = 1; DELETE FROM t',
      'DROP TABLE t',
      "INSERT INTO t (id, name) VALUES (1, 'twice')",
      "INSERT INTO hidden VALUES ('x')",
    ])
      expect(MandateError.isInstance(await callTool(execute, { sql })), sql).toBe(true)
    expect(await open().content()).toBe(before)
  })
}

describe.skipIf(!canAsk)('SQLite', () => {
  const shop = new SqliteShop()
  const database = shop.open({ tables: ['t', 'a', 'child'] })
  const writing = shop.open({ tables: ['t', 'a', 'child'], write: true })
  afterAll(() => shop.close())

  anyDatabase(() => ({ database, writing, content: () => shop.content() }))

  test('no other file is reached, no extension loaded, nothing set', async () => {
    const [query, , execute] = sqlTools({ ...LIMITS, database: writing }) as [Tool, Tool, Tool]
    const other = join(shop.folder, 'other.db')
    for (const sql of [
      `ATTACH '${other}' AS o`,
      `VACUUM INTO '${other}'`,
      'PRAGMA query_only = 0',
      'PRAGMA journal_mode = DELETE',
      `SELECT load_extension('${other}')`,
      "SELECT fts3_tokenizer('simple')",
      'SELECT * FROM pragma_database_list',
      `CREATE VIRTUAL TABLE v USING fts5(a)`,
      "UPDATE sqlite_schema SET sql = ''",
      'SELECT * FROM sqlite_schema',
    ]) {
      for (const tool of [query, execute]) expect((await refusal(tool, sql)).code, sql).toMatch(/DENIED|INPUT_INVALID/u)
    }
    expect(existsSync(other)).toBe(false)
  })

  test('a statement that eats memory is ended with its process', async () => {
    const hungry = shop.open({ maxMemoryBytes: 150_000_000 })
    const [query] = sqlTools({ maxRows: 10, maxBytes: 1_000, timeoutMs: 30_000, database: hungry }) as [Tool]
    const error = await refusal(
      query,
      'SELECT length(group_concat(x)) FROM (SELECT hex(zeroblob(20000000)) AS x FROM a)',
    )
    expect([error.code, error.message]).toEqual(['LIMIT_EXCEEDED', expect.stringContaining('memory')])
    expect((await ask(query, 'SELECT 1')).rows).toEqual([[1]])
  })

  test('many queries at once are all answered', async () => {
    const [query] = sqlTools({ ...LIMITS, timeoutMs: 20_000, database }) as [Tool]
    const answers = await Promise.all(Array.from({ length: 20 }, (_, index) => ask(query, 'SELECT ?', [index])))
    expect(answers.map(({ rows }) => rows[0]![0])).toEqual(Array.from({ length: 20 }, (_, index) => index))
  })

  test('a file that is not there, or no database, is said to be so and is not made', async () => {
    const path = join(shop.folder, 'missing.db')
    const [query] = sqlTools({ database: sqlOverSqlite({ path }) }) as [Tool]
    expect(await refusal(query, 'SELECT 1')).toMatchObject({ code: 'CONNECTOR_FAILED' })
    expect(existsSync(path)).toBe(false)
    expect(() => sqlOverSqlite({ path: ':memory:' })).toThrow('path')
  })

  test('text that was built from what a page said does not become a statement', async () => {
    const journal = memoryJournal()
    const page = defineTool({ name: 'read_page', labels: ['untrusted:web'], run: () => "x' OR 1=1 --" })
    const [query] = sqlTools({ ...LIMITS, database }) as [Tool]
    const agent = new Agent(
      {
        model: scripted([
          { toolCalls: [{ name: 'read_page', input: {} }] },
          { toolCalls: [{ name: 'sql_query', input: { sql: "SELECT * FROM t WHERE name = 'x' OR 1=1 --'" } }] },
          'Done.',
        ]),
        tools: [page, query],
        mandate: {
          grant: ['sql_query'],
          flow: [{ id: 'sql-text', sink: 'sql_*', path: '/sql', forbid: ['untrusted:*'] }],
        },
      },
      { journal },
    )
    const { id } = await agent.run('Look it up.')
    const decided = (await readAll(journal, id)).filter(({ type }) => type === 'effect-decide')
    expect(decided.map(({ data }) => data)).toMatchObject([
      { name: 'sql_query', decision: { verdict: 'deny', rule: 'flow/sql-text' } },
    ])
    await agent.stop()
  })
})

describe.skipIf(!has('postgres'))('PostgreSQL', () => {
  let shop: PostgresShop
  let database: SqlDatabase
  let writing: SqlDatabase
  beforeAll(async () => {
    shop = await PostgresShop.create('mandate_sql_tools')
    database = shop.open({ schemas: ['public'] })
    writing = shop.open({ write: true })
  }, 60_000)
  afterAll(() => shop?.close())

  anyDatabase(() => ({ database, writing, content: () => shop.content() }))

  test('functions that write, set, sleep or reach outside leave nothing behind', async () => {
    const [query] = sqlTools({ ...LIMITS, database }) as [Tool]
    const before = await shop.content()
    for (const sql of [
      "SELECT setval('numbers', 42)",
      "SELECT nextval('numbers')",
      'SELECT sneaky()',
      'SELECT reopen()',
      "SELECT set_config('transaction_read_only', 'off', true)",
      "SELECT set_config('role', 'postgres', false)",
      "SELECT pg_read_file('/etc/passwd')",
      "SELECT pg_ls_dir('/')",
      "SELECT lo_import('/etc/passwd')",
      "SELECT dblink('host=127.0.0.1', 'SELECT 1')",
      "COPY t TO PROGRAM 'id'",
      "COPY (SELECT 1) TO '/tmp/mandate-copied'",
      'SELECT * INTO made FROM t',
      'SET ROLE postgres',
      'SET TRANSACTION READ WRITE',
      'SHOW all',
      'LISTEN x',
      'LOCK t',
      'SELECT * FROM t FOR UPDATE',
      'SELECT * FROM other_tenant.t',
      'DO $$ BEGIN DELETE FROM t; END $$',
      'CALL nothing()',
      'PREPARE p AS SELECT 1',
      'DECLARE c CURSOR FOR SELECT 1',
      'SELECT pg_sleep(100)',
    ]) {
      const answer = await callTool(query, { sql })
      expect(MandateError.isInstance(answer), `${sql}: ${JSON.stringify(answer)}`).toBe(true)
    }
    // These give an answer, and are taken back.
    for (const sql of [
      "SELECT set_config('statement_timeout', '0', false)",
      "SELECT pg_notify('x', 'y')",
      'SELECT pg_advisory_lock(1)',
      'SELECT lo_create(0)',
    ])
      await callTool(query, { sql })
    expect(await shop.content()).toBe(before)
    expect((await refusal(query, 'SELECT pg_sleep(100)')).code).toBe('TIMEOUT')
    expect((await shop.owner().query('SELECT pg_try_advisory_lock(1) AS free')).rows).toEqual([{ free: true }])
  }, 30_000)

  test('the server itself has stopped what was stopped', async () => {
    const [query] = sqlTools({ ...LIMITS, timeoutMs: 60_000, database }) as [Tool]
    const cutter = new AbortController()
    const answer = callTool(query, { sql: 'SELECT pg_sleep(300) /* cut-me */' }, cutter.signal)
    const running = async (): Promise<number> =>
      (
        await shop
          .owner()
          .query(
            `SELECT FROM pg_stat_activity WHERE query LIKE 'FETCH%' AND usename = 'mandate_sql_tools_reader' AND state = 'active'`,
          )
      ).rowCount!
    await expect.poll(running).toBe(1)
    cutter.abort()
    expect(await answer).toMatchObject({ code: 'CANCELLED' })
    await expect.poll(running, { timeout: 5_000 }).toBe(0)
  }, 20_000)

  test('a value that is larger than memory should hold is cut on the wire', async () => {
    const [query] = sqlTools({ ...LIMITS, timeoutMs: 20_000, database }) as [Tool]
    const error = await refusal(query, "SELECT repeat('x', 200000000)")
    expect(error.code).toBe('LIMIT_EXCEEDED')
    expect((await ask(query, 'SELECT 1')).rows).toEqual([[1]])
  }, 30_000)

  test('a connection that breaks while rows are written leaves the matter open, and says so', async () => {
    const [, , execute] = sqlTools({ ...LIMITS, timeoutMs: 20_000, database: writing }) as [Tool, Tool, Tool]
    const answer = callTool(execute, { sql: "INSERT INTO t (id, name) SELECT 70, pg_sleep(20)::text || 'x'" })
    const end = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'INSERT INTO t%' AND state = 'active'`
    await expect.poll(async () => (await shop.owner().query(end)).rowCount).toBe(1)
    expect(await answer).toMatchObject({
      code: 'CONNECTOR_FAILED',
      message: expect.stringContaining('not known') as string,
      info: { retriable: false },
    })
  })

  test('a role that could reach past the database is refused, unless the host says that it is meant', async () => {
    const [query] = sqlTools({ ...LIMITS, database: sqlOverPostgres({ pool: shop.owner() }) }) as [Tool]
    expect(await refusal(query, 'SELECT 1')).toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining('superuser') as string,
    })
    const [trusted] = sqlTools({ ...LIMITS, database: sqlOverPostgres({ pool: shop.owner(), trustRole: true }) }) as [
      Tool,
    ]
    expect((await ask(trusted, 'SELECT 1')).rows).toEqual([[1]])
  })

  test('a driver that sends several statements at once is refused', async () => {
    const pool = shop.reader()
    const careless = {
      connect: async () => {
        const client = await pool.connect()
        return {
          query: ({ text }: { text: string }) => client.query(text) as never,
          release: (destroy?: boolean) => client.release(destroy),
        }
      },
    }
    const [query] = sqlTools({ ...LIMITS, database: sqlOverPostgres({ pool: careless }) }) as [Tool]
    expect(await refusal(query, 'SELECT 1')).toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining('driver') as string,
    })
  })

  test('a server that is not there is a failure of the connector, and clients go back to the pool', async () => {
    const unreachable = { connect: () => Promise.reject(new Error('connect ECONNREFUSED')) }
    const [query] = sqlTools({ ...LIMITS, database: sqlOverPostgres({ pool: unreachable }) }) as [Tool]
    expect(await refusal(query, 'SELECT 1')).toMatchObject({ code: 'CONNECTOR_FAILED' })
    const pool = shop.reader()
    const [live] = sqlTools({ ...LIMITS, database: sqlOverPostgres({ pool }) }) as [Tool]
    await Promise.all(Array.from({ length: 20 }, () => ask(live, 'SELECT 1')))
    expect(pool.totalCount).toBe(pool.idleCount)
  })
})
