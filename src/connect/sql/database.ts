import type { Json } from '../../core/index.ts'

/** The type of a parameter: it is bound, never written into the text. */
export type SqlParam = string | number | boolean | null

/** Limits of one statement. */
export interface SqlLimits {
  /** Further rows are dropped. */
  readonly maxRows: number
  /** The size of the rows as JSON; further rows are dropped. */
  readonly maxBytes: number
  /** The statement is stopped after this time. */
  readonly timeoutMs: number
}

export interface SqlStatement {
  readonly sql: string
  readonly params: readonly SqlParam[]
}

export interface SqlCall {
  readonly limits: SqlLimits
  readonly signal: AbortSignal
}

/** The result of a query; rows have their values in the order of the columns. */
export interface SqlRows {
  readonly columns: readonly string[]
  readonly rows: readonly (readonly Json[])[]
  /** Which limit truncated the rows, if one did. */
  readonly truncated?: 'rows' | 'bytes' | undefined
}

export interface SqlChange {
  /** The number of changed rows. */
  readonly changes: number
  /** The rows of `RETURNING`. */
  readonly returned?: SqlRows | undefined
}

/** A table as described to a model. */
export interface SqlTable {
  readonly table: string
  readonly kind: 'table' | 'view'
  /** Each as it would be declared: `id INTEGER NOT NULL PRIMARY KEY`. */
  readonly columns: readonly string[]
  /** `author_id → authors.id` */
  readonly references?: readonly string[] | undefined
}

/** A database behind the SQL tools. It must itself enforce that `query` only reads. */
export interface SqlDatabase {
  readonly dialect: 'SQLite' | 'PostgreSQL'
  /** The syntax of parameters. */
  readonly placeholders: string
  query(statement: SqlStatement, call: SqlCall): Promise<SqlRows>
  /** Absent if the database was opened read-only. */
  execute?(statement: SqlStatement, call: SqlCall): Promise<SqlChange>
  tables(call: SqlCall): Promise<readonly SqlTable[]>
  close(): Promise<void>
}
