import type { constants as Constants } from 'node:sqlite'

type Codes = typeof Constants
export type Authorizer = (action: number, first: string | null, second: string | null) => number

/** Functions that reach past the data. */
const FORBIDDEN_FUNCTIONS: ReadonlySet<string> = new Set([
  'load_extension',
  'readfile',
  'writefile',
  'edit',
  'fts3_tokenizer',
  'sqlite_compileoption_get',
  'sqlite_compileoption_used',
])

export interface AuthorizerOptions {
  /** The tables that may be read; all when absent. */
  readonly tables?: readonly string[] | undefined
  /** Whether rows may be written. */
  readonly write: boolean
}

/**
 * What SQLite asks about every step of a statement while it compiles it. Only what reads is allowed (and, where granted, what changes rows):
 * no ATTACH, no PRAGMA, no transaction, no change of the schema, no virtual table, nothing that is not on the list.
 */
export function authorizer(codes: Codes, { tables, write }: AuthorizerOptions): Authorizer {
  const named = tables === undefined ? undefined : new Set(tables.map((table) => table.toLowerCase()))
  const isVisible = (table: string | null): boolean => named === undefined || named.has((table ?? '').toLowerCase())
  const changes: readonly number[] = [codes.SQLITE_INSERT, codes.SQLITE_UPDATE, codes.SQLITE_DELETE]
  return (action, first, second) => {
    if (action === codes.SQLITE_SELECT || action === codes.SQLITE_RECURSIVE) return codes.SQLITE_OK
    // Functions in the place of tables (json_each) are asked about as tables, too; they hold nothing of the database.
    if (action === codes.SQLITE_READ)
      return isVisible(first) || isTableFunction(first) ? codes.SQLITE_OK : codes.SQLITE_DENY
    if (action === codes.SQLITE_FUNCTION)
      return FORBIDDEN_FUNCTIONS.has((second ?? '').toLowerCase()) ? codes.SQLITE_DENY : codes.SQLITE_OK
    if (write && changes.includes(action) && isVisible(first) && !/^sqlite_/iu.test(first ?? '')) return codes.SQLITE_OK
    return codes.SQLITE_DENY
  }
}

function isTableFunction(name: string | null): boolean {
  return name === 'json_each' || name === 'json_tree'
}
