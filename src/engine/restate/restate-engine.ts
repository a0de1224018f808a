import { MandateError, delay, systemClock } from '../../core/index.ts'
import type { Clock } from '../../core/index.ts'
import type { StoreTransaction } from '../../journal/index.ts'
import type { Engine, EngineHost, Placement } from '../../run/index.ts'
import { listenForSegments } from './endpoint.ts'
import type { Endpoint } from './endpoint.ts'
import { checkRestateOptions } from './options.ts'
import type { RestateOptions } from './options.ts'
import { Outbox } from './outbox.ts'
import { RestateClient, registerDeployment } from './restate-client.ts'

/** A wake-up that could not be passed on at once is passed on within this time. */
const RELAY_MS = 500
const HELD_MS = 100
const AGAIN_MS = 1_000
/** So often a run may take its process with it before it is put down as in doubt. */
const ATTEMPTS_MAX = 5

/**
 * The engine that places runs with Restate: its server hands segments to workers, repeats those whose worker died, and keeps timers. The journal is on
 * Postgres, as with every engine past one machine; the package `@restatedev/restate-sdk` is installed by those who use it.
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
  readonly placement: Placement
  readonly #options: RestateOptions
  readonly #outbox: Outbox
  readonly #client: RestateClient
  readonly #stopping = new AbortController()
  readonly #segments = new Set<Promise<void>>()
  readonly #waiting: (() => void)[] = []
  #room: number
  #host: EngineHost | undefined
  #endpoint: Endpoint | undefined
  #isDraining = false
  #relaying: Promise<void> | undefined
  #isBehind = false
  #unwatch: () => void = () => {}
  #stopRelay: () => void = () => {}

  constructor(options: RestateOptions) {
    this.#options = options
    this.#outbox = new Outbox(options.store, options.schema)
    this.#client = new RestateClient(options.ingress, this.#service)
    this.#room = options.worker?.concurrency ?? 50
    this.placement = {
      enlist: (run, cause) => this.#enlist(run, cause),
      settled: (run, cause) => this.#settled(run, cause),
    }
  }

  /** Several stores can share a server. */
  get #service(): string {
    return `mandate_${this.#outbox.schema}`
  }

  get #clock(): Clock {
    return this.#host?.clock ?? systemClock
  }

  async attach(host: EngineHost): Promise<void> {
    await this.#outbox.open()
    this.#host = host
    const { worker, admin } = this.#options
    if (worker !== undefined) {
      this.#endpoint ??= await listenForSegments(this.#service, worker, (run) => this.#receive(host, run))
      await registerDeployment(admin!, this.#endpoint.uri)
    }
    this.#unwatch()
    this.#unwatch = host.journal.watch('*', ({ kind }) => (kind === 'signal' ? this.#relay() : undefined))
    this.#tick()
    this.#relay()
  }

  /** What cannot be handed to Restate now is kept, and handed over later. */
  async dispatch(run: string, cause: string): Promise<void> {
    await this.#hand(run, cause)
  }

  async schedule(run: string, at: number): Promise<void> {
    await this.#hand(run, `timer/${at}`, at)
  }

  async drain(): Promise<void> {
    this.#isDraining = true
    for (const go of this.#waiting.splice(0)) go()
  }

  async stop(): Promise<void> {
    await this.drain()
    this.#unwatch()
    this.#stopRelay()
    this.#stopping.abort()
    await Promise.allSettled([...this.#segments, this.#relaying])
    await this.#endpoint?.close()
    await this.#outbox.close()
  }

  async #hand(run: string, cause: string, at?: number): Promise<void> {
    if (this.#stopping.signal.aborted) return
    try {
      await this.#client.send({ run, cause, at }, this.#clock.now())
    } catch (error) {
      await this.#outbox.put({ run, cause, at })
      this.#host?.onFault(run, error)
    }
  }

  async #enlist(run: string, cause: string): Promise<(transaction: StoreTransaction) => Promise<void>> {
    await this.#outbox.open()
    return (transaction) => this.#outbox.put({ run, cause }, transaction)
  }

  /** The same request with the same cause joins the one that is under way, in whatever process. */
  async #settled(run: string, cause: string): Promise<void> {
    const { signal } = this.#stopping
    for (;;) {
      try {
        return await this.#client.wait({ run, cause }, signal)
      } catch (error) {
        if (signal.aborted) throw new MandateError('CLOSED', 'The engine has been stopped.', { cause: error })
      }
      // The connection, or Restate, was away.
      await delay(this.#clock, RELAY_MS)
    }
  }

  #tick(): void {
    this.#stopRelay()
    this.#stopRelay = this.#clock.timer(
      RELAY_MS,
      () => {
        this.#relay()
        this.#tick()
      },
      true,
    )
  }

  /** Passes on what is in the outbox, one pass at a time; what comes meanwhile is passed on by the next. */
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
          await this.#client.send(wakeUp, this.#clock.now())
          await this.#outbox.remove(wakeUp)
        }),
      )
      if (this.#stopping.signal.aborted) return
    }
  }

  /** A segment that Restate hands over. It throws for one that has to be tried again, here or elsewhere. */
  async #receive(host: EngineHost, run: string): Promise<void> {
    if (this.#room === 0) await new Promise<void>((resolve) => this.#waiting.push(resolve))
    else this.#room -= 1
    const segment = this.#drive(host, run).finally(() => {
      const next = this.#waiting.shift()
      if (next === undefined) this.#room += 1
      else next()
    })
    this.#segments.add(segment)
    return segment.finally(() => this.#segments.delete(segment))
  }

  async #drive(host: EngineHost, run: string): Promise<void> {
    this.#checkOpen()
    if ((await host.journal.summary(run)) === undefined) {
      const message = `Restate has a segment of run "${run}", which the journal does not have: was the database restored from an older backup? The segment was dropped.`
      return host.onFault(run, new MandateError('NOT_FOUND', message))
    }
    const attempts = await this.#outbox.countAttempt(run)
    if (attempts > ATTEMPTS_MAX) {
      const problem = `Driving it ended its process ${attempts - 1} times.`
      await host.standDown(run, problem)
    } else await this.#untilRest(host, run)
    await this.#outbox.clearAttempts(run)
  }

  async #untilRest(host: EngineHost, run: string): Promise<void> {
    for (;;) {
      this.#checkOpen()
      try {
        const outcome = await host.segment(run)
        const reason = outcome.state === 'suspended' ? outcome.reason : undefined
        if (reason === 'interrupt' && this.#isDraining) throw closing()
        if (reason !== 'disk') return
        await delay(host.clock, AGAIN_MS)
      } catch (error) {
        const code = MandateError.isInstance(error) ? error.code : undefined
        // Whoever held it is on the way out, or dead, and then its lease ends.
        const isHeld = code === 'LEASE_HELD' || code === 'LEASE_LOST'
        if (!isHeld) {
          await this.#outbox.clearAttempts(run)
          if (code !== 'CLOSED') host.onFault(run, error)
          throw error
        }
        await delay(host.clock, HELD_MS)
      }
    }
  }

  #checkOpen(): void {
    if (this.#isDraining) throw closing()
  }
}

/** Restate tries the segment again, with another worker. */
function closing(): MandateError {
  return new MandateError('CLOSED', 'This worker is ending; another one goes on.')
}
