import { MandateError, delay, sha256 } from '../../core/index.ts'
import type { Clock } from '../../core/index.ts'
import type { StoreTransaction } from '../../journal/index.ts'
import type { Engine, EngineHost, Placement } from '../../run/index.ts'
import { linkTo, migrate } from '../../store/postgres/index.ts'
import type { PostgresLink } from '../../store/postgres/index.ts'
import { DatabaseClock } from '../members/database-clock.ts'
import { DRAIN_MS } from '../members/membership.ts'
import { checkServer, refusePooler } from '../members/server-checks.ts'
import { ENGINE_PART } from '../members/tables.ts'
import { openTextRelay } from '../members/text-relay.ts'
import type { TextRelay } from '../members/text-relay.ts'
import { checkRestateOptions } from './options.ts'
import type { RestateOptions } from './options.ts'
import { Outbox } from './outbox.ts'
import type { WakeUp } from './outbox.ts'
import { RestateClient } from './restate-client.ts'
import { RestateWorker } from './restate-worker.ts'

const CONNECTIONS = 4
/** Interval at which the outbox is flushed to Restate. */
const RELAY_MS = 500

/**
 * Creates an engine that distributes runs with Restate: its server delivers segments to workers, retries segments whose worker died, and keeps timers. The
 * journal is on Postgres, as with every engine for more than one machine. Users of this engine install the package `@restatedev/restate-sdk`.
 *
 * @example
 * ```ts
 * import { restateEngine } from 'mandate/engine'
 * import { Kernel } from 'mandate/kit'
 * import { postgresJournal } from 'mandate/postgres'
 * const store = 'postgres://agents@db.internal:5432/agents'
 * const engine = restateEngine({
 *   store,
 *   ingress: 'http://restate.internal:8080',
 *   admin: 'http://restate.internal:9070',
 *   worker: { host: '0.0.0.0', port: 9080, uri: 'http://workers.internal:9080' },
 * })
 * const kernel = new Kernel({ journal: postgresJournal({ url: store }), engine })
 * ```
 */
export function restateEngine(options: RestateOptions): Engine {
  checkRestateOptions(options)
  return new RestateEngine(options)
}

class RestateEngine implements Engine {
  readonly name = 'restate'
  readonly clock = new DatabaseClock()
  readonly placement: Placement
  readonly drainMs: number
  readonly #options: RestateOptions
  readonly #link: PostgresLink
  readonly #outbox: Outbox
  #client: RestateClient | undefined
  readonly #stopping = new AbortController()
  #host: EngineHost | undefined
  #worker: RestateWorker | undefined
  #texts: TextRelay | undefined
  #relaying: Promise<void> | undefined
  #isBehind = false
  #unwatch: () => void = () => {}
  #stopRelay: () => void = () => {}

  constructor(options: RestateOptions) {
    this.#options = options
    this.drainMs = options.worker?.drainMs ?? DRAIN_MS
    this.#link = linkTo(options.store, CONNECTIONS, options.schema)
    this.#outbox = new Outbox(this.#link)
    this.placement = {
      enlist: (run, cause) => this.#enlist(run, cause),
      settled: (run, cause) => this.#spoken(run, this.#settled(run, cause)),
    }
  }

