import { MandateError, within } from '../../core/index.ts'
import { readStart } from '../../journal/index.ts'
import type { RunStartData } from '../../journal/index.ts'
import type { ActiveRun } from '../lifecycle/active-run.ts'
import type { RunOutcome } from '../lifecycle/run-outcome.ts'
import type { ChildRequest } from '../nested/child.ts'
import type { Engine } from '../engine/engine.ts'
import type { KernelHost } from './host.ts'
import { loadRun } from '../lifecycle/create-run.ts'
import type { Opened, RunSpec } from '../lifecycle/create-run.ts'
import { drive } from '../lifecycle/run.ts'
import { checkSameRun } from './same-run.ts'
import { takeDown } from '../lifecycle/takedown.ts'
import { cutWithParent, driveChild } from '../nested/driven-child.ts'
import { mustResume } from '../inbox/inbox-recheck.ts'
import type { SuspendedRun } from './stop-report.ts'

interface Live {
  run: ActiveRun | undefined
  /** Resolves when the journal of the run is open, or without it. */
  readonly opened: PromiseWithResolvers<ActiveRun | undefined>
  /** A cancellation that was requested before the run was opened. */
  cut: MandateError | undefined
  interrupted: boolean
  /** A signal arrived in an inbox of this tree: the inbox is read again before the run suspends. */
  again: boolean
  outcome: Promise<RunOutcome>
  /** Rejects the outcome of a run that cannot be suspended. */
  giveUp: (error: MandateError) => void
}

/** The runs driven by this process: one driver each, however often a run is requested. */
export class LiveRuns {
  readonly #host: KernelHost
  readonly #engine: Engine
  readonly #live = new Map<string, Live>()
  #stopping = false

  constructor(host: KernelHost, engine: Engine) {
    this.#host = host
    this.#engine = engine
  }

  /** Notifies the local driver of a run about a new signal. Returns false if there is none. */
  notify(id: string): boolean {
    const live = this.#live.get(id)
    if (live !== undefined) live.again = true
    return live !== undefined
  }

