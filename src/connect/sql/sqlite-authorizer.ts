import type { constants as Constants } from 'node:sqlite'

type Codes = typeof Constants
export type Authorizer = (action: number, first: string | null, second: string | null) => number

/** Functions that reach beyond the data. */
const FORBIDDEN_FUNCTIONS: ReadonlySet<string> = new Set([
  'load_extension',
  'readfile',
  'writefile',
  'edit',
  'fts3_tokenizer',
  'sqlite_compileoption_get',
  'sqlite_compileoption_used',
])

/** SQLite's own tables besides those of the file: catalogue and statistics. */
const OWN_TABLE = /^(?:sqlite_|pragma_|dbstat|bytecode|tables_used)/iu

interface AuthorizerOptions {
  /** The tables that may be used; all by default. */
  readonly tables?: readonly string[] | undefined
  /** Whether the file has a table of this name. SQLite also passes names that a statement gives to its own parts. */
  readonly isTable: (name: string) => boolean
  /** Whether rows may be written. */
  readonly write: boolean
}

/**
 * An authorizer for SQLite, which calls it for every action of a statement while compiling it. Only reading is allowed (and, if granted, changing
 * rows): no ATTACH, PRAGMA, transaction, schema change or virtual table, and nothing that is not on the list.
 */
export function authorizer(codes: Codes, { tables, isTable, write }: AuthorizerOptions): Authorizer {
  const named = tables === undefined ? undefined : new Set(tables.map((table) => table.toLowerCase()))
  const isGranted = (table: string): boolean => named === undefined || named.has(table.toLowerCase())
  const isReadable = (table: string): boolean => isGranted(table) || !(isTable(table) || OWN_TABLE.test(table))
  const changes: readonly number[] = [codes.SQLITE_INSERT, codes.SQLITE_UPDATE, codes.SQLITE_DELETE]
  return (action, first, second) => {
    if (action === codes.SQLITE_SELECT || action === codes.SQLITE_RECURSIVE) return codes.SQLITE_OK
    if (action === codes.SQLITE_READ) return isReadable(first ?? '') ? codes.SQLITE_OK : codes.SQLITE_DENY
    if (action === codes.SQLITE_FUNCTION)
      return FORBIDDEN_FUNCTIONS.has((second ?? '').toLowerCase()) ? codes.SQLITE_DENY : codes.SQLITE_OK
    const isChange = write && changes.includes(action) && isGranted(first ?? '') && !OWN_TABLE.test(first ?? '')
    return isChange ? codes.SQLITE_OK : codes.SQLITE_DENY
  }
}
