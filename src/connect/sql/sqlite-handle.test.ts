import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import type { ToolContext } from '../../tool/index.ts'
import type { SqlDatabase } from './database.ts'
import { sqlTools } from './sql-tools.ts'
import { SqliteHandle } from './sqlite-handle.ts'

const LIMITS = { maxRows: 10, maxBytes: 1_000, timeoutMs: 1_000 }

function shop(): string {
  const folder = mkdtempSync(join(tmpdir(), 'mandate-handle-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const path = join(folder, 'shop.db')
  const database = new DatabaseSync(path)
  database.exec('CREATE TABLE orders (id); CREATE TABLE salaries (id); INSERT INTO orders VALUES (1)')
  database.close()
  return path
}

/** Before Node 24.10 SQLite has no authorizer there. */
const hasAuthorizer = 'setAuthorizer' in DatabaseSync.prototype

test.skipIf(hasAuthorizer)('no statement is carried out where nothing can keep it from other files', () => {
  const handle = new SqliteHandle({ path: shop(), write: false })
  expect(() => handle.query({ sql: 'SELECT id FROM orders', params: [] }, LIMITS)).toThrow('needs Node 24.10 or later')
})

test.runIf(hasAuthorizer)('a second statement is refused instead of being left out', () => {
  const handle = new SqliteHandle({ path: shop(), write: false })
  const query = (sql: string): unknown => handle.query({ sql, params: [] }, LIMITS)
  expect(() => query('SELECT id FROM orders; SELECT 2')).toThrow('one statement')
  expect(query('SELECT id FROM orders -- all of them')).toMatchObject({ rows: [[1]] })
})

test.runIf(hasAuthorizer)('tables that are not granted, and other files, are closed to a statement', () => {
  const path = shop()
  const handle = new SqliteHandle({ path, tables: ['orders'], write: true })
  expect(() => handle.query({ sql: 'SELECT id FROM salaries', params: [] }, LIMITS)).toThrow(
    /not permitted|not granted/,
  )
  for (const one of [handle, new SqliteHandle({ path, write: true })])
    expect(() => one.execute({ sql: `ATTACH '${path}2' AS other`, params: [] }, LIMITS)).toThrow('not authorized')
  expect(handle.query({ sql: 'SELECT id FROM orders', params: [] }, LIMITS)).toMatchObject({ rows: [[1]] })
})

test('a statement with a NUL character reaches no database: what follows it would not be seen', async () => {
  const asked: string[] = []
  const database = {
    dialect: 'SQLite',
    placeholders: '?',
    query: async ({ sql }) => (asked.push(sql), { columns: [], rows: [] }),
    tables: async () => [],
    close: async () => {},
  } as SqlDatabase
  const query = sqlTools({ database }).find(({ name }) => name === 'sql_query')!
  const context = { signal: new AbortController().signal, emit: () => {} } as unknown as ToolContext
  const run = async (sql: string): Promise<unknown> => query.run({ sql }, context)
  await expect(run('SELECT 1\0 FROM orders')).rejects.toThrow('NUL')
  await run('SELECT 1')
  expect(asked).toEqual(['SELECT 1'])
})
