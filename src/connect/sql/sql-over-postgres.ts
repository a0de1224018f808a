import { MandateError, messageOf, systemClock, checkNeeded } from '../../core/index.ts'
import type { FieldNames } from '../../core/index.ts'
import type { SqlCall, SqlChange, SqlDatabase, SqlRows, SqlStatement, SqlTable } from './database.ts'
import { CURSOR, inDoubt, isAnswer, mayRetry, postgresError } from './postgres-errors.ts'
import { checkRole } from './postgres-role.ts'
import { postgresTables } from './postgres-schema.ts'
import { typeParsers } from './postgres-types.ts'
import { tookTooLong } from './sql-errors.ts'
import { abortable } from '../abortable-wait.ts'
import { collectRows, tooLarge } from './values.ts'

/** The used part of a client of `pg`. */
export interface PostgresClient {
  query(config: {
    readonly text: string
    readonly values?: unknown[]
    readonly rowMode?: 'array'
    readonly queryMode?: string
    readonly types?: unknown
  }): Promise<PostgresResult>
  release(destroy?: boolean): void
  on?(event: 'error', listener: () => void): unknown
}

interface PostgresResult {
  readonly command: string
  readonly rowCount: number | null
  readonly rows: readonly unknown[]
  readonly fields: readonly { readonly name: string }[]
}

/** The used part of a pool of `pg`. */
export interface PostgresPool {
  connect(): Promise<PostgresClient>
}

export interface SqlOverPostgresOptions {
  /** A `Pool` of `pg`, with a role that is granted only what agents may access. */
  readonly pool: PostgresPool
  /** The schemas whose tables are listed; by default all that the role may use. Read access is decided by the role. */
  readonly schemas?: readonly string[] | undefined
  /** Whether `sql_execute` may write what the role may write. */
  readonly write?: boolean | undefined
  /** Accepts a role that could reach files, programs or other servers through the database; refused by default. */
  readonly trustRole?: boolean | undefined
}

const SQL_OVER_POSTGRES_OPTIONS: FieldNames<SqlOverPostgresOptions> = {
  pool: 'object',
  schemas: 'texts',
  write: 'flag',
  trustRole: 'flag',
}

/** Beyond this the connection is closed, whatever `maxBytes` is. */
const TRANSFER_MIN = 8_000_000

/**
 * A PostgreSQL database for the SQL tools. A query is executed as a cursor, so PostgreSQL accepts only one SELECT; it runs in a transaction that the
 * server keeps read-only and that is rolled back; time is limited on the server. Roles that could reach beyond the database are refused.
 *
 * @example
 * ```ts
 * import { sqlOverPostgres, sqlTools } from 'mandate/connect'
 * import type { PostgresPool } from 'mandate/connect'
 * declare const pool: PostgresPool // new pg.Pool({ connectionString, max: 4 })
 * const tools = sqlTools({ database: sqlOverPostgres({ pool, schemas: ['shop'] }) })
 * ```
 */
export function sqlOverPostgres(options: SqlOverPostgresOptions): SqlDatabase {
  checkNeeded(options, 'an option of `sqlOverPostgres`', SQL_OVER_POSTGRES_OPTIONS)
  const { pool, schemas, write = false, trustRole = false } = options
  if (typeof pool?.connect !== 'function')
    throw new MandateError('CONFIG_INVALID', '`pool` of sqlOverPostgres must be a `Pool` of the package pg.')
  let checked: Promise<void> | undefined
  const use = async <T>(call: SqlCall, work: (session: Session) => Promise<T>): Promise<T> => {
    call.signal.throwIfAborted()
    const client = await abortable(connected(pool), {
      signal: call.signal,
      discard: (late) => late.release(),
      limit: { ms: call.limits.timeoutMs, error: () => noConnection(call.limits.timeoutMs) },
    })
    const session = new Session(client, call)
    return session.run(async () => {
      checked ??= checkRole(client, trustRole).catch((error: unknown) => {
        checked = undefined
        throw error
      })
      await checked
      return work(session)
    })
  }
  const execute = (statement: SqlStatement, call: SqlCall): Promise<SqlChange> =>
    use(call, (session) => session.execute(statement))
  return {
    dialect: 'PostgreSQL',
    placeholders: '$1, $2, …',
    query: (statement, call) => use(call, (session) => session.query(statement)),
    ...(write ? { execute } : {}),
    tables: (call): Promise<readonly SqlTable[]> =>
      use(call, (session) => session.read((client) => postgresTables(client, schemas))),
    // The pool belongs to the host.
    close: async () => {},
  }
}

/** One client for one statement. */
class Session {
  readonly #client: PostgresClient
  readonly #call: SqlCall
  #isSpoilt = false

  constructor(client: PostgresClient, call: SqlCall) {
    this.#client = client
    this.#call = call
  }

