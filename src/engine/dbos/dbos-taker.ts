import { hostname } from 'node:os'
import { MandateError, sha256 } from '../../core/index.ts'
import { PROTOCOL } from '../../run/index.ts'
import type { EngineHost } from '../../run/index.ts'
import type { PostgresLink } from '../../store/postgres/index.ts'
import type { DatabaseClock } from './database-clock.ts'
import { quiet } from './driver.ts'
import type { Driver, WorkflowQueue } from './driver.ts'
import { Membership } from './membership.ts'
import type { EngineSettings } from './options.ts'
import { queueName } from './queue-router.ts'
import type { QueueRouter } from './queue-router.ts'
import { Segments } from './segments.ts'
import type { Order } from './segments.ts'
import { systemSchema } from './tables.ts'
import { Upkeep } from './upkeep.ts'

/** The one workflow there is: what a run does is in its journal. */
export const SEGMENT = 'segment'

interface Parts {
  readonly driver: Driver
  readonly host: EngineHost
  readonly link: PostgresLink
  readonly settings: EngineSettings
  readonly clock: DatabaseClock
  readonly routing: QueueRouter
  readonly id: string
  readonly enqueue: (order: Order) => Promise<void>
}

/** DBOS is one per process, and so is a worker. */
let current: ((order: Order) => Promise<void>) | undefined

/** Takes segments from the queues and has the kernel of this process drive them. */
export class DbosWorker {
  readonly #parts: Parts
  readonly #segments: Segments
  readonly #membership: Membership
  readonly #upkeep: Upkeep
  #queues: WorkflowQueue[] = []
  #running = 0
  readonly #runningBy = new Map<string, number>()
  #isDraining = false

  constructor(parts: Parts) {
    const { host, link, settings, enqueue, id } = parts
    this.#parts = parts
    this.#segments = new Segments({ host, link, enqueue, isDraining: () => this.#isDraining })
    this.#upkeep = new Upkeep({ host, link, enqueue, keepMs: settings.keepMs, attempts: settings.attempts })
    const minds = host.minds().toSorted()
    this.#membership = new Membership({
      link,
      frozenMs: settings.frozenMs,
      member: {
        id,
        owner: host.owner,
        place: `${hostname()}:${process.pid}`,
        version: settings.version === '' ? sha256(minds.join('\n')).slice(0, 8) : settings.version,
        protocol: PROTOCOL,
        minds,
        queues: settings.take,
        concurrency: settings.concurrency,
      },
      running: () => this.#running,
      release: async (owner) => void (await host.journal.releaseOwner?.(owner)),
      onFault: (error) => host.onFault('*', error),
    })
  }

  async start(): Promise<void> {
    if (current !== undefined)
      throw new MandateError(
        'CONFIG_INVALID',
        'This process has a worker already. Start another process, or raise `concurrency`.',
      )
    current = (order) => this.#take(order)
    try {
      await this.#launch()
    } catch (error) {
      current = undefined
      throw error
    }
  }

  async #launch(): Promise<void> {
    const { driver, link, settings, id, routing } = this.#parts
    const { DBOS } = driver
    await this.#membership.join()
    registerOnce(driver, settings.attempts)
    const known = await routing.queues()
    this.#queues = settings.take.map((name) => {
      const limits = limitsOf(known[name], settings.concurrency)
      const queue = driver.registerInternalQueue(queueName(name), { minPollingIntervalMs: settings.pollMs, ...limits })
      // DBOS keeps a queue for the life of the process: one of an earlier worker here takes nothing more.
      queue.workerConcurrency = limits.workerConcurrency
      return queue
    })
    DBOS.setConfig({
      name: 'mandate',
      systemDatabaseUrl: link.options.url,
      systemDatabaseSchemaName: systemSchema(link),
      systemDatabasePoolSize: 6,
      applicationVersion: String(PROTOCOL),
      executorID: id,
      useListenNotify: false,
      runMigrations: false,
      logger: quiet,
    })
    await DBOS.launch()
    this.#upkeep.start()
  }

  /** Takes nothing more. */
  async drain(): Promise<void> {
    this.#isDraining = true
    for (const queue of this.#queues) queue.workerConcurrency = 0
    await this.#membership.drain()
  }

  async stop(): Promise<void> {
    await this.drain()
    await this.#upkeep.stop()
    await this.#parts.driver.DBOS.shutdown({ workflowCompletionTimeoutMS: this.#running === 0 ? 1_000 : 5_000 })
    await this.#membership.leave()
    current = undefined
  }

  async #take(order: Order): Promise<void> {
    this.#count(order, 1)
    try {
      await this.#segments.drive(order)
    } finally {
      this.#count(order, -1)
    }
  }

  /** The queues share what this worker can drive at a time: each may have what it has and what is left. */
  #count({ queue = '' }: Order, more: number): void {
    this.#running += more
    this.#runningBy.set(queue, (this.#runningBy.get(queue) ?? 0) + more)
    const free = Math.max(this.#parts.settings.concurrency - this.#running, 0)
    for (const each of this.#queues)
      each.workerConcurrency = this.#isDraining ? 0 : (this.#runningBy.get(each.name) ?? 0) + free
  }
}

/** What DBOS is told of a queue: limits over all workers, and the one of this process, which may not be higher. */
function limitsOf(
  queue: EngineSettings['queues'][string] | undefined,
  own: number,
): { workerConcurrency: number; globalConcurrency?: number; partitionConcurrency?: number } {
  const { concurrency, tenantConcurrency } = queue ?? {}
  return {
    workerConcurrency: Math.min(own, concurrency ?? own),
    ...(concurrency === undefined ? {} : { globalConcurrency: concurrency }),
    ...(tenantConcurrency === undefined ? {} : { partitionConcurrency: tenantConcurrency }),
  }
}

let isRegistered = false

/** DBOS knows its workflows by name, for the life of the process. */
function registerOnce({ DBOS }: Driver, attempts: number): void {
  if (isRegistered) return
  isRegistered = true
  // The first time is none of the attempts that follow a death.
  DBOS.registerWorkflow(async (order: Order) => current?.(order), {
    name: SEGMENT,
    maxRecoveryAttempts: attempts - 1,
  })
}
