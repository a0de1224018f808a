import { MandateError, delay, newId, systemClock, systemRandom } from '../../core/index.ts'
import { isEnded } from '../../journal/index.ts'
import type { RunSummary } from '../../journal/index.ts'
import { isKept } from '../../run/index.ts'
import type { EngineHost, Obstacle } from '../../run/index.ts'
import type { PostgresLink } from '../../store/postgres/index.ts'
import { HeldRuns, lostProblem } from '../members/held-runs.ts'
import { Membership } from '../members/membership.ts'
import { STRANDED_MS, strandedCause, strandedRuns } from '../members/stranded.ts'
import { listenForSegments } from './endpoint.ts'
import type { Endpoint } from './endpoint.ts'
import type { RestateWorkerOptions } from './options.ts'
import type { Outbox } from './outbox.ts'
import { addressOf, registerDeployment } from './restate-client.ts'

const HELD_MS = 100
const AGAIN_MS = 1_000
/** Maximum number of times a run may crash its process before it is suspended as in doubt. */
const ATTEMPTS_MAX = 5
/** Time in seconds without a heartbeat after which a worker no longer counts as serving its address. */
const SILENT_S = 5
/** Time without a heartbeat after which a process counts as frozen and its leases are released. A frozen process keeps its connections. */
const FROZEN_MS = 30_000
const CONCURRENCY = 50

interface Parts {
  readonly host: EngineHost
  readonly link: PostgresLink
  readonly outbox: Outbox
  /** The Restate service name for the runs of this store. */
  readonly service: string
  readonly admin: string
  readonly options: RestateWorkerOptions
  /** Requests that a run is driven. */
  readonly dispatch: (run: string, cause: string) => Promise<void>
}

/** Receives segments from Restate and lets the kernel of this process drive them. */
export class RestateWorker {
  readonly #parts: Parts
  readonly #held: HeldRuns
  readonly #segments = new Set<Promise<void>>()
  readonly #waiting: (() => void)[] = []
  #room: number
  #membership: Membership | undefined
  #endpoint: Endpoint | undefined
  #isUp = false
  #isDraining = false
  #stopUpkeep: () => void = () => {}
  #upkeep: Promise<void> = Promise.resolve()

  constructor(parts: Parts) {
    this.#parts = parts
    this.#room = parts.options.concurrency ?? CONCURRENCY
    this.#held = new HeldRuns(parts.link)
  }

  async start(): Promise<void> {
    const { service, options } = this.#parts
    try {
      this.#endpoint = await listenForSegments(service, options, (run, fromSeq) => this.#receive(run, fromSeq))
      this.#membership = this.#member(this.#endpoint.uri)
      await this.#membership.join()
      this.#isUp = true
      await this.register()
    } catch (error) {
      await this.stop()
      throw error
    }
    this.#lookAfter()
  }

