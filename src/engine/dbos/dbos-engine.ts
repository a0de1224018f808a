import { MandateError, checkFields, delay, newId, systemClock, systemRandom } from '../../core/index.ts'
import type { StoreTransaction } from '../../journal/index.ts'
import { PROTOCOL } from '../../run/index.ts'
import type { Engine, EngineHost, Placement } from '../../run/index.ts'
import { Batcher, linkTo, migrate, settle } from '../../store/postgres/index.ts'
import type { Pool, PostgresLink, Settled } from '../../store/postgres/index.ts'
import { DatabaseClock } from '../members/database-clock.ts'
import { checkServer, refusePooler } from '../members/server-checks.ts'
import { ENGINE_PART } from '../members/tables.ts'
import { openTextRelay } from '../members/text-relay.ts'
import type { TextRelay } from '../members/text-relay.ts'
import { loadDriver, quiet } from './driver.ts'
import type { DBOSClient, Driver } from './driver.ts'
import { DBOS_ENGINE_OPTIONS, engineSettings } from './options.ts'
import type { DbosEngineOptions, EngineSettings } from './options.ts'
import { QueueRouter } from './queue-router.ts'
import { SegmentWatch } from './segment-watch.ts'
import { segmentId } from './segments.ts'
import type { NewOrder, Order } from './segments.ts'
import { segmentTable, systemSchema } from './tables.ts'
import { DbosWorker, SEGMENT } from './dbos-taker.ts'

/** Interval between attempts to take the advisory lock. */
const LOOK_MS = 100
/** Number of concurrent transactions that enqueue segments. */
const LANES = 2
/** Queue priorities; lower numbers are taken first. Within one priority, runs that have begun are taken before new runs, so that begun work finishes. */
const PRIORITY = { high: 10, normal: 20, low: 30 }
const NEW = 5

/**
 * Creates an engine that distributes runs over many processes and machines with DBOS Transact. It uses the Postgres database of the journal.
 * Any number of workers drive the runs; any other process can start, answer and read them. If a worker dies, the other workers take over its runs.
 *
 * @example
 * ```ts
 * import { AgentService } from 'mandate'
 * import { dbosEngine } from 'mandate/engine'
 * import { openPostgres } from 'mandate/postgres'
 * const url = 'postgres://me@localhost:5432/agents'
 * const store = await openPostgres({ url })
 * const service = new AgentService({ store, engine: dbosEngine({ url, role: 'worker', concurrency: 20 }) })
 * await service.start()
 * ```
 */
export function dbosEngine(options: DbosEngineOptions): Engine {
  checkFields(options, 'an option of `dbosEngine`', DBOS_ENGINE_OPTIONS)
  return new DbosEngine(engineSettings(options))
}

/** Enqueues one segment within a transaction. */
type Write = (transaction: StoreTransaction) => Promise<void>

class DbosEngine implements Engine {
  readonly name = 'dbos'
  readonly clock = new DatabaseClock()
  readonly placement: Placement
  readonly drainMs: number
  readonly #settings: EngineSettings
  readonly #link: PostgresLink
  readonly #routing: QueueRouter
  readonly #watch: SegmentWatch
  readonly #orders: Batcher<Write, void>
  #pool: Pool | undefined
  #client: DBOSClient | undefined
  #host: EngineHost | undefined
  #worker: DbosWorker | undefined
  #relay: TextRelay | undefined
  #isStopped = false

  constructor(settings: EngineSettings) {
    this.#settings = settings
    this.drainMs = settings.drainMs
    this.#link = linkTo(settings.url, 4)
    this.#routing = new QueueRouter(this.#link, () => this.clock.now())
    this.#watch = new SegmentWatch(this.#link)
    this.#orders = new Batcher({ execute: (writes) => this.#write(writes), lanes: LANES })
    this.placement = {
      enlist: (run, cause) => this.#prepare({ run, cause, round: 0 }),
      settled: (run, cause) => this.#relayed(run, this.#watch.settled(run, cause)),
    }
  }