  get #time(): Clock {
    return this.#host?.clock ?? this.clock
  }

  async attach(host: EngineHost): Promise<void> {
    await checkServer(this.#link)
    await refusePooler(this.#link)
    await this.clock.keep(this.#link)
    await this.#outbox.open()
    await migrate(this.#link, ENGINE_PART)
    const service = await serviceOf(this.#link)
    this.#client = new RestateClient(this.#options.ingress, service)
    this.#host = host
    this.#texts ??= await openTextRelay({ host, link: this.#link, isWorker: this.#options.worker !== undefined })
    if (this.#worker === undefined) await this.#startWorker(host, service)
    else await this.#worker.register()
    this.#unwatch()
    this.#unwatch = host.journal.watch('*', ({ kind }) => (kind === 'signal' ? this.#relay() : undefined))
    this.#tick()
    this.#relay()
  }

  /** Sends a wake-up to Restate. If that fails, it is stored in the outbox for a later flush. */
  async dispatch(run: string, cause: string): Promise<void> {
    await this.#hand(run, cause)
  }

  async schedule(run: string, at: number): Promise<void> {
    await this.#hand(run, `timer/${at}`, at)
  }

  async drain(): Promise<void> {
    await this.#worker?.drain()
  }

  async stop(): Promise<void> {
    await this.drain()
    this.#unwatch()
    this.#stopRelay()
    this.#stopping.abort()
    await this.#worker?.stop()
    await this.#texts?.stop()
    await this.#relaying
    await this.clock.stop()
    await this.#link.close()
  }

  async #startWorker(host: EngineHost, service: string): Promise<void> {
    const { worker: options, admin } = this.#options
    if (options === undefined) return
    const worker = new RestateWorker({
      ...{ host, link: this.#link, outbox: this.#outbox, service, admin: admin!, options },
      dispatch: (run, cause) => this.dispatch(run, cause),
    })
    await worker.start()
    this.#worker = worker
  }

  #attached(): RestateClient {
    if (this.#client === undefined) throw new MandateError('CLOSED', 'The engine is not attached. Attach it first.')
    return this.#client
  }

  async #hand(run: string, cause: string, at?: number): Promise<void> {
    if (this.#stopping.signal.aborted) return
    const wakeUp = { ...(await this.#wakeUp(run, cause)), at }
    try {
      await this.#attached().send(wakeUp, this.#time.now())
    } catch (error) {
      await this.#outbox.put(wakeUp)
      this.#host?.onFault(run, error)
    }
  }

  async #enlist(run: string, cause: string): Promise<(transaction: StoreTransaction) => Promise<void>> {
    await this.#outbox.open()
    const wakeUp = await this.#wakeUp(run, cause)
    return (transaction) => this.#outbox.put(wakeUp, transaction)
  }

  async #wakeUp(run: string, cause: string): Promise<WakeUp> {
    return { run, cause, fromSeq: (await this.#host?.journal.summary(run))?.head.seq ?? 0 }
  }

  /** Delivers streamed text of a run that this process waits for to the event listeners of this process. */
  #spoken(run: string, settled: Promise<void>): Promise<void> {
    return this.#texts?.await(run, settled) ?? settled
  }

  /** Waits until the run has come to rest. A request with the same cause joins the one in progress, in whichever process it was made. */
  async #settled(run: string, cause: string): Promise<void> {
    const { signal } = this.#stopping
    for (;;) {
      try {
        return await this.#attached().wait(await this.#wakeUp(run, cause), signal)
      } catch (error) {
        if (signal.aborted) throw new MandateError('CLOSED', 'The engine has been stopped.', { cause: error })
      }
      // The connection failed, or Restate is unreachable.
      await delay(this.#time, RELAY_MS)
    }
  }

  #tick(): void {
    this.#stopRelay()
    this.#stopRelay = this.#time.timer(
      RELAY_MS,
      () => {
        this.#relay()
        this.#tick()
      },
      true,
    )
  }

  /** Flushes the outbox, one pass at a time. Wake-ups that arrive during a pass are sent by the next pass. */
  #relay(): void {
    if (this.#relaying !== undefined) return void (this.#isBehind = true)
    this.#relaying = this.#passOn()
      .catch((error: unknown) => this.#host?.onFault('*', error))
      .finally(() => {
        this.#relaying = undefined
        if (!this.#isBehind || this.#stopping.signal.aborted) return
        this.#isBehind = false
        this.#relay()
      })
  }

  async #passOn(): Promise<void> {
    for (let page = await this.#outbox.read(); page.length > 0; page = await this.#outbox.read()) {
      await Promise.all(
        page.map(async (wakeUp) => {
          await this.#attached().send(wakeUp, this.#time.now())
          await this.#outbox.remove(wakeUp)
        }),
      )
      if (this.#stopping.signal.aborted) return
    }
  }
}

/** Returns the Restate service name for the runs of a store, so that several stores can share one Restate server. */
async function serviceOf(link: PostgresLink): Promise<string> {
  const { rows } = await link.query('SELECT current_database() AS name')
  const database = String(rows[0]!['name'])
  return `mandate.${/^\w+$/u.test(database) ? database : sha256(database).slice(0, 8)}.${link.options.schema}`
}
