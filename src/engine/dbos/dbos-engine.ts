import { MandateError, checkFields, delay, newId, systemClock, systemRandom } from '../../core/index.ts'
import type { StoreTransaction } from '../../journal/index.ts'
import { PROTOCOL } from '../../run/index.ts'
import type { Engine, EngineHost, Placement } from '../../run/index.ts'
import { linkTo, migrate } from '../../store/postgres/index.ts'
import type { PostgresLink } from '../../store/postgres/index.ts'
import { DatabaseClock } from './database-clock.ts'
import { loadDriver, quiet } from './driver.ts'
import type { DBOSClient, Driver } from './driver.ts'
import { checkServer, refusePooler } from './server-checks.ts'
import { DBOS_ENGINE_OPTIONS, engineSettings } from './options.ts'
import type { DbosEngineOptions, EngineSettings } from './options.ts'
import { QueueRouter } from './queue-router.ts'
import { segmentId } from './segments.ts'
import type { Order } from './segments.ts'
import { ENGINE_PART, segmentTable, systemSchema } from './tables.ts'
import { DbosWorker, SEGMENT } from './dbos-taker.ts'

const LOOK_MS = 100
/** Runs that have begun go before new ones: what was begun is ended. */
const PRIORITY = { new: 10, begun: 1 }

/**
 * The engine of many processes on many machines, over DBOS Transact and the Postgres database that holds the journal. Any number of workers drive the
 * runs; any other process starts them, answers and reads. A worker that dies is taken over by the others.
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

class DbosEngine implements Engine {
  readonly name = 'dbos'
  readonly clock = new DatabaseClock()
  readonly placement: Placement
  readonly #settings: EngineSettings
  readonly #link: PostgresLink
  readonly #routing: QueueRouter
  #client: DBOSClient | undefined
  #host: EngineHost | undefined
  #worker: DbosWorker | undefined
  #isStopped = false

  constructor(settings: EngineSettings) {
    this.#settings = settings
    this.#link = linkTo(settings.url, 4)
    this.#routing = new QueueRouter(this.#link, () => this.clock.now())
    this.placement = {
      enlist: async (run, cause) => this.#prepare({ run, cause, fromSeq: await this.#seqOf(run), round: 0 }),
      settled: (run, cause) => this.#settled(run, cause),
    }
  }

  async attach(host: EngineHost): Promise<void> {
    this.#host = host
    const driver = await loadDriver()
    await checkServer(this.#link)
    await this.clock.set(this.#link)
    await migrate(this.#link, ENGINE_PART)
    await ensureTables(driver, this.#link)
    this.#client = await driver.DBOSClient.create({
      systemDatabaseUrl: this.#link.options.url,
      systemDatabaseSchemaName: systemSchema(this.#link),
      systemDatabasePoolSize: 3,
      logger: quiet,
      applicationName: 'mandate',
    })
    if (this.#settings.role === 'client') return
    await refusePooler(this.#link)
    await this.#routing.publish(this.#settings.queues)
    this.#worker = new DbosWorker({
      ...{ driver, host, link: this.#link, settings: this.#settings, clock: this.clock, routing: this.#routing },
      id: newId('worker', systemClock, systemRandom),
      enqueue: (order) => this.#enqueue(order),
    })
    await this.#worker.start()
  }

  async dispatch(run: string, cause: string): Promise<void> {
    await this.#enqueue({ run, cause, fromSeq: await this.#seqOf(run), round: 0 })
  }

  async schedule(run: string, at: number): Promise<void> {
    await this.#enqueue({ run, cause: `timer/${at}`, fromSeq: await this.#seqOf(run), round: 0, at })
  }

  async drain(): Promise<void> {
    await this.#worker?.drain()
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    await this.#worker?.stop()
    await this.#client?.destroy()
    await this.#link.close()
  }

  async #seqOf(run: string): Promise<number> {
    return (await this.#attached().host.journal.summary(run))?.head.seq ?? 0
  }

  #attached(): { readonly host: EngineHost; readonly client: DBOSClient } {
    if (this.#host === undefined || this.#client === undefined || this.#isStopped)
      throw new MandateError('CLOSED', 'The engine is not attached, or was stopped. Create a new one.')
    return { host: this.#host, client: this.#client }
  }

  async #enqueue(order: Order): Promise<void> {
    const write = await this.#prepare(order)
    await this.#link.transaction(({ connection }) => write(connection))
  }

  /** What puts one row into a queue, as part of a transaction. One that is there already stays as it is. */
  async #prepare(order: Order): Promise<(transaction: StoreTransaction) => Promise<void>> {
    const { host, client } = this.#attached()
    const summary = await host.journal.summary(order.run)
    if (summary === undefined) throw new MandateError('NOT_FOUND', `There is no run "${order.run}" to drive.`)
    const workflowID = segmentId(order)
    const place = await this.#routing.placeOf(host.journal, summary)
    const options = {
      ...{ workflowName: SEGMENT, workflowID, appVersion: String(PROTOCOL), ...place },
      priority: order.cause === 'start' ? PRIORITY.new : PRIORITY.begun,
      ...(order.at === undefined ? {} : { delaySeconds: Math.max((order.at - this.clock.now()) / 1_000, 0.001) }),
    }
    return async (transaction) => {
      await client.enqueueInTransaction(transaction as never, options, { ...order, queue: place.queueName })
      // The moment is one of the database's clock, which is not that of this machine.
      const sql = `UPDATE ${segmentTable(this.#link)} SET delay_until_epoch_ms = $2 WHERE workflow_uuid = $1 AND status = 'DELAYED'`
      if (order.at !== undefined) await transaction.query(sql, [workflowID, Math.ceil(order.at)])
    }
  }

  /** Looks at the row until the segment is over, and at those that follow where it was put back. */
  async #settled(run: string, cause: string): Promise<void> {
    for (let round = 0; ;) {
      const ids = [0, 1].map((more) => segmentId({ run, cause, fromSeq: 0, round: round + more }))
      const sql = `SELECT workflow_uuid AS id, status FROM ${segmentTable(this.#link)} WHERE workflow_uuid = ANY($1)`
      const { rows } = await this.#link.query(sql, [ids])
      const status = (id: string): string | undefined =>
        rows.find((row) => row['id'] === id)?.['status'] as string | undefined
      const now = status(ids[0]!)
      if (status(ids[1]!) !== undefined) round += 1
      else if (now === undefined || !['ENQUEUED', 'PENDING', 'DELAYED'].includes(now)) return
      else await delay(systemClock, LOOK_MS)
      if (this.#isStopped) throw new MandateError('CLOSED', 'The engine was stopped. The run goes on without it.')
    }
  }
}

/**
 * Makes the tables of DBOS, in a schema of their own beside the journal's; one process at a time, because it does not take turns itself. Who waits asks
 * again and again: a statement that waits would hold up the indexes that are made meanwhile.
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