  /** Executes work until it is done, aborted, timed out or too large; in those cases the connection is closed, and the server ends its statement. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    const { limits, signal } = this.#call
    const { promise: cut, reject } = Promise.withResolvers<never>()
    const end = (error: MandateError): void => {
      this.#isSpoilt = true
      reject(error)
    }
    const onAbort = (): void => end(new MandateError('CANCELLED', 'The query was cut.'))
    // Longer than the server's own limit: for a server that does not answer.
    const stopTimer = systemClock.timer(limits.timeoutMs + 1_000, () => end(tookTooLong(limits.timeoutMs)))
    const stopCounting = countBytes(this.#client, Math.max(TRANSFER_MIN, limits.maxBytes * 4), () =>
      end(tooLarge(limits.maxBytes)),
    )
    signal.addEventListener('abort', onAbort, { once: true })
    if (signal.aborted) onAbort()
    try {
      return await Promise.race([work(), cut])
    } catch (error) {
      throw postgresError(error, limits.timeoutMs)
    } finally {
      stopTimer()
      stopCounting()
      signal.removeEventListener('abort', onAbort)
      this.#client.release(this.#isSpoilt)
    }
  }

  query({ sql, params }: SqlStatement): Promise<SqlRows> {
    const { limits } = this.#call
    return this.read(async (client) => {
      await client.query({ text: `${CURSOR}${sql}`, values: [...params], queryMode: 'extended' })
      const { rows, fields } = await client.query({
        text: `FETCH FORWARD ${limits.maxRows + 1} FROM mandate_cursor`,
        rowMode: 'array',
        types: typeParsers,
      })
      return collectRows(
        fields.map(({ name }) => name),
        rows as readonly (readonly unknown[])[],
        limits,
      )
    })
  }

  /** Executes work in a read-only transaction that is rolled back. */
  async read<T>(work: (client: PostgresClient) => Promise<T>): Promise<T> {
    await this.#begin('BEGIN READ ONLY')
    try {
      return await work(this.#client)
    } finally {
      // Also reverts what functions changed without counting as a write: settings, notifications, large objects.
      await this.#quietly('ROLLBACK')
      await this.#quietly('SELECT pg_advisory_unlock_all()')
    }
  }

  async execute({ sql, params }: SqlStatement): Promise<SqlChange> {
    const { limits } = this.#call
    await this.#begin('BEGIN')
    try {
      const result = await this.#client.query({
        text: sql,
        values: [...params],
        queryMode: 'extended',
        rowMode: 'array',
        types: typeParsers,
      })
      await this.#client.query({ text: 'COMMIT' })
      const columns = (result.fields ?? []).map(({ name }) => name)
      const changes = result.rowCount ?? 0
      if (columns.length === 0) return { changes }
      return { changes, returned: collectRows(columns, result.rows as readonly (readonly unknown[])[], limits) }
    } catch (error) {
      await this.#quietly('ROLLBACK')
      throw isAnswer(error) ? error : inDoubt(error)
    } finally {
      // A statement may have changed the session itself, so the connection is not reused.
      this.#isSpoilt = true
    }
  }

  async #begin(text: string): Promise<void> {
    const { timeoutMs } = this.#call.limits
    await this.#client.query({ text })
    // The first query fixes the transaction's mode: nothing can make it writable afterwards.
    await this.#client.query({
      text: `SELECT set_config('statement_timeout', $1, true), set_config('lock_timeout', $1, true),
        set_config('idle_in_transaction_session_timeout', $2, true),
        CASE WHEN current_setting('server_version_num')::int >= 140000 THEN set_config('client_connection_check_interval', '500ms', true) END`,
      values: [`${timeoutMs}ms`, `${timeoutMs + 5_000}ms`],
    })
  }

  async #quietly(text: string): Promise<void> {
    if (this.#isSpoilt) return
    try {
      await this.#client.query({ text })
    } catch {
      this.#isSpoilt = true
    }
  }
}

function noConnection(timeoutMs: number): MandateError {
  return new MandateError(
    'TIMEOUT',
    `The database gave no connection within ${timeoutMs} ms. Look at whether it answers, and whether the pool is large enough for what uses it at once.`,
    { info: { retriable: true } },
  )
}

async function connected(pool: PostgresPool): Promise<PostgresClient> {
  try {
    const client = await pool.connect()
    listen(client)
    return client
  } catch (cause) {
    throw new MandateError('CONNECTOR_FAILED', `The database cannot be reached: ${messageOf(cause)}.`, {
      cause,
      info: { retriable: mayRetry(cause) },
    })
  }
}

const heard = new WeakSet<PostgresClient>()

/** A client whose connection breaks rejects its query and then emits 'error'; without a listener that would end the process. */
function listen(client: PostgresClient): void {
  if (heard.has(client)) return
  heard.add(client)
  client.on?.('error', () => {})
}

/** Counts the bytes on the client's socket: rows are in memory before they can be counted. */
function countBytes(client: PostgresClient, max: number, onTooMany: () => void): () => void {
  const { stream } =
    (client as { connection?: { stream?: NodeJS.ReadableStream & { destroy?: () => void } } }).connection ?? {}
  if (stream === undefined || typeof stream.on !== 'function') return () => {}
  let bytes = 0
  const onData = (chunk: Uint8Array): void => {
    bytes += chunk.length
    if (bytes <= max) return
    onTooMany()
    stream.destroy?.()
  }
  stream.on('data', onData)
  return () => stream.off('data', onData)
}
