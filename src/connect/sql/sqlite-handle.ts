import { existsSync } from 'node:fs'
import type { DatabaseSync, StatementSync, constants } from 'node:sqlite'
import { MandateError, messageOf } from '../../core/index.ts'
import type { SqlChange, SqlLimits, SqlParam, SqlRows, SqlStatement, SqlTable } from './database.ts'
import { badStatement, notPermitted, oneStatement, onlyReads } from './sql-errors.ts'
import { authorizer } from './sqlite-authorizer.ts'
import type { Authorizer } from './sqlite-authorizer.ts'
import { collectRows } from './values.ts'

export interface SqliteHandleOptions {
  readonly path: string
  readonly tables?: readonly string[] | undefined
  readonly write: boolean
}

const READONLY = 8
const AUTH = 23
const LISTED = `SELECT name, type FROM sqlite_schema WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name`

interface Module {
  readonly DatabaseSync: typeof DatabaseSync
  readonly constants: typeof constants
}

/** The database as the tools may use it; runs in its own process. */
export class SqliteHandle {
  readonly #options: SqliteHandleOptions
  #reader: DatabaseSync | undefined
  #writer: DatabaseSync | undefined
  /** The tables of the file. */
  #names: ReadonlySet<string> = new Set()

  constructor(options: SqliteHandleOptions) {
    this.#options = options
  }

  query(statement: SqlStatement, limits: SqlLimits): SqlRows {
    const database = (this.#reader ??= this.#open(false))
    return attempt(() => {
      const prepared = this.#prepare(database, statement.sql, false)
      if (prepared.columns().length === 0) throw onlyReads('it gives no rows')
      return rowsOf(prepared, statement.params, limits)
    })
  }

  /** Atomic: SQLite rolls back a statement that fails, and so does ending the process. */
  execute(statement: SqlStatement, limits: SqlLimits): SqlChange {
    const database = (this.#writer ??= this.#open(true))
    return attempt(() => {
      const before = totalChanges(database)
      const prepared = this.#prepare(database, statement.sql, true)
      const isReturning = prepared.columns().length > 0
      const returned = isReturning ? returnedRows(prepared, statement.params, limits) : undefined
      if (!isReturning) prepared.run(...statement.params.map(boundValue))
      return { changes: totalChanges(database) - before, ...(returned === undefined ? {} : { returned }) }
    })
  }

  tables(): readonly SqlTable[] {
    const { tables } = this.#options
    const granted = tables && new Set(tables.map((table) => table.toLowerCase()))
    const database = (this.#reader ??= this.#open(false))
    return this.#asOurselves(database, false, () => {
      const listed = database.prepare(LISTED).all() as { name: string; type: 'table' | 'view' }[]
      const shown = listed.filter(({ name }) => granted === undefined || granted.has(name.toLowerCase()))
      return shown.map(({ name, type }) => describeTable(database, name, type))
    })
  }

  /** Compiles a statement of the caller. If only some tables are granted, the names of tables are read each time, because they may have changed. */
  #prepare(database: DatabaseSync, sql: string, write: boolean): StatementSync {
    if (this.#options.tables !== undefined) this.#names = this.#asOurselves(database, write, () => namesOf(database))
    return prepareOne(database, sql)
  }

  /** Executes the connector's own queries without the caller's restrictions. */
  #asOurselves<T>(database: DatabaseSync, write: boolean, work: () => T): T {
    database.setAuthorizer(null)
    try {
      return work()
    } finally {
      database.setAuthorizer(this.#authorizer(write))
    }
  }

  #open(write: boolean): DatabaseSync {
    const { path } = this.#options
    if (!existsSync(path)) throw new MandateError('CONNECTOR_FAILED', `There is no database ${path}.`)
    const { DatabaseSync: Database } = sqlite()
    let database: DatabaseSync
    try {
      database = new Database(path, {
        readOnly: !write,
        allowExtension: false,
        timeout: 2_000,
        defensive: true,
      })
      database.exec(
        `PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA temp_store = MEMORY; PRAGMA query_only = ${write ? 'OFF' : 'ON'}`,
      )
    } catch (cause) {
      throw new MandateError('CONNECTOR_FAILED', `${path} cannot be opened: ${messageOf(cause)}.`, { cause })
    }
    if (typeof database.setAuthorizer !== 'function')
      throw new MandateError(
        'CONFIG_INVALID',
        'SQL on SQLite needs Node 24.10 or later: before that nothing can keep a statement from ATTACH.',
      )
    database.setAuthorizer(this.#authorizer(write))
    return database
  }

  #authorizer(write: boolean): Authorizer {
    return authorizer(sqlite().constants, {
      tables: this.#options.tables,
      isTable: (name) => this.#names.has(name.toLowerCase()),
      write,
    })
  }
}

