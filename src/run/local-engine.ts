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
  readonly #timers = new Map<string, { at: number; stop: () => void }>()
  readonly #segments = new Set<Promise<unknown>>()
  #host: EngineHost | undefined

  async attach(host: EngineHost): Promise<void> {
    this.#host = host
    for (const { run, at } of await host.sleeping()) await this.schedule(run, at)
  }

  async dispatch(run: string): Promise<void> {
    const host = this.#host
    if (host === undefined) return
    this.#cancel(run)
    const segment = host.segment(run).catch((error: unknown) => host.onFault(run, error))
    this.#segments.add(segment)
    void segment.finally(() => this.#segments.delete(segment))
  }

  async schedule(run: string, at: number): Promise<void> {
    const host = this.#host
    if (host === undefined) return
    this.#cancel(run)
    this.#timers.set(run, { at, stop: host.clock.timer(at - host.clock.now(), () => void this.dispatch(run)) })
  }

  async stop(): Promise<void> {
    for (const { stop } of this.#timers.values()) stop()
    this.#timers.clear()
    this.#host = undefined
    await Promise.allSettled([...this.#segments])
  }

  #cancel(run: string): void {
    this.#timers.get(run)?.stop()
    this.#timers.delete(run)
  }
}
