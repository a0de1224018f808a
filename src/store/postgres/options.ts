import { MandateError, nearest } from '../../core/index.ts'
import type { FieldNames } from '../../core/index.ts'
import { checkEncryption } from '../encryption/index.ts'
import type { Encryption } from '../encryption/index.ts'

/** How to connect to a Postgres server. */
export interface PostgresOptions {
  /** `postgres://user:password@host:5432/database`; parameters such as `?sslmode=require` as usual, and `?schema=name` in place of `schema`. */
  readonly url: string
  /** The schema of the tables; `mandate` by default. Created if it is missing. Several stores can share a database, each with its own schema. */
  readonly schema?: string | undefined
  /** The maximum number of connections; 8 by default. Watching for changes takes one more. */
  readonly poolSize?: number | undefined
  /** How long to wait for a connection; 10 seconds by default. */
  readonly connectTimeoutMs?: number | undefined
  /** The time limit of a statement; 30 seconds by default. */
  readonly statementTimeoutMs?: number | undefined
  /**
   * How long calls wait for a server that was reachable before (a restart, a failover), until they fail with STORE_FAILED; 30 seconds by default.
   * Statements in progress are repeated in a way that cannot store anything twice.
   */
  readonly patienceMs?: number | undefined
  /** Whether statements are prepared once per connection. Use `false` behind a pooler that changes connections between statements. */
  readonly prepare?: boolean | undefined
  /** Encrypts the contents of entries, signals, memories and values. Names, states, times and hashes stay readable. */
  readonly encryption?: Encryption | undefined
  /** Opens an encrypted store without its keys, to verify it: chains can be checked, and contents read as erased. Nothing can be added. */
  readonly withoutKeys?: boolean | undefined
}

export const POSTGRES_OPTIONS: FieldNames<PostgresOptions> = {
  url: 'text',
  schema: 'text',
  poolSize: true,
  connectTimeoutMs: true,
  statementTimeoutMs: true,
  patienceMs: true,
  prepare: 'flag',
  encryption: 'function|object',
  withoutKeys: 'flag',
}

/** The options with defaults. */
export interface LinkOptions {
  readonly url: string
  readonly schema: string
  readonly poolSize: number
  readonly connectTimeoutMs: number
  readonly statementTimeoutMs: number
  readonly patienceMs: number
  readonly prepare: boolean
  readonly encryption: Encryption | undefined
  readonly withoutKeys: boolean
  /** The server and database without the password, for messages. */
  readonly name: string
}

/** Applies defaults and validates the options, before connecting. */
export function linkOptions(options: PostgresOptions): LinkOptions {
  const { server, name, given } = readUrl(options.url)
  const {
    schema = given ?? 'mandate',
    poolSize = 8,
    connectTimeoutMs = 10_000,
    statementTimeoutMs = 30_000,
    patienceMs = 30_000,
  } = options
  if (!/^[A-Za-z_][A-Za-z0-9_]{0,62}$/.test(schema))
    throw invalid(`\`schema\` is "${schema}". Give letters, digits and underscores, at most 63.`)
  if (!(Number.isInteger(poolSize) && poolSize >= 1 && poolSize <= 1_000))
    throw invalid(`\`poolSize\` is ${String(poolSize)}. Give a whole number from 1 up.`)
  for (const [key, value] of Object.entries({ connectTimeoutMs, statementTimeoutMs, patienceMs }))
    if (!(Number.isFinite(value) && value >= 0))
      throw invalid(`\`${key}\` is ${String(value)}. Give a number of milliseconds from 0 up.`)
  return {
    url: server,
    schema,
    poolSize,
    connectTimeoutMs,
    statementTimeoutMs: Math.floor(statementTimeoutMs),
    patienceMs,
    prepare: options.prepare ?? true,
    encryption: checkEncryption(options.encryption),
    withoutKeys: options.withoutKeys ?? false,
    name,
  }
}

/** The server for the driver and for messages, and the schema if the URL has one. */
function readUrl(url: unknown): { server: string; name: string; given: string | undefined } {
  const parsed = typeof url === 'string' && URL.canParse(url) ? new URL(url) : undefined
  if (parsed?.protocol !== 'postgres:' && parsed?.protocol !== 'postgresql:')
    throw invalid('`url` must name a Postgres database: `postgres://user:password@host:5432/database`.')
  const given = parsed.searchParams.get('schema') ?? undefined
  // The driver ignores unknown parameters: with a misspelt `schema` the store would be in the wrong schema.
  for (const parameter of parsed.searchParams.keys())
    if (parameter !== 'schema' && nearest(parameter, ['schema']) !== undefined)
      throw invalid(`\`url\` has the parameter "${parameter}". Did you mean "schema"?`)
  const name = `postgres://${parsed.host || 'localhost'}${parsed.pathname}`
  parsed.searchParams.delete('schema')
  return { server: given === undefined ? (url as string) : parsed.href, name, given }
}

function invalid(message: string): MandateError {
  return new MandateError('CONFIG_INVALID', message)
}