function sqlite(): Module {
  return process.getBuiltinModule('node:sqlite')
}

function namesOf(database: DatabaseSync): ReadonlySet<string> {
  const rows = database.prepare(`SELECT lower(name) AS name FROM sqlite_schema WHERE type IN ('table', 'view')`).all()
  return new Set(rows.map(({ name }) => String(name)))
}

/** Compiles one statement and refuses another after it, which SQLite would silently ignore. */
function prepareOne(database: DatabaseSync, sql: string): StatementSync {
  const statement = database.prepare(sql)
  const rest = sql.slice(statement.sourceSQL.length)
  // Blanks and comments are not a statement; a semicolon between them would end an empty one.
  const isOnlyComments = isEmpty(database, rest) && !rest.replaceAll(/--[^\n]*|\/\*[^]*?\*\//g, '').includes(';')
  if (rest !== '' && !isOnlyComments) throw oneStatement()
  return statement
}

/** Whether there are only blanks, comments and semicolons, as judged by SQLite itself. */
function isEmpty(database: DatabaseSync, sql: string): boolean {
  try {
    database.prepare(sql)
    return false
  } catch (error) {
    return (error as { code?: unknown }).code === 'ERR_INVALID_ARG_VALUE'
  }
}

function rowsOf(statement: StatementSync, params: readonly SqlParam[], limits: SqlLimits): SqlRows {
  const columns = statement.columns().map(({ name }) => name)
  statement.setReturnArrays(true)
  statement.setReadBigInts(true)
  const rows = statement.iterate(...params.map(boundValue)) as unknown as Iterable<readonly unknown[]>
  return collectRows(columns, rows, limits)
}

/** The change is made already, so the returned rows can only be truncated, not refused. */
function returnedRows(statement: StatementSync, params: readonly SqlParam[], limits: SqlLimits): SqlRows {
  try {
    return rowsOf(statement, params, limits)
  } catch (error) {
    if (!MandateError.isInstance(error) || error.code !== 'LIMIT_EXCEEDED') throw error
    return { columns: statement.columns().map(({ name }) => name), rows: [], truncated: 'bytes' }
  }
}

function boundValue(param: SqlParam): string | number | null {
  return typeof param === 'boolean' ? Number(param) : param
}

function totalChanges(database: DatabaseSync): number {
  return Number(database.prepare('SELECT total_changes() AS count').get()?.['count'])
}

function describeTable(database: DatabaseSync, table: string, kind: 'table' | 'view'): SqlTable {
  const columns = database.prepare('SELECT name, type, "notnull" AS required, pk FROM pragma_table_xinfo(?)').all(table)
  const keys = database
    .prepare('SELECT "from" AS source, "table" AS target, "to" AS field FROM pragma_foreign_key_list(?)')
    .all(table)
  const references = keys.map(({ source, target, field }) => `${String(source)} → ${String(target)}.${String(field)}`)
  return {
    table,
    kind,
    columns: columns.map(({ name, type, required, pk }) =>
      [name, type, required === 1 ? 'NOT NULL' : '', pk === 0 ? '' : 'PRIMARY KEY']
        .filter((word) => word !== '')
        .join(' '),
    ),
    ...(references.length === 0 ? {} : { references }),
  }
}

function attempt<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (MandateError.isInstance(error)) throw error
    const { errcode } = error as { errcode?: number }
    const said = messageOf(error)
    if (errcode !== undefined && (errcode & 0xff) === READONLY) throw onlyReads(said)
    if (errcode !== undefined && (errcode & 0xff) === AUTH)
      throw /prohibited/u.test(said) ? notPermitted(said) : onlyReads(said)
    throw /not authorized to use function/u.test(said) ? notPermitted(said) : badStatement(said)
  }
}
