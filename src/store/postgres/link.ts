import { MandateError, delay, sha256, systemClock } from '../../core/index.ts'
import type { StoreTransaction } from '../../journal/index.ts'
import { loadDriver } from './driver.ts'
import type { Client, ClientConfig, Driver, Pool, PoolClient, PoolConfig } from './driver.ts'
import type { LinkOptions } from './options.ts'
import { isContention, isLost, storeError } from './store-errors.ts'

export type Row = Readonly<Record<string, unknown>>

/** Executes statements: through the pool, or in one transaction. */
export interface Session {
  query(sql: string, values?: readonly unknown[]): Promise<{ readonly rows: Row[]; readonly count: number }>
}

/** One transaction and its connection, with which others may write into the same database. */
interface Transaction extends Session {
  readonly connection: StoreTransaction
}

const CONTENTION_MAX = 20
const PAUSE_MAX_MS = 1_000
/** The longest time that a process which froze in a transaction can hold its locks. */
const IDLE_MS = 30_000

/**
 * The connection to one schema of one server: a pool that retries while the server is unreachable. Every statement must therefore be safe to execute
 * twice.
 */
export class PostgresLink {
  readonly options: LinkOptions
  readonly #names = new Map<string, string>()
  #driver: Driver | undefined
  #pool: Pool | undefined
  #closing: Promise<void> | undefined
  readonly #queue: (() => void)[] = []
  #busy = 0
  #wasUp = false

  constructor(options: LinkOptions) {
    this.options = options
  }

  get isClosed(): boolean {
    return this.#closing !== undefined
  }

  /** The quoted name of a table in the schema. */
  table(name: string): string {
    return `"${this.options.schema}".${name}`
  }

  /** Executes one statement. Sent again if its reply was lost, so it must be safe to execute twice. */
  query(sql: string, values: readonly unknown[] = []): Promise<{ readonly rows: Row[]; readonly count: number }> {
    return this.#inTurn(async () => this.#send(await this.#open(), sql, values))
  }

