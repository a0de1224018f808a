import { within } from '../../core/index.ts'
import type { Clock } from '../../core/index.ts'
import type { SuspendReason } from '../../journal/index.ts'
import type { Engine } from '../engine/engine.ts'
import type { HeadSigning } from '../history/head-signatures.ts'
import type { KernelHost } from './host.ts'
import type { LiveRuns } from './live-runs.ts'

/** A suspended run. */
export interface SuspendedRun {
  readonly run: string
  readonly reason: SuspendReason
}

/** The result of `stop`: what it suspended, and what it left. */
export interface StopReport {
  /** Runs that were under way here and are suspended now: they can be resumed anywhere. Includes child runs. */
  readonly suspended: readonly SuspendedRun[]
  /** Runs whose store did not answer in time. They can be resumed once their leases have expired. */
  readonly left: readonly string[]
  /** Other work that had not finished after `limits.stopTimeoutMs`: `engine`, `event sinks`, `models`, `store`. */
  readonly unfinished: readonly string[]
}

/** Builds the report, and waits for each part of the work within the time limit. */
class Stopping {
  readonly #clock: Clock
  readonly #limitMs: number
  readonly suspended: SuspendedRun[] = []
  left: readonly string[] = []
  readonly #unfinished: string[] = []

  constructor(clock: Clock, limitMs: number) {
    this.#clock = clock
    this.#limitMs = limitMs
  }

  /** Waits for work while stopping. What does not finish in time is named in the report, and left. */
  async briefly(name: string | undefined, work: Promise<unknown>, moreMs = 0): Promise<void> {
    await within(this.#clock, this.#limitMs + moreMs, work, () => {
      if (name !== undefined) this.#unfinished.push(name)
    })
  }

  report(): StopReport {
    return { suspended: [...this.suspended], left: this.left, unfinished: [...this.#unfinished] }
  }
}

/** What a kernel releases when it stops, in this order. */
interface StoppedParts {
  readonly live: LiveRuns
  readonly engine: Engine
  readonly signing: HeadSigning
}

/** Suspends every run, then stops the engine and closes the sinks. */
export async function stopAll(
  { clock, limits, events }: KernelHost,
  { live, engine, signing }: StoppedParts,
): Promise<StopReport> {
  const stopping = new Stopping(clock, limits.stopTimeoutMs)
  await stopping.briefly('engine', Promise.allSettled([engine.drain?.()]))
  const { drainMs = 0 } = engine
  const suspended = live.stop(drainMs, (run) => stopping.suspended.push(run))
  await stopping.briefly(undefined, suspended, drainMs)
  stopping.left = live.leave()
  await stopping.briefly('engine', Promise.allSettled([engine.stop(), signing.settled()]))
  await stopping.briefly('event sinks', events.close())
  return stopping.report()
}