  /** Drives a run until it ends or suspends; `open` creates it or, by default, loads it from the journal. Concurrent callers share one outcome. */
  drive(id: string, open: () => Promise<Opened> = () => loadRun(this.#host, id)): Promise<RunOutcome> {
    const known = this.#live.get(id)
    if (known !== undefined) return known.outcome
    const live: Live = {
      run: undefined,
      opened: Promise.withResolvers(),
      cut: undefined,
      interrupted: false,
      again: false,
      outcome: Promise.resolve(undefined as never),
      giveUp: () => {},
    }
    this.#live.set(id, live)
    live.outcome = new Promise((resolve, reject) => {
      live.giveUp = reject
      // Whoever awaits the outcome gets the refusal as well.
      live.opened.promise.catch(() => {})
      this.#loop(id, live, open).then(resolve, reject)
    })
    return live.outcome
  }

  /** The same for a run that is started here. Throws if another run has the id. */
  start(spec: RunSpec & { readonly runId: string }, open: () => Promise<Opened>): Promise<RunOutcome> {
    const { runId } = spec
    const isLive = this.#live.has(runId)
    const outcome = this.drive(runId, open)
    return isLive ? this.#shared(spec, outcome) : outcome
  }

  async #shared(spec: RunSpec & { readonly runId: string }, outcome: Promise<RunOutcome>): Promise<RunOutcome> {
    const { runId } = spec
    // A run that is being opened is compared by its journal once it is over.
    const start = this.startOf(runId) ?? (await outcome.then(() => readStart(this.#host.journal, runId)))
    checkSameRun(this.#host, runId, spec, start)
    return outcome
  }

  /** Creates or resumes a child run, and aborts it together with its parent. */
  async child(request: ChildRequest): Promise<RunOutcome> {
    return driveChild(this.#host, request, {
      drive: (open) => this.drive(request.id, open),
      find: () => this.#live.get(request.id)?.run,
    })
  }

  /** Cancels a run that this process drives. Returns false if it does not. */
  abort(id: string, reason: string): boolean {
    const live = this.#live.get(id)
    if (live === undefined) return false
    live.cut = new MandateError('CANCELLED', reason)
    if (live.run !== undefined) takeDown(live.run, live.cut, this.#host.identity.id)
    else this.#giveUpOpening(id, live)
    return true
  }

  /** The start of a run that is driven here; `undefined` until its journal is open. */
  startOf(id: string): RunStartData | undefined {
    return this.#live.get(id)?.run?.start
  }

  /** Resolves when the start of a run that is driven here is stored; rejects if the run was refused, or its start could not be stored. */
  async stored(id: string): Promise<void> {
    const run = await this.#live.get(id)?.opened.promise
    await run?.writer.durable(1)
  }

  /** Ends the wait for a cancelled run that its store does not open. Should the store still open it, the run is aborted then. */
  #giveUpOpening(id: string, live: Live): void {
    const { clock, limits } = this.#host
    const stop = clock.timer(limits.stopTimeoutMs, () => {
      const message = `Run "${id}" was cut before its store had opened it, and the store did not answer within ${limits.stopTimeoutMs} ms (\`limits.stopTimeoutMs\`). Look at why it hangs.`
      if (live.run === undefined) live.giveUp(new MandateError('STORE_FAILED', message))
    })
    live.outcome.then(stop, stop)
  }

  /** Lets the calls in flight in a run and its children finish, and starts nothing new. */
  async interrupt(id: string): Promise<RunOutcome | undefined> {
    const live = this.#live.get(id)
    if (live === undefined) return undefined
    interruptOne(live)
    for (const other of this.#live.values()) if (isBelow(other.run, id)) interruptOne(other)
    return live.outcome
  }

  /** Suspends every run, and reports each one that was. Calls in flight have `drainMs` to finish before they are interrupted; nothing new starts. */
  async stop(drainMs: number, onSuspended: (run: SuspendedRun) => void): Promise<void> {
    this.#stopping = true
    for (const live of this.#live.values()) {
      if (drainMs === 0) interruptOne(live)
      else void this.#drain(live, drainMs)
    }
    const stopped = [...this.#live].map(async ([id, { outcome }]) => {
      const how = await outcome
      if (how.state === 'suspended') onSuspended({ run: id, reason: how.reason })
    })
    await Promise.allSettled(stopped)
  }

  async #drain(live: Live, drainMs: number): Promise<void> {
    const { run, outcome } = live
    if (run !== undefined) {
      run.interrupted = true
      run.delivery.pump()
      const isOver = Promise.race([run.calls.whenStill(), outcome])
      await within(this.#host.clock, drainMs, isOver, () => undefined).catch(() => {})
    }
    interruptOne(live)
  }

  /** Drops the runs that did not suspend before `stop` timed out, and returns their ids. Their journals stay as they are; their leases expire. */
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
        live.opened.resolve('run' in opened ? opened.run : undefined)
        if ('outcome' in opened) return opened.outcome
        const outcome = await this.#segment(opened.run, live)
        if (outcome.state !== 'suspended' || !(await this.#mustResume(opened.run, live, outcome))) return outcome
      }
    } catch (error) {
      live.opened.reject(error)
      throw error
    } finally {
      // Synchronous with the last read of the inbox: if a caller finds no driver here, no driver will read the inbox any more.
      this.#live.delete(id)
    }
  }

  #mustResume(run: ActiveRun, live: Live, outcome: RunOutcome & { state: 'suspended' }): boolean | Promise<boolean> {
    const { journal } = this.#host
    return mustResume({ run, outcome, live, journal, engine: this.#engine })
  }

  async #segment(run: ActiveRun, live: Live): Promise<RunOutcome> {
    live.run = run
    if (this.#stopping || live.interrupted || run.parent?.interruption.hasFired === true) interruptRun(run)
    try {
      if (live.cut !== undefined) takeDown(run, live.cut, this.#host.identity.id)
      if (run.parent?.signal.aborted === true) cutWithParent(run)
      const outcome = await drive(run)
      if (outcome.state !== 'suspended' || outcome.reason !== 'disk') this.#host.onRest(run.id, run.writer.head)
      return outcome
    } finally {
      // A lease that cannot be released expires by itself.
      const { clock, journal, limits } = this.#host
      await within(clock, limits.stopTimeoutMs, journal.release(run.lease), () => undefined).catch(() => {})
    }
  }
}

/** Starts no further effects of a run and interrupts those in flight. After a short grace period the run suspends without their results. */
function interruptRun(run: ActiveRun): void {
  run.interrupted = true
  run.interruption.fire()
  run.delivery.pump()
}

function interruptOne(live: Live): void {
  live.interrupted = true
  if (live.run !== undefined) interruptRun(live.run)
}

function isBelow(run: ActiveRun | undefined, id: string): boolean {
  return run?.parent !== undefined && (run.parent.id === id || isBelow(run.parent, id))
}
