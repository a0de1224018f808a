import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import { MandateError } from 'mandate'
import type { Json } from 'mandate'
import { sqlOverPostgres, sqlOverSqlite } from 'mandate/connect'
import type { SqlOverPostgresOptions } from '../../src/connect/sql/sql-over-postgres.ts'
import type { SqlOverSqliteOptions } from '../../src/connect/sql/sql-over-sqlite.ts'
import type { SqlDatabase } from 'mandate/connect'
import type { Tool, ToolContext } from 'mandate/tool'
import { sharedServer } from '../servers/shared.ts'

/** Before Node 24.10 SQLite cannot ask what a statement may do, and the connector refuses to run any. */
export const canAsk: boolean = typeof DatabaseSync.prototype.setAuthorizer === 'function'

const SQLITE_TABLES = `
  CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT NOT NULL, x TEXT);
  CREATE TABLE a (n INTEGER);
  CREATE TABLE hidden (word TEXT);
  CREATE TABLE child (id INTEGER PRIMARY KEY, parent INTEGER REFERENCES t (id));
  INSERT INTO t VALUES (1, 'a''b', 'aaaaaaaaaaaaaaaaaaaaaaaaaaaa!'), (2, 'c', NULL);
  INSERT INTO hidden VALUES ('hidden word');
  WITH RECURSIVE c (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 60) INSERT INTO a SELECT n FROM c;
`

/** A folder with a SQLite database in it, gone when it is disposed of. */
export class SqliteShop {
  readonly folder: string = mkdtempSync(join(tmpdir(), 'mandate-sql-'))
  readonly path: string = join(this.folder, 'shop.db')
  readonly #open: SqlDatabase[] = []

  constructor() {
    this.run(SQLITE_TABLES)
  }

  run(sql: string): void {
    const database = new DatabaseSync(this.path)
    database.exec(sql)
    database.close()
  }

  /** What is in the tables, whoever wrote it. */
  content(): string {
    const database = new DatabaseSync(this.path)
    const tables = database.prepare('SELECT name, sql FROM sqlite_schema ORDER BY name').all()
    const rows = database.prepare('SELECT * FROM t').all()
    database.close()
    return JSON.stringify([tables, rows])
  }

  open(options: Partial<SqlOverSqliteOptions> = {}): SqlDatabase {
    const database = sqlOverSqlite({ path: this.path, ...options })
    this.#open.push(database)
    return database
  }

  async close(): Promise<void> {
    await Promise.all(this.#open.map((database) => database.close()))
    rmSync(this.folder, { recursive: true })
  }
}

/** A PostgreSQL database of its own on the shared server, with a role that may read one schema. */
export class PostgresShop {
  readonly #pools: pg.Pool[] = []
  readonly #name: string
  readonly #url: URL
  #looker: pg.Pool | undefined

  private constructor(url: string, name: string) {
    this.#url = new URL(url)
    this.#name = name
  }

  static async create(name: string): Promise<PostgresShop> {
    const shop = new PostgresShop(await sharedServer('postgres'), name)
    const server = new pg.Client({ connectionString: shop.#url.href })
    await server.connect()
    await server.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
    await server.query(`DROP ROLE IF EXISTS ${name}_reader`)
    await server.query(`CREATE ROLE ${name}_reader LOGIN PASSWORD 'reader'`)
    await server.query(`CREATE DATABASE ${name}`)
    await server.end()
    const owner = shop.owner()
    await owner.query(`
      CREATE TABLE t (id int PRIMARY KEY, name text NOT NULL, x text);
      CREATE TABLE a (n int);
      CREATE TABLE child (id int PRIMARY KEY, parent int REFERENCES t (id));
      CREATE TABLE hidden (word text);
      CREATE SEQUENCE numbers;
      CREATE SCHEMA other_tenant;
      CREATE TABLE other_tenant.t (id int);
      INSERT INTO t VALUES (1, 'a''b', repeat('a', 28) || '!'), (2, 'c', NULL);
      INSERT INTO hidden VALUES ('hidden word');
      INSERT INTO a SELECT generate_series(1, 60);
      CREATE FUNCTION sneaky() RETURNS int LANGUAGE plpgsql SECURITY DEFINER AS
        $$ BEGIN INSERT INTO t VALUES (99, 'sneaky'); RETURN 1; END $$;
      CREATE FUNCTION reopen() RETURNS int LANGUAGE plpgsql AS
        $$ BEGIN SET TRANSACTION READ WRITE; INSERT INTO t VALUES (98, 'reopened'); RETURN 1; END $$;
      GRANT SELECT ON t, a, child TO ${name}_reader;
      GRANT INSERT, UPDATE, DELETE ON t TO ${name}_reader;
      GRANT USAGE, UPDATE ON SEQUENCE numbers TO ${name}_reader;
    `)
    return shop
  }

  owner(): pg.Pool {
    return this.#pool(this.#url.username, decodeURIComponent(this.#url.password))
  }

  /** The address of the database for the role that agents get. */
  readerUrl(): string {
    const url = new URL(this.#url)
    Object.assign(url, { username: `${this.#name}_reader`, password: 'reader', pathname: `/${this.#name}` })
    return url.href
  }

  /** Connections of the role that agents get. */
  reader(): pg.Pool {
    return this.#pool(`${this.#name}_reader`, 'reader')
  }

  open(options: Partial<SqlOverPostgresOptions> = {}): SqlDatabase {
    return sqlOverPostgres({ pool: this.reader(), ...options })
  }

  async content(): Promise<string> {
    this.#looker ??= this.owner()
    const { rows } = await this.#looker.query(`SELECT (SELECT json_agg(t ORDER BY id) FROM t) AS t,
      (SELECT json_agg(relname ORDER BY relname) FROM pg_class WHERE relnamespace = 'public'::regnamespace) AS names,
      (SELECT last_value FROM numbers) AS numbers, (SELECT count(*) FROM pg_largeobject_metadata) AS objects`)
    return JSON.stringify(rows)
  }

  async close(): Promise<void> {
    await Promise.all(this.#pools.map((pool) => pool.end()))
  }

  #pool(user: string, password: string): pg.Pool {
    const pool = new pg.Pool({
      host: this.#url.hostname,
      port: Number(this.#url.port),
      database: this.#name,
      user,
      password,
      max: 3,
    })
    pool.on('error', () => {})
    this.#pools.push(pool)
    return pool
  }
}

/** Calls a tool as the kernel would: validated first. What it was refused with comes back as an error. */
export async function callTool(tool: Tool, input: Json, signal?: AbortSignal): Promise<Json | MandateError> {
  const checked = await tool.validate(input)
  if (!checked.valid) return new MandateError('SCHEMA_INVALID', JSON.stringify(checked.issues))
  const ctx = { signal: signal ?? new AbortController().signal } as ToolContext
  try {
    return (await tool.run(checked.value, ctx)) as Json
  } catch (error) {
    if (MandateError.isInstance(error)) return error
    throw error
  }
}
