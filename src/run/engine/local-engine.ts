import { MandateError } from '../../core/index.ts'
import type { Engine, EngineHost } from './engine.ts'

/**
 * The engine of one process: drives segments here, and wakes sleeping runs by timers, including those that an earlier process suspended.
 *
 * @example
 * ```ts
 * import { localEngine } from 'mandate/engine'
 * import { Kernel } from 'mandate/kit'
 * const kernel = new Kernel({ engine: localEngine() })
 * ```
 */
export function localEngine(): Engine {
  return new LocalEngine()
}

/** How many sleeping runs are read from the store at a time. */
const SLEEPERS = 200
const RETRY_MS = 5_000
/** How long a run that another process holds, and that has signals, is left to that process before a takeover is tried again. */
const TAKEOVER_MS = 1_000

class LocalEngine implements Engine {
  readonly name = 'local'
  /** When to wake each run that sleeps here. */
  readonly #sleeping = new Map<string, number>()
  readonly #segments = new Set<Promise<unknown>>()
  /** The last run that was read, and when to read more. */
  #read: { readonly run: string; readonly at: number } | undefined
  #more: number | undefined
  #host: EngineHost | undefined
  /**
   * One timer for all runs, set to the earliest wake-up and unreferenced, so that it does not keep the process running. Thousands of runs may wait for
   * people, each with an expiry.
   */
  #alarm: { readonly at: number; readonly stop: () => void } | undefined

  async attach(host: EngineHost): Promise<void> {
    this.#host = host
    await this.#readSleepers(host)
  }

  /**
   * Reads the next sleeping runs from the store. More are read when the last of these is due, so that a starting process does not load all waiting
   * runs. Each run is reported once, so that one which cannot be driven is not retried for ever.
   */
  async #readSleepers(host: EngineHost): Promise<void> {
    const next = await host.sleeping(SLEEPERS, this.#read)
    const last = next.at(-1)
    this.#read = last ?? this.#read
    this.#more = next.length < SLEEPERS ? undefined : last?.at
    for (const { run, at } of next) if (!this.#sleeping.has(run)) await this.schedule(run, at)
    if (this.#more !== undefined) this.#setAlarm(this.#more)
  }

  async dispatch(run: string): Promise<void> {
    const host = this.#host
    if (host === undefined) return
    this.#sleeping.delete(run)
    const segment = host.segment(run).catch((error: unknown) => this.#failed(host, run, error))
    this.#segments.add(segment)
    void segment.finally(() => this.#segments.delete(segment))
  }

  /**
   * A run that another process drives reads its signals there. If that process has died, the run is taken over once its lease has expired, for as
   * long as it has unread signals.
   */
  async #failed(host: EngineHost, run: string, error: unknown): Promise<void> {
    if (!(MandateError.isInstance(error) && error.code === 'LEASE_HELD')) return host.onFault(run, error)
    try {
      if (await host.isWanted(run)) await this.schedule(run, host.clock.now() + TAKEOVER_MS)
    } catch (cause) {
      host.onFault(run, cause)
    }
  }

  async schedule(run: string, at: number): Promise<void> {
    if (this.#host === undefined) return
    this.#sleeping.set(run, at)
    this.#setAlarm(at)
  }

  async stop(): Promise<void> {
    this.#alarm?.stop()
    this.#sleeping.clear()
    this.#host = undefined
    await Promise.allSettled([...this.#segments])
  }

  #setAlarm(at: number): void {
    const host = this.#host
    if (host === undefined || (this.#alarm !== undefined && this.#alarm.at <= at)) return
    this.#alarm?.stop()
    this.#alarm = { at, stop: host.clock.timer(at - host.clock.now(), () => this.#wake(), true) }
  }

  /** The alarm may fire early, or for a run that was woken by something else: then it is only set again. */
  #wake(): void {
    this.#alarm = undefined
    const now = this.#host?.clock.now() ?? 0
    for (const [run, at] of this.#sleeping) if (at <= now) void this.dispatch(run)
    if (this.#more !== undefined && this.#more <= now) this.#readOn()
    const next = this.#earliest()
    if (next !== Number.POSITIVE_INFINITY) this.#setAlarm(next)
  }

  #readOn(): void {
    const host = this.#host
    this.#more = undefined
    if (host === undefined) return
    const reading = this.#readSleepers(host).catch((error: unknown) => {
      host.onFault(this.#read?.run ?? '*', error)
      // After a store error, reads again with the next alarm.
      this.#more = host.clock.now() + RETRY_MS
      this.#setAlarm(this.#more)
    })
    this.#segments.add(reading)
    void reading.finally(() => this.#segments.delete(reading))
  }

  #earliest(): number {
    let earliest = this.#more ?? Number.POSITIVE_INFINITY
    for (const at of this.#sleeping.values()) earliest = Math.min(earliest, at)
    return earliest
  }
}
