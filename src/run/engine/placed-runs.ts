import { MandateError, newId } from '../../core/index.ts'
import { isErased } from '../../journal/index.ts'
import type { Entry, RunStartData, RunSuspendData } from '../../journal/index.ts'
import { announce } from '../kernel/announce.ts'
import type { KernelHost } from '../kernel/host.ts'
import { createRun } from '../lifecycle/create-run.ts'
import type { RunSpec } from '../lifecycle/create-run.ts'
import { outcomeOf } from '../lifecycle/end-run.ts'
import { readRun } from '../lifecycle/resume-run.ts'
import type { RunOutcome } from '../lifecycle/run-outcome.ts'
import type { RunHandle } from '../kernel/planned-run.ts'
import type { Engine, Placement } from './engine.ts'

/** Why a run is first driven. There is one start of a run, however often it is asked for. */
const START = 'start'

/** The runs of an engine that places them; undefined where it does not. */
export function placedRuns(host: KernelHost, engine: Engine): PlacedRuns | undefined {
  const { placement } = engine
  return placement && new PlacedRuns(host, engine, placement)
}

/** Runs that an engine places: they are written here, driven wherever there is room, and followed here by their journals. */
export class PlacedRuns {
  readonly #host: KernelHost
  readonly #engine: Engine
  readonly #placement: Placement
  /** Starts under way here: two of one run share an owner, so the store would not keep them apart. */
  readonly #storing = new Map<string, Promise<number>>()

  constructor(host: KernelHost, engine: Engine, placement: Placement) {
    this.#host = host
    this.#engine = engine
    this.#placement = placement
  }

  /** Writes the start of a run, hands it to the engine, and gives the last entry that was told here. A process that ends in between is made up for by asking again, or by the engine. */
  store(id: string, spec: RunSpec): Promise<number> {
    const known = this.#storing.get(id)
    if (known !== undefined) return known
    const storing = this.#store(id, spec).finally(() => this.#storing.delete(id))
    this.#storing.set(id, storing)
    return storing
  }

  async #store(id: string, spec: RunSpec): Promise<number> {
    const isKnown = (await this.#host.journal.summary(id)) !== undefined
    const told = isKnown ? 0 : await this.#create(id, spec)
    await this.#engine.dispatch(id, START)
    return told
  }

  async #create(id: string, spec: RunSpec): Promise<number> {
    try {
      const opened = await createRun(this.#host, id, spec)
      if (!('run' in opened)) return 0
      try {
        await opened.run.writer.flush()
        return opened.run.writer.head.seq
      } finally {
        opened.run.close()
        await this.#host.journal.release(opened.run.lease)
      }
    } catch (error) {
      // Another process has just started the same run.
      if (MandateError.isInstance(error) && error.code === 'LEASE_HELD') return 0
      throw error
    }
  }

  /** Starts a run and returns at once. */
  begin(
    attached: Promise<void>,
    spec: RunSpec & { readonly runId: string },
    cancel: (reason?: string) => Promise<void>,
  ): RunHandle {
    const { runId } = spec
    const stored = attached.then(() => this.store(runId, spec))
    const abort = (reason?: string): void => void stored.then(() => cancel(reason)).catch(() => {})
    return { runId, outcome: stored.then((seen) => this.#follow(runId, START, seen)), abort }
  }

  /** Has a run driven on, and gives what that came to. */
  async resume(id: string): Promise<RunOutcome> {
    const cause = `resume/${newId('resume', this.#host.clock, this.#host.random)}`
    const summary = await this.#host.journal.summary(id)
    await this.#engine.dispatch(id, cause)
    return this.#follow(id, cause, summary?.head.seq ?? 0)
  }

  /** Tells here what happens in a run behind the entry `seen`, and gives the outcome of the segment that was dispatched for this cause. */
  async #follow(id: string, cause: string, seen: number): Promise<RunOutcome> {
    const { journal, events } = this.#host
    const [{ data: start }] = await readRun(this.#host, id)
    const follower = { id, start, seq: Math.max(seen - 1, 0), told: seen, last: undefined as Entry | undefined }
    let isSettled = false
    let news = Promise.withResolvers<void>()
    const look = (): void => news.resolve()
    // What is driven in this very process is told by whoever writes it.
    const unlisten = events.onRun(id, ({ seq = 0 }) => void (follower.told = Math.max(follower.told, seq)))
    const unwatch = journal.watch(id, look)
    const settled = this.#placement.settled(id, cause).then(() => {
      isSettled = true
      look()
    })
    settled.catch(look)
    try {
      for (;;) {
        news = Promise.withResolvers<void>()
        // Asked before the journal is read: what the segment wrote is there when it is over.
        const isOver = isSettled
        await this.#readOn(follower)
        const outcome = restOf(id, follower.last, isOver)
        if (outcome !== undefined) return outcome
        await Promise.race([news.promise, isSettled ? news.promise : settled])
      }
    } finally {
      unlisten()
      unwatch()
    }
  }

  async #readOn(follower: Follower): Promise<void> {
    for await (const entry of this.#host.journal.read(follower.id, follower.seq + 1)) {
      follower.seq = entry.seq
      follower.last = entry
      if (entry.seq > follower.told) announce(this.#host, follower.start, entry)
    }
  }
}

interface Follower {
  readonly id: string
  readonly start: RunStartData
  /** The last entry that was read. */
  seq: number
  /** The last entry that was told here. */
  told: number
  last: Entry | undefined
}

/** The outcome that a run's last entry tells. A suspension counts when the segment that was waited for is over: an earlier one is no news. */
function restOf(run: string, last: Entry | undefined, isOver: boolean): RunOutcome | undefined {
  if (last === undefined || isErased(last)) return undefined
  if (last.type === 'run-end') return outcomeOf(run, last.data)
  if (last.type !== 'run-suspend' || !isOver) return undefined
  const { reason, pending, wakeAt }: RunSuspendData = last.data
  return { state: 'suspended', run, reason, pending, ...(wakeAt === undefined ? {} : { wakeAt }) }
}
