import { MandateError } from '../../core/index.ts'
import type { FieldNames } from '../../core/index.ts'
import type { Encryption } from '../encryption/index.ts'

/** How a Postgres server is reached, and how it is treated. */
export interface PostgresOptions {
  /** `postgres://user:password@host:5432/database`; parameters such as `?sslmode=require` as usual, and `?schema=name` in place of `schema`. */
  readonly url: string
  /** The schema that holds the tables; `mandate` when absent. It is made when it is missing. Several stores can share a database, each with its own. */
  readonly schema?: string | undefined
  /** Most connections at a time; 8 when absent. Watching for changes takes one more. */
  readonly poolSize?: number | undefined
  /** How long to wait for a connection; 10 seconds when absent. */
  readonly connectTimeoutMs?: number | undefined
  /** How long one statement may take; 30 seconds when absent. */
  readonly statementTimeoutMs?: number | undefined
  /**
   * How long calls wait for a server that was there and went away (a restart, a failover), before they fail with STORE_FAILED; 30 seconds when absent.
   * What was under way is asked again, in a way that cannot store it twice.
   */
  readonly patienceMs?: number | undefined
  /** Whether statements are prepared once per connection. Say `false` behind a pooler that hands connections around between statements. */
  readonly prepare?: boolean | undefined
  /** Seals what entries, signals, memories and values say. Names, states, times and hashes stay readable. */
  readonly encryption?: Encryption | undefined
  /** Opens a sealed store without its keys, to verify it: chains can be checked, and what entries say reads as erased. Nothing can be added. */
  readonly withoutKeys?: boolean | undefined
}

export const POSTGRES_OPTIONS: FieldNames<PostgresOptions> = {
  url: true,
  schema: true,
  poolSize: true,
  connectTimeoutMs: true,
  statementTimeoutMs: true,
  patienceMs: true,
  prepare: true,
  encryption: true,
  withoutKeys: true,
}

/** The same with nothing left open. */
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
  /** The server and database as they may be shown: no password. */
  readonly name: string
}

/** Fills in what was left out and refuses what makes no sense, before anything is connected. */
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
    encryption: options.encryption,
    withoutKeys: options.withoutKeys ?? false,
    name,
  }
}

/** The server as the driver is to know it, as it may be shown, and the schema where the URL names one. */
function readUrl(url: unknown): { server: string; name: string; given: string | undefined } {
  const parsed = typeof url === 'string' && URL.canParse(url) ? new URL(url) : undefined
  if (parsed?.protocol !== 'postgres:' && parsed?.protocol !== 'postgresql:')
    throw invalid('`url` must name a Postgres database: `postgres://user:password@host:5432/database`.')
  const given = parsed.searchParams.get('schema') ?? undefined
  const name = `postgres://${parsed.host || 'localhost'}${parsed.pathname}`
  parsed.searchParams.delete('schema')
  return { server: given === undefined ? (url as string) : parsed.href, name, given }
}

function invalid(message: string): MandateError {
  return new MandateError('CONFIG_INVALID', message)
}
