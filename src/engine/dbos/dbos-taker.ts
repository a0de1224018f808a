import { MandateError } from '../../core/index.ts'
import { PROTOCOL } from '../../run/index.ts'
import type { EngineHost } from '../../run/index.ts'
import type { Pool, PostgresLink } from '../../store/postgres/index.ts'
import type { DatabaseClock } from '../members/database-clock.ts'
import { Membership } from '../members/membership.ts'
import { quiet } from './driver.ts'
import type { Driver, WorkflowQueue } from './driver.ts'
import { DEFAULT_QUEUE } from './options.ts'
import type { EngineSettings } from './options.ts'
import { queueName } from './queue-router.ts'
import type { QueueRouter } from './queue-router.ts'
import { Segments, StrayClaims, segmentClaims, segmentId } from './segments.ts'
import type { Order } from './segments.ts'
import { systemSchema } from './tables.ts'
import { Upkeep } from './upkeep.ts'

/** Name of the only DBOS workflow: one segment of a run. The steps of the run are recorded in the journal, not by DBOS. */
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

/** The drive function of the worker in this process. DBOS has one instance per process, so a process has at most one worker. */
let current: ((order: Order) => Promise<void>) | undefined

/** Dequeues segments and lets the kernel of this process drive them. */
export class DbosWorker {
  readonly #parts: Parts
  readonly #segments: Segments
  readonly #membership: Membership
  readonly #upkeep: Upkeep
  #queues: WorkflowQueue[] = []
  #running = 0
  readonly #runningBy = new Map<string, number>()
  readonly #driven = new Set<string>()
  #isDraining = false
  #pool: Pool | undefined
  #isStarted = false

  constructor(parts: Parts) {
    const { host, link, settings, enqueue, id, routing } = parts
    this.#parts = parts
    this.#segments = new Segments({ host, link, enqueue, isDraining: () => this.#isDraining })
    const strays = new StrayClaims(link, id, (segment) => this.#driven.has(segment))
    const { keepMs, attempts } = settings
    this.#upkeep = new Upkeep({ host, link, enqueue, routing, keepMs, attempts, strays })
    this.#membership = new Membership({
      ...{ host, link, id, engine: 'dbos', version: settings.version, concurrency: settings.concurrency },
      queues: settings.take,
      configured: Object.keys(settings.queues),
      frozenMs: settings.frozenMs,
      running: () => this.#running,
      claims: segmentClaims(link),
    })
  }

  async start(): Promise<void> {
    if (current !== undefined)
      throw new MandateError(
        'CONFIG_INVALID',
        'This process has a worker already. Start another process, or raise `concurrency`.',
      )
    current = (order) => this.#take(order)
    this.#isStarted = true
    try {
      await this.#launch()
    } catch (error) {
      // Leaves the worker list again, so that other workers do not count a member that drives nothing.
      await this.stop().catch(() => {})
      throw error
    }
  }

  async #launch(): Promise<void> {
    const { driver, link, settings, id, routing } = this.#parts
    const { DBOS } = driver
    checkTaken(settings, await routing.queues())
    await this.#membership.join()
    // Publishes only after joining: queues that no registered worker configures are deleted.
    await routing.publish(settings.queues)
    registerOnce(driver, settings.attempts)
    const known = await routing.queues()
    this.#queues = settings.take.map((name) => {
      const limits = limitsOf(known[name], settings.concurrency)
      const queue = driver.registerInternalQueue(queueName(name), { minPollingIntervalMs: settings.pollMs, ...limits })
      // DBOS keeps a queue object for the lifetime of the process. An object left by an earlier worker has a concurrency of 0.
      queue.workerConcurrency = limits.workerConcurrency
      return queue
    })
    // Uses a pool of our own: a pool that DBOS creates can crash the process if a connection breaks at the moment it is checked out.
    this.#pool = await link.poolOf(6)
    DBOS.setConfig({
      name: 'mandate',
      systemDatabaseUrl: link.options.url,
      systemDatabasePool: this.#pool,
      systemDatabaseSchemaName: systemSchema(link),
      applicationVersion: String(PROTOCOL),
      executorID: id,
      // Polls the queues one after the other: two concurrent polls would each fill all the free capacity of this worker.
      maxConcurrentQueueDispatches: 1,
      useListenNotify: false,
      runMigrations: false,
      logger: quiet,
    })
    await DBOS.launch()
    this.#upkeep.start()
  }

  /** Stops dequeuing. Segments in progress continue. */
  async drain(): Promise<void> {
    this.#isDraining = true
    for (const queue of this.#queues) queue.workerConcurrency = 0
    await this.#membership.drain()
  }

  /** Stops a worker that was started. If the start was refused there is nothing to stop, because DBOS belongs to another worker of this process. */
  async stop(): Promise<void> {
    if (!this.#isStarted) return
    this.#isStarted = false
    await this.drain()
    await this.#upkeep.stop()
    await this.#parts.driver.DBOS.shutdown({ workflowCompletionTimeoutMS: this.#running === 0 ? 1_000 : 5_000 })
    await this.#pool?.end().catch(() => {})
    await this.#membership.leave()
    current = undefined
  }

  async #take(order: Order): Promise<void> {
    const segment = segmentId(order)
    this.#count(order, 1)
    this.#driven.add(segment)
    try {
      await this.#segments.drive(order)
    } finally {
      this.#driven.delete(segment)
      this.#count(order, -1)
    }
  }

  /** Divides the concurrency of this worker among its queues: each queue may keep what it runs now and use all free slots. */
  #count({ queue = '' }: Order, more: number): void {
    this.#running += more
    this.#runningBy.set(queue, (this.#runningBy.get(queue) ?? 0) + more)
    const free = Math.max(this.#parts.settings.concurrency - this.#running, 0)
    for (const each of this.#queues)
      each.workerConcurrency = this.#isDraining ? 0 : (this.#runningBy.get(each.name) ?? 0) + free
  }
}

/** Rejects names of queues that no worker configures. A misspelt name would make a worker that waits forever. */
function checkTaken({ take, queues }: EngineSettings, known: EngineSettings['queues']): void {
  const names = new Set([DEFAULT_QUEUE, ...Object.keys(queues), ...Object.keys(known)])
  const unknown = take.find((name) => !names.has(name))
  if (unknown === undefined) return
  throw new MandateError(
    'CONFIG_INVALID',
    `There is no queue "${unknown}" to take from. Known: ${[...names].join(', ')}. Correct the name, or configure it in \`queues\`.`,
  )
}

/** Returns the limits of a queue for DBOS: the limits over all workers and the limit of this process, which must not be higher. */
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

/** Registers the workflow once per process, because DBOS identifies workflows by name for the lifetime of the process. */
function registerOnce({ DBOS }: Driver, attempts: number): void {
  if (isRegistered) return
  isRegistered = true
  // The first execution does not count as a recovery attempt.
  DBOS.registerWorkflow(async (order: Order) => current?.(order), {
    name: SEGMENT,
    maxRecoveryAttempts: attempts - 1,
  })
}