  /** Registers the worker with Restate, again if Restate may have lost the registration. */
  async register(): Promise<void> {
    const { admin, service } = this.#parts
    if (this.#endpoint !== undefined) await registerDeployment(admin, this.#endpoint.uri, service)
  }

  async drain(): Promise<void> {
    if (this.#isDraining) return
    this.#isDraining = true
    this.#isUp = false
    for (const go of this.#waiting.splice(0)) go()
    await this.#membership?.drain()
  }

  async stop(): Promise<void> {
    await this.drain()
    this.#stopUpkeep()
    await Promise.allSettled([...this.#segments, this.#upkeep])
    await this.#endpoint?.close()
    await this.#membership?.leave()
  }

  #member(address: string): Membership {
    const { host, link, options } = this.#parts
    const { concurrency = CONCURRENCY, version = '' } = options
    return new Membership({
      ...{ host, link, engine: 'restate', version, concurrency, frozenMs: FROZEN_MS, queues: [], configured: [] },
      address,
      id: newId('worker', systemClock, systemRandom),
      running: () => this.#segments.size,
      onGone: () => void this.#standIn(),
    })
  }

  /** Registers this worker again if no worker is running at the address registered last, because Restate delivers all segments to that address. */
  async #standIn(): Promise<void> {
    try {
      if (this.#isUp && !(await this.#isServed()) && this.#isUp) await this.register()
    } catch (error) {
      this.#parts.host.onFault('*', error)
    }
  }

  async #isServed(): Promise<boolean> {
    const { link, admin, service } = this.#parts
    const address = await addressOf(admin, service)
    if (address === undefined || address === this.#endpoint?.uri) return address !== undefined
    const sql = `SELECT FROM ${link.table('workers')}
      WHERE address = $1 AND state = 'up' AND seen_at > now() - interval '${SILENT_S} s' LIMIT 1`
    return (await link.query(sql, [address])).rows.length > 0
  }

  /** Periodically checks that the registered address is served and wakes stranded runs. A superfluous segment does nothing. */
  #lookAfter(): void {
    const { host, link, dispatch } = this.#parts
    const look = async (): Promise<void> => {
      await this.#standIn()
      for (const summary of (await strandedRuns(host, link)).values())
        await dispatch(summary.run, strandedCause(summary, host.clock.now()))
    }
    this.#stopUpkeep = systemClock.timer(
      STRANDED_MS / 3,
      () => {
        this.#upkeep = look()
          .catch((error: unknown) => host.onFault('*', error))
          .then(() => (this.#isDraining ? undefined : this.#lookAfter()))
      },
      true,
    )
  }

  /** Drives a segment that Restate delivers. It throws if Restate should retry the segment, on this or another worker. */
  async #receive(run: string, fromSeq: number): Promise<void> {
    if (this.#room === 0) await new Promise<void>((resolve) => this.#waiting.push(resolve))
    else this.#room -= 1
    const segment = this.#drive(run, fromSeq).finally(() => {
      const next = this.#waiting.shift()
      if (next === undefined) this.#room += 1
      else next()
    })
    this.#segments.add(segment)
    return segment.finally(() => this.#segments.delete(segment))
  }

  async #drive(run: string, fromSeq: number): Promise<void> {
    const { host, outbox } = this.#parts
    this.#checkOpen()
    const summary = await host.journal.summary(run)
    if (summary === undefined || summary.head.seq < fromSeq) return this.#lost(run, fromSeq, summary)
    if (isEnded(summary.state) || isKept(summary)) return this.#held.release(run)
    const obstacle = await host.obstacle(run)
    if (obstacle !== undefined) return this.#passOn(run, obstacle)
    await this.#held.release(run)
    const attempts = await outbox.countAttempt(run)
    if (attempts > ATTEMPTS_MAX) await host.standDown(run, `Driving it ended its process ${attempts - 1} times.`)
    else await this.#untilRest(run)
    await outbox.clearAttempts(run)
  }

  /** Rejects a segment that this worker cannot drive, so that Restate retries it on this or another worker. */
  async #passOn(run: string, obstacle: Obstacle): Promise<never> {
    const { host } = this.#parts
    const own = host.minds()[obstacle.mind]
    const address = this.#endpoint?.uri
    if ((await this.#held.elsewhere(obstacle, own, address)) !== 'certain') {
      const isAway = (await this.#held.elsewhere(obstacle, own)) === 'certain'
      const who = isAway ? `no worker at ${address}, where Restate hands runs to,` : 'no worker'
      const advice = isAway ? '; one at another address can: give all workers one `uri`' : ''
      await this.#held.note(run, `${who} can drive it: ${obstacle.reason}${advice}`)
    }
    throw new MandateError('NOT_FOUND', `This worker cannot drive run "${run}": ${obstacle.reason}.`)
  }

  /** Reports a run for which Restate refers to later entries than the journal has. The run is not driven; a person has to decide. */
  async #lost(run: string, fromSeq: number, summary: RunSummary | undefined): Promise<void> {
    const problem = lostProblem('Restate', { run, fromSeq, summary })
    await this.#held.note(run, problem)
    this.#parts.host.onFault(run, new MandateError('JOURNAL_DAMAGED', problem))
  }

  async #untilRest(run: string): Promise<void> {
    const { host, outbox } = this.#parts
    for (;;) {
      try {
        this.#checkOpen()
        const outcome = await host.segment(run)
        const reason = outcome.state === 'suspended' ? outcome.reason : undefined
        if (reason === 'interrupt' && this.#isDraining) throw closing()
        if (reason !== 'disk') return
        await delay(host.clock, AGAIN_MS)
      } catch (error) {
        const code = MandateError.isInstance(error) ? error.code : undefined
        // The owner of the lease is shutting down, or is dead and other workers will release its lease.
        const isHeld = code === 'LEASE_HELD' || code === 'LEASE_LOST'
        if (!isHeld) {
          await outbox.clearAttempts(run)
          if (code !== 'CLOSED') host.onFault(run, error)
          throw error
        }
        await delay(host.clock, HELD_MS)
      }
    }
  }

  #checkOpen(): void {
    if (!this.#isUp) throw closing()
  }
}

/** Returns the error that makes Restate retry the segment on another worker. */
function closing(): MandateError {
  return new MandateError('CLOSED', 'This worker is ending; another one goes on.')
}
