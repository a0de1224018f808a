import { MandateError, within } from '../../core/index.ts'
import type { RunStartData } from '../../journal/index.ts'
import type { ActiveRun } from '../lifecycle/active-run.ts'
import type { RunOutcome } from '../lifecycle/run-outcome.ts'
import type { ChildRequest } from '../nested/child.ts'
import type { Engine } from '../engine/engine.ts'
import type { KernelHost } from './host.ts'
import { loadRun } from '../lifecycle/create-run.ts'
import type { Opened } from '../lifecycle/create-run.ts'
import { drive } from '../lifecycle/run.ts'
import { takeDown } from '../lifecycle/takedown.ts'
import { cutWithParent, driveChild } from '../nested/driven-child.ts'
import { hasNews } from '../inbox/inbox-recheck.ts'
import type { SuspendedRun } from './stop-report.ts'

interface Live {
  run: ActiveRun | undefined
  /** Asked for before the run was there to be cut. */
  cut: MandateError | undefined
  interrupted: boolean
  /** A signal arrived in an inbox of this tree: the inbox is read again before the run suspends. */
  again: boolean
  outcome: Promise<RunOutcome>
  /** Ends the wait for a run that cannot be suspended. */
  giveUp: (error: MandateError) => void
}

/** The runs that this process drives: one driver each, however often a run is asked for. */
export class LiveRuns {
  readonly #host: KernelHost
  readonly #engine: Engine
  readonly #live = new Map<string, Live>()
  #stopping = false

  constructor(host: KernelHost, engine: Engine) {
    this.#host = host
    this.#engine = engine
  }

  /** Notifies the local driver of a run about a new signal. False when there is none. */
  notify(id: string): boolean {
    const live = this.#live.get(id)
    if (live !== undefined) live.again = true
    return live !== undefined
  }

  /** Drives a run until it ends or suspends; concurrent callers share one outcome. */
  drive(id: string, open: () => Promise<Opened>): Promise<RunOutcome> {
    const known = this.#live.get(id)
    if (known !== undefined) return known.outcome
    const live: Live = {
      run: undefined,
      cut: undefined,
      interrupted: false,
      again: false,
      outcome: Promise.resolve(undefined as never),
      giveUp: () => {},
    }
    this.#live.set(id, live)
    live.outcome = new Promise((resolve, reject) => {
      live.giveUp = reject
      this.#loop(id, live, open).then(resolve, reject)
    })
    return live.outcome
  }

  /** A child run: created or brought back, and cut together with its parent. */
  async child(request: ChildRequest): Promise<RunOutcome> {
    return driveChild(this.#host, request, {
      drive: (open) => this.drive(request.id, open),
      find: () => this.#live.get(request.id)?.run,
    })
  }

  /** Cuts a run that this process drives. False when it does not. */
  abort(id: string, reason: string): boolean {
    const live = this.#live.get(id)
    if (live === undefined) return false
    live.cut = new MandateError('CANCELLED', reason)
    if (live.run !== undefined) takeDown(live.run, live.cut, this.#host.identity.id)
    else this.#giveUpOpening(id, live)
    return true
  }

  /** What a run that is driven here was started as; undefined until its journal has been opened. */
  startOf(id: string): RunStartData | undefined {
    return this.#live.get(id)?.run?.start
  }

  /** A run that was cut is not waited for while its store does not open it; should the store still do so, the run is cut then. */
  #giveUpOpening(id: string, live: Live): void {
    const { clock, limits } = this.#host
    const stop = clock.timer(limits.stopTimeoutMs, () => {
      const message = `Run "${id}" was cut before its store had opened it, and the store did not answer within ${limits.stopTimeoutMs} ms (\`limits.stopTimeoutMs\`). Look at why it hangs.`
      if (live.run === undefined) live.giveUp(new MandateError('STORE_FAILED', message))
    })
    live.outcome.then(stop, stop)
  }

  /** Lets what is in flight in a run and its children end, and begins nothing new. */
  async interrupt(id: string): Promise<RunOutcome | undefined> {
    const live = this.#live.get(id)
    if (live === undefined) return undefined
    interruptOne(live)
    for (const other of this.#live.values()) if (isBelow(other.run, id)) interruptOne(other)
    return live.outcome
  }

  /** Suspends every run, and calls back for each that was. */
  async stop(onSuspended: (run: SuspendedRun) => void): Promise<void> {
    this.#stopping = true
    for (const live of this.#live.values()) interruptOne(live)
    const stopped = [...this.#live].map(async ([id, { outcome }]) => {
      const how = await outcome
      if (how.state === 'suspended') onSuspended({ run: id, reason: how.reason })
    })
    await Promise.allSettled(stopped)
  }

  /** Lets go of the runs that `stop` has waited for in vain, and gives their ids. What their journals say is the truth; their leases expire. */
  leave(): readonly string[] {
    const left = [...this.#live]
    for (const [id, live] of left) {
      const message = `Run "${id}" could not be suspended: its store did not answer. Resume it when the store does.`
      const error = new MandateError('STORE_FAILED', message)
      live.run?.fail(error)
      live.giveUp(error)
    }
    return left.map(([id]) => id)
  }

  async #loop(id: string, live: Live, open: () => Promise<Opened>): Promise<RunOutcome> {
    try {
      for (let opened = await open(); ; opened = await loadRun(this.#host, id, live.run?.parent)) {
        if ('outcome' in opened) return opened.outcome
        const outcome = await this.#segment(opened.run, live)
        if (outcome.state !== 'suspended' || !(await this.#hasNews(opened.run, live, outcome))) return outcome
      }
    } finally {
      // Synchronously with the last read of the inbox: a caller that finds no driver here knows that none will read it any more.
      this.#live.delete(id)
    }
  }

  #hasNews(run: ActiveRun, live: Live, outcome: RunOutcome & { state: 'suspended' }): boolean | Promise<boolean> {
    const { journal } = this.#host
    return hasNews({ run, outcome, live, journal, engine: this.#engine })
  }

  async #segment(run: ActiveRun, live: Live): Promise<RunOutcome> {
    live.run = run
    if (this.#stopping || live.interrupted || run.parent?.interruption.isRung === true) interruptRun(run)
    try {
      if (live.cut !== undefined) takeDown(run, live.cut, this.#host.identity.id)
      if (run.parent?.signal.aborted === true) cutWithParent(run)
      const outcome = await drive(run)
      if (outcome.state !== 'suspended' || outcome.reason !== 'disk') this.#host.onRest(run.id, run.writer.head)
      return outcome
    } finally {
      // A lease that cannot be given back runs out by itself.
      const { clock, journal, limits } = this.#host
      await within(clock, limits.stopTimeoutMs, journal.release(run.lease), () => undefined).catch(() => {})
    }
  }
}

/** Begins nothing new in a run, and lets go of what is in flight: it gets a moment, then the run suspends without it. */
function interruptRun(run: ActiveRun): void {
  run.interrupted = true
  run.interruption.ring()
  run.delivery.pump()
}

function interruptOne(live: Live): void {
  live.interrupted = true
  if (live.run !== undefined) interruptRun(live.run)
}

function isBelow(run: ActiveRun | undefined, id: string): boolean {
  return run?.parent !== undefined && (run.parent.id === id || isBelow(run.parent, id))
}
