import { MandateError } from '../core/index.ts'
import type { ActiveRun, RunOutcome } from './active-run.ts'
import type { ChildRequest } from './child.ts'
import type { Engine } from './engine.ts'
import type { KernelHost } from './host.ts'
import { createRun, loadRun } from './loading.ts'
import type { Opened } from './loading.ts'
import { drive } from './run.ts'

interface Live {
  run: ActiveRun | undefined
  /** Asked for before the run was there to be cut. */
  cut: MandateError | undefined
  outcome: Promise<RunOutcome>
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

  has(id: string): boolean {
    return this.#live.has(id)
  }

  /** Drives a run until it ends or suspends; whoever asks for a run that is being driven gets the same outcome. */
  drive(id: string, open: () => Promise<Opened>): Promise<RunOutcome> {
    const known = this.#live.get(id)
    if (known !== undefined) return known.outcome
    const live: Live = { run: undefined, cut: undefined, outcome: Promise.resolve(undefined as never) }
    this.#live.set(id, live)
    live.outcome = this.#loop(id, live, open).finally(() => this.#live.delete(id))
    return live.outcome
  }

  /** A child run: created or brought back, and cut together with its parent. */
  async child(request: ChildRequest): Promise<RunOutcome> {
    const { id, parent, key, kind, name, input, allot, signal } = request
    const spec = { kind, name, input, budget: allot, allotted: allot !== undefined, parent: { run: parent, key } }
    const outcome = this.drive(id, () => createRun(this.#host, id, spec))
    const cut = (): void => this.#live.get(id)?.run?.abort(signal.reason as MandateError)
    signal.addEventListener('abort', cut)
    try {
      return await outcome
    } finally {
      signal.removeEventListener('abort', cut)
    }
  }

  /** Cuts a run that this process drives. */
  abort(id: string, reason: string): void {
    const live = this.#live.get(id)
    if (live === undefined) return
    live.cut = new MandateError('CANCELLED', reason)
    live.run?.abort(live.cut)
  }

  async interrupt(id: string): Promise<RunOutcome | undefined> {
    const live = this.#live.get(id)
    this.#interrupt(live?.run)
    return live?.outcome
  }

  async stop(): Promise<void> {
    this.#stopping = true
    for (const { run } of this.#live.values()) this.#interrupt(run)
    await Promise.allSettled([...this.#live.values()].map(({ outcome }) => outcome))
  }

  #interrupt(run: ActiveRun | undefined): void {
    if (run === undefined) return
    run.interrupted = true
    run.delivery.pump()
  }

  async #loop(id: string, live: Live, open: () => Promise<Opened>): Promise<RunOutcome> {
    for (let opened = await open(); ; opened = await loadRun(this.#host, id, live.run?.parent)) {
      if ('outcome' in opened) return opened.outcome
      const outcome = await this.#segment(opened.run, live)
      if (outcome.state !== 'suspended' || outcome.reason === 'disk' || this.#stopping || opened.run.interrupted) return outcome
      // What arrived while the run was being put away is for nobody else to notice.
      const signals = await this.#host.journal.signals(id)
      if (signals.some(({ type }) => type !== 'steer')) continue
      if (outcome.wakeAt !== undefined && opened.run.parent === undefined) await this.#engine.schedule(id, outcome.wakeAt)
      return outcome
    }
  }

  async #segment(run: ActiveRun, live: Live): Promise<RunOutcome> {
    live.run = run
    if (this.#stopping) run.interrupted = true
    try {
      if (live.cut !== undefined) run.abort(live.cut)
      if (run.parent?.signal.aborted === true) run.abort(run.parent.abortReason)
      return await drive(run)
    } finally {
      // A lease that cannot be given back runs out by itself.
      await this.#host.journal.release(run.lease).catch(() => {})
    }
  }
}