  /** Executes statements atomically. Repeated from the start if the reply was lost. */
  transaction<T>(work: (session: Transaction, isRepeat: boolean) => Promise<T>): Promise<T> {
    return this.#inTurn(async (isRepeat) => {
      const client = await (await this.#open()).connect()
      let failure: unknown
      try {
        await client.query('BEGIN')
        const query: Session['query'] = (sql, values = []) => this.#send(client, sql, values)
        const result = await work({ query, connection: client }, isRepeat)
        await client.query('COMMIT')
        return result
      } catch (error) {
        failure = error
        if (!isLost(error)) await client.query('ROLLBACK').catch((cause: unknown) => (failure = cause))
        throw error
      } finally {
        // A connection on which even the rollback failed is not reused.
        client.release(failure !== undefined && isLost(failure))
      }
    })
  }

  /**
   * Waits for a free connection without a time limit: a thousand concurrent callers are served one after the other, and none fails because it had to
   * wait.
   */
  async #inTurn<T>(attempt: (isRepeat: boolean) => Promise<T>): Promise<T> {
    if (this.isClosed) throw closed()
    if (this.#busy >= this.options.poolSize) await new Promise<void>((resolve) => this.#queue.push(resolve))
    else this.#busy += 1
    try {
      return await this.#insist(attempt)
    } finally {
      const next = this.#queue.shift()
      if (next === undefined) this.#busy -= 1
      else next()
    }
  }

  /** Retries until it succeeds, until an error is permanent, or until `patienceMs` is over. */
  async #insist<T>(attempt: (isRepeat: boolean) => Promise<T>): Promise<T> {
    const until = systemClock.now() + this.options.patienceMs
    for (let tries = 0; ; tries++) {
      if (this.isClosed) throw closed()
      try {
        const result = await attempt(tries > 0)
        this.#wasUp = true
        return result
      } catch (error) {
        // A server that was never reached is more often a wrong URL than one that is about to start.
        const isWorthIt = isLost(error) ? this.#wasUp && systemClock.now() < until : isContention(error)
        if (!isWorthIt || (isContention(error) && tries > CONTENTION_MAX))
          throw storeError(error, this.options.name, this.#wasUp)
      }
      await delay(systemClock, Math.min(10 * 2 ** tries, PAUSE_MAX_MS))
    }
  }

  /** A separate connection beside the pool. */
  async connect(onEnd: () => void): Promise<Client> {
    this.#driver ??= await loadDriver()
    const client = new this.#driver.Client(this.#config())
    client.on('error', onEnd)
    client.on('end', onEnd)
    try {
      await client.connect()
      await this.#settle(client)
    } catch (error) {
      void client.end().catch(() => {})
      throw error
    }
    return client
  }

  /** A separate pool, for a library that manages its own connections. The caller ends it. */
  async poolOf(size: number): Promise<Pool> {
    this.#driver ??= await loadDriver()
    return this.#newPool(this.#driver, size)
  }

  /** Waits for statements in progress, then closes the connections. */
  close(): Promise<void> {
    const pool = this.#pool
    this.#closing ??= pool === undefined ? Promise.resolve() : pool.end().catch(() => {})
    return this.#closing
  }

  async #open(): Promise<Pool> {
    this.#driver ??= await loadDriver()
    if (this.isClosed) throw closed()
    this.#pool ??= this.#newPool(this.#driver, this.options.poolSize)
    return this.#pool
  }

  #newPool(driver: Driver, max: number): Pool {
    const pool = new driver.Pool({
      ...this.#config(),
      max,
      // An idle pool does not keep the process running.
      allowExitOnIdle: true,
      // Missing from the package's types, but called by every version of the pool before it hands out a new connection.
      verify: (client: Client, answer: (error?: unknown) => void) =>
        void this.#settle(client).then(() => answer(), answer),
    } as PoolConfig)
    // A broken idle connection is replaced when it is needed; without a listener it would end the process.
    pool.on('error', () => {})
    return pool
  }

  #config(): ClientConfig {
    const { url, connectTimeoutMs, statementTimeoutMs } = this.options
    return {
      connectionString: url,
      application_name: 'mandate',
      connectionTimeoutMillis: connectTimeoutMs,
      keepAlive: true,
      // Longer than the server's own limit: for a server that does not even report its timeout.
      query_timeout: statementTimeoutMs === 0 ? 0 : statementTimeoutMs + 5_000,
    }
  }

  /** Sets synchronous commit: an acknowledged commit is on disk, whatever the server's default; a stricter default stays. */
  async #settle(client: Client): Promise<void> {
    // The pending query rejects when the connection breaks. Without this listener the 'error' event would also end the process, for example if the connection
    // breaks while the pool hands it out: then neither the pool nor the caller listens.
    client.on('error', () => {})
    const sql = `SELECT set_config('statement_timeout', '${this.options.statementTimeoutMs}', false),
      set_config('idle_in_transaction_session_timeout', '${IDLE_MS}', false),
      CASE current_setting('synchronous_commit') WHEN 'off' THEN set_config('synchronous_commit', 'on', false) END`
    await client.query(sql)
  }

  async #send(
    to: Pool | PoolClient,
    sql: string,
    values: readonly unknown[],
  ): Promise<{ readonly rows: Row[]; readonly count: number }> {
    const name = this.options.prepare && values.length > 0 ? this.#nameOf(sql) : undefined
    const answer = await to.query<Record<string, unknown>>({ text: sql, values: [...values], name } as never)
    return { rows: answer.rows, count: answer.rowCount ?? 0 }
  }

  #nameOf(sql: string): string {
    const known = this.#names.get(sql)
    if (known !== undefined) return known
    const name = `m_${sha256(sql).slice(0, 24)}`
    this.#names.set(sql, name)
    return name
  }
}

/** The error of every call after `close`. */
export function closed(): MandateError {
  return new MandateError('CLOSED', 'This Postgres store is closed. Open it again.')
}
