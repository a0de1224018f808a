import type { Engine, EngineHost } from './engine.ts'

/**
 * The engine of one process: segments are driven here, and timers wake sleeping runs, those of an earlier process included.
 *
 * @example
 * ```ts
 * import { Kernel, localEngine } from 'mandate/run'
 * const kernel = new Kernel({ engine: localEngine() })
 * ```
 */
export function localEngine(): Engine {
  return new LocalEngine()
}

class LocalEngine implements Engine {
  readonly name = 'local'
  /** When the runs that sleep here are to be woken. */
  readonly #sleeping = new Map<string, number>()
  readonly #segments = new Set<Promise<unknown>>()
  #host: EngineHost | undefined
  /** One timer for all, which keeps no process alive: set to the earliest: thousands of runs may wait for people, each with a day on which it gives up. */
  #alarm: { readonly at: number; readonly stop: () => void } | undefined

  async attach(host: EngineHost): Promise<void> {
    this.#host = host
    for (const { run, at } of await host.sleeping()) await this.schedule(run, at)
  }

  async dispatch(run: string): Promise<void> {
    const host = this.#host
    if (host === undefined) return
    this.#sleeping.delete(run)
    const segment = host.segment(run).catch((error: unknown) => host.onFault(run, error))
    this.#segments.add(segment)
    void segment.finally(() => this.#segments.delete(segment))
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

  /** The alarm may have been for a run that was woken otherwise, or come a little early: then it is only set anew. */
  #wake(): void {
    this.#alarm = undefined
    const now = this.#host?.clock.now() ?? 0
    for (const [run, at] of this.#sleeping) if (at <= now) void this.dispatch(run)
    if (this.#sleeping.size > 0) this.#setAlarm(this.#earliest())
  }

  #earliest(): number {
    let earliest = Number.POSITIVE_INFINITY
    for (const at of this.#sleeping.values()) earliest = Math.min(earliest, at)
    return earliest
  }
}
