import type { Json } from '../../core/index.ts'

/** What a value of a statement may be: it is bound, never written into the text. */
export type SqlParam = string | number | boolean | null

/** How much one statement may take and give. */
export interface SqlLimits {
  /** More rows are cut off. */
  readonly maxRows: number
  /** Of the rows as JSON; those beyond are cut off. */
  readonly maxBytes: number
  /** The database is stopped after this. */
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

/** What a query gave; rows hold their values in the order of the columns. */
export interface SqlRows {
  readonly columns: readonly string[]
  readonly rows: readonly (readonly Json[])[]
  /** What cut the rows off, where something did. */
  readonly truncated?: 'rows' | 'bytes' | undefined
}

export interface SqlChange {
  /** How many rows were written. */
  readonly changes: number
  /** What `RETURNING` gave. */
  readonly returned?: SqlRows | undefined
}

/** A table as a model is told about it. */
export interface SqlTable {
  readonly table: string
  readonly kind: 'table' | 'view'
  /** Each as it would be declared: `id INTEGER NOT NULL PRIMARY KEY`. */
  readonly columns: readonly string[]
  /** `author_id → authors.id` */
  readonly references?: readonly string[] | undefined
}

/** A database behind the SQL tools. It enforces by its own means that `query` only reads. */
export interface SqlDatabase {
  readonly dialect: 'SQLite' | 'PostgreSQL'
  /** How a value is referred to in the text. */
  readonly placeholders: string
  query(statement: SqlStatement, call: SqlCall): Promise<SqlRows>
  /** Absent where the database was opened for reading only. */
  execute?(statement: SqlStatement, call: SqlCall): Promise<SqlChange>
  tables(call: SqlCall): Promise<readonly SqlTable[]>
  close(): Promise<void>
}