  async attach(host: EngineHost): Promise<void> {
    this.#host = host
    const driver = await loadDriver()
    await checkServer(this.#link)
    await refusePooler(this.#link)
    await this.clock.keep(this.#link)
    await migrate(this.#link, ENGINE_PART)
    await ensureTables(driver, this.#link)
    // A failed start can be retried; parts that were opened by an earlier attempt are reused.
    this.#pool ??= await this.#link.poolOf(3)
    this.#client ??= await driver.DBOSClient.create({
      systemDatabaseUrl: this.#link.options.url,
      systemDatabasePool: this.#pool,
      systemDatabaseSchemaName: systemSchema(this.#link),
      logger: quiet,
      applicationName: 'mandate',
    })
    const isWorker = this.#settings.role === 'worker'
    this.#relay ??= await openTextRelay({ host, link: this.#link, isWorker })
    if (!isWorker) return
    this.#worker = new DbosWorker({
      ...{ driver, host, link: this.#link, settings: this.#settings, clock: this.clock, routing: this.#routing },
      id: newId('worker', systemClock, systemRandom),
      enqueue: (order) => this.#enqueue(order),
    })
    await this.#worker.start()
  }

  async dispatch(run: string, cause: string): Promise<void> {
    await this.#enqueue({ run, cause, round: 0 })
  }

  async schedule(run: string, at: number): Promise<void> {
    await this.#enqueue({ run, cause: `timer/${at}`, round: 0, at })
  }

  async drain(): Promise<void> {
    await this.#worker?.drain()
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    this.#watch.stop()
    await this.#worker?.stop()
    await this.#relay?.stop()
    await this.#orders.rest()
    await this.#client?.destroy()
    await this.#pool?.end().catch(() => {})
    await this.clock.stop()
    await this.#link.close()
  }

  #attached(): { readonly host: EngineHost; readonly client: DBOSClient } {
    if (this.#host === undefined || this.#client === undefined || this.#isStopped)
      throw new MandateError('CLOSED', 'The engine is not attached, or was stopped. Create a new one.')
    return { host: this.#host, client: this.#client }
  }

  /** Delivers streamed text of a run that this process waits for to the event listeners of this process. */
  #relayed(run: string, settled: Promise<void>): Promise<void> {
    return this.#relay?.await(run, settled) ?? settled
  }

  async #enqueue(order: NewOrder): Promise<void> {
    await this.#orders.ask(await this.#prepare(order))
  }

  /** Writes many orders in one transaction. If it fails, each order is retried in its own transaction, so that one rejected order does not block the others. */
  async #write(writes: readonly Write[]): Promise<Settled<void>[]> {
    const together = (some: readonly Write[]): Promise<void> =>
      this.#link.transaction(async ({ connection }) => {
        for (const write of some) await write(connection)
      })
    const all = await settle(together(writes))
    if ('value' in all || writes.length === 1) return writes.map(() => all)
    return Promise.all(writes.map((write) => settle(together([write]))))
  }

  /** Prepares the write that enqueues one segment within a transaction. The write is idempotent: an existing row stays unchanged. */
  async #prepare(order: NewOrder): Promise<Write> {
    const { host, client } = this.#attached()
    const summary = await host.journal.summary(order.run)
    if (summary === undefined) throw new MandateError('NOT_FOUND', `There is no run "${order.run}" to drive.`)
    const workflowID = segmentId(order)
    const place = await this.#routing.placeOf(host.journal, summary)
    const options = {
      ...{ workflowName: SEGMENT, workflowID, appVersion: String(PROTOCOL), ...place },
      priority: PRIORITY[summary.priority ?? 'normal'] + (order.cause === 'start' ? NEW : 0),
      ...(order.at === undefined ? {} : { delaySeconds: Math.max((order.at - this.clock.now()) / 1_000, 0.001) }),
    }
    const stored: Order = { fromSeq: summary.head.seq, ...order, queue: place.queueName }
    return async (transaction) => {
      await client.enqueueInTransaction(transaction as never, options, stored)
      // `order.at` is a time of the database clock, which can differ from the clock of this machine.
      const sql = `UPDATE ${segmentTable(this.#link)} SET delay_until_epoch_ms = $2 WHERE workflow_uuid = $1 AND status = 'DELAYED'`
      if (order.at !== undefined) await transaction.query(sql, [workflowID, Math.ceil(order.at)])
    }
  }
}

/**
 * Creates the tables of DBOS in a schema of their own beside the schema of the journal. Only one process does so at a time, because DBOS takes no lock itself.
 * The other processes poll for the lock: a blocking lock statement would hold up the concurrent creation of indexes.
 */
async function ensureTables(driver: Driver, link: PostgresLink): Promise<void> {
  const schema = systemSchema(link)
  const connection = await link.connect(() => {})
  try {
    const lock = 'SELECT pg_try_advisory_lock(hashtextextended($1, 9)) AS free'
    while ((await connection.query<{ free: boolean }>(lock, [schema])).rows[0]?.free !== true)
      await delay(systemClock, LOOK_MS)
    await driver.ensureSystemDatabase(link.options.url, quiet as never, undefined, schema, false)
  } finally {
    await connection.end().catch(() => {})
  }
}
