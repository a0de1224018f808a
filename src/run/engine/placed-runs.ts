import { MandateError, newId } from '../../core/index.ts'
import { isErased, readStart } from '../../journal/index.ts'
import type { Entry, RunStartData, RunSuspendData } from '../../journal/index.ts'
import { announce } from '../kernel/announce.ts'
import type { KernelHost } from '../kernel/host.ts'
import { createRun } from '../lifecycle/create-run.ts'
import type { ChildSpec } from '../lifecycle/create-run.ts'
import { outcomeOf } from '../lifecycle/end-run.ts'
import { readRun } from '../lifecycle/resume-run.ts'
import type { RunOutcome } from '../lifecycle/run-outcome.ts'
import { checkSameRun } from '../kernel/same-run.ts'
import type { LiveRuns } from '../kernel/live-runs.ts'
import type { RunHandle } from '../kernel/planned-run.ts'
import { HeardTexts } from '../performers/heard-texts.ts'
import type { ChildRequest } from '../nested/child.ts'
import { childSpec } from '../nested/driven-child.ts'
import { DistantChild, isPlaceable } from './distant-child.ts'
import type { Engine, Placement } from './engine.ts'

/** The cause of a run's first dispatch. A run starts once, however often that is requested. */
const START = 'start'

/** The placement of an engine; `undefined` if it has none. */
export function placedRuns(host: KernelHost, engine: Engine, live: Live): PlacedRuns | undefined {
  const { placement } = engine
  return placement && new PlacedRuns({ host, engine, live, placement })
}

/** Drives children in this process. */
type Live = Pick<LiveRuns, 'child'>

interface Parts {
  readonly host: KernelHost
  readonly engine: Engine
  readonly live: Live
  readonly placement: Placement
}

/** Runs that an engine places: started here, driven by any process with free capacity, and followed here through their journals. */
export class PlacedRuns {
  readonly #host: KernelHost
  readonly #engine: Engine
  readonly #live: Live
  readonly #placement: Placement
  /** Starts in progress in this process. Two starts of one run would share an owner, so the store's lease would not exclude each other. */
  readonly #storing = new Map<string, Promise<number>>()
  /** Runs that were begun here and are not stored yet. */
  readonly #begun = new Map<string, Promise<number>>()

  constructor({ host, engine, live, placement }: Parts) {
    this.#host = host
    this.#engine = engine
    this.#live = live
    this.#placement = placement
  }

  /**
   * Writes the start of a run, dispatches it, and returns the number of the last entry that was announced here. If the process ends in between, a
   * repeated start or the engine completes it.
   */
  store(id: string, spec: ChildSpec): Promise<number> {
    const known = this.#storing.get(id)
    if (known !== undefined) return known.then(() => this.#store(id, spec))
    const storing = this.#store(id, spec).finally(() => this.#storing.delete(id))
    this.#storing.set(id, storing)
    return storing
  }

  /** Resolves when the start of a run that was begun here is stored. */
  async stored(id: string): Promise<void> {
    await this.#begun.get(id)
  }

  async #store(id: string, spec: ChildSpec): Promise<number> {
    const isKnown = (await this.#host.journal.summary(id)) !== undefined
    if (isKnown && spec.mustMatch === true) checkSameRun(this.#host, id, spec, await readStart(this.#host.journal, id))
    const told = isKnown ? 0 : await this.#create(id, spec)
    await this.#engine.dispatch(id, START)
    return told
  }

  async #create(id: string, spec: ChildSpec): Promise<number> {
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
      if (!MandateError.isInstance(error) || error.code !== 'LEASE_HELD') throw error
      // Another process has just started the same run, or is about to, or ended before it could.
      if ((await this.#host.journal.summary(id)) !== undefined) {
        if (spec.mustMatch === true) checkSameRun(this.#host, id, spec, await readStart(this.#host.journal, id))
        return 0
      }
      const message = `Another process is starting run "${id}" and has not stored its start. Start it again with the same id.`
      throw new MandateError('STORE_FAILED', message, { cause: error })
    }
  }

  /** Starts a run and returns at once. */
  begin(
    attached: Promise<void>,
    spec: ChildSpec & { readonly runId: string },
    cancel: (reason?: string) => Promise<void>,
  ): RunHandle {
    const { runId } = spec
    const stored = attached.then(() => this.store(runId, spec))
    this.#begun.set(runId, stored)
    const forget = (): void => void (this.#begun.get(runId) === stored && this.#begun.delete(runId))
    stored.then(forget, forget)
    const abort = (reason?: string): void => void stored.then(() => cancel(reason)).catch(() => {})
    return { runId, outcome: stored.then((seen) => this.#follow(runId, START, seen)), abort }
  }

  /** Dispatches a run; the outcome is that of its next segment. */
  async resume(id: string): Promise<Pick<RunHandle, 'outcome'>> {
    const cause = this.#resumeCause()
    const summary = await this.#host.journal.summary(id)
    await this.#engine.dispatch(id, cause)
    return { outcome: this.#follow(id, cause, summary?.head.seq ?? 0) }
  }

  /**
   * The outcome of a child that may be driven by any process. If none takes it soon, all of them may be busy with waiting parents: then it is driven
   * here.
   */
  async child(request: ChildRequest): Promise<RunOutcome> {
    const driveHere = (): Promise<RunOutcome> => this.#live.child(request)
    if (!isPlaceable(request)) return driveHere()
    const { id } = request
    const known = await this.#host.journal.summary(id)
    const cause = known === undefined ? START : this.#resumeCause()
    const seen = known?.head.seq ?? (await this.store(id, { ...childSpec(request), apart: true }))
    if (known !== undefined) await this.#engine.dispatch(id, cause)
    const distant = new DistantChild(request, { host: this.#host, engine: this.#engine, seen, driveHere })
    try {
      return await this.#follow(id, cause, seen, distant.outcome)
    } finally {
      distant.leave()
    }
  }

  #resumeCause(): string {
    return `resume/${newId('resume', this.#host.clock, this.#host.random)}`
  }

  /**
   * Announces here the entries of a run behind `seen`, and returns the outcome of the segment dispatched for this cause, or `instead` if that
   * resolves first.
   */
  async #follow(id: string, cause: string, seen: number, instead?: Promise<RunOutcome>): Promise<RunOutcome> {
    const { journal, events } = this.#host
    const [{ data: start }] = await readRun(this.#host, id)
    const last = undefined as Entry | undefined
    const follower = { id, start, seq: Math.max(seen - 1, 0), told: seen, heard: new HeardTexts(), last }
    let isSettled = false
    let news = Promise.withResolvers<void>()
    const look = (): void => news.resolve()
    // Runs driven in this process publish their events directly; only the entries of other processes are read from the journal.
    const unlisten = events.onRun(id, (event) => {
      follower.told = Math.max(follower.told, event.seq ?? 0)
      follower.heard.add(event)
    })
    const unwatch = journal.watch(id, look)
    const settled = this.#placement.settled(id, cause).then(() => {
      isSettled = true
      look()
    })
    settled.catch(look)
    try {
      for (;;) {
        news = Promise.withResolvers<void>()
        // Read before the journal is: if the segment is over by now, everything it wrote is in the journal.
        const isOver = isSettled
        await this.#readOn(follower)
        const outcome = restOf(id, follower.last, isOver)
        if (outcome !== undefined) return outcome
        const waits = [news.promise, ...(isSettled ? [] : [settled]), ...(instead === undefined ? [] : [instead])]
        const other = await Promise.race<RunOutcome | void>(waits)
        if (other !== undefined) return other
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
      if (entry.seq > follower.told) this.#tell(follower, entry)
    }
  }

  /** Announces an entry here, and before the end of a model call what is missing of its streamed text. */
  #tell({ id, start, heard }: Follower, entry: Entry): void {
    const { events } = this.#host
    const { type, key, data, at } = entry
    const about = { v: 1, at, runId: id, sessionId: start.sessionId, agentId: start.name, key } as const
    if (type === 'effect-end' && key !== undefined && data !== null)
      for (const unheard of heard.rest(key, data, start.pins)) events.emit({ ...about, ...unheard })
    announce(this.#host, start, entry)
  }
}

interface Follower {
  readonly id: string
  readonly start: RunStartData
  /** The number of the last entry that was read. */
  seq: number
  /** The number of the last entry that was announced here. */
  told: number
  /** The streamed texts that listeners here have received. */
  readonly heard: HeardTexts
  last: Entry | undefined
}

/** The outcome that a run's last entry shows. A suspension counts only when the awaited segment is over: before that it may be an earlier one. */
function restOf(run: string, last: Entry | undefined, isOver: boolean): RunOutcome | undefined {
  if (last === undefined || isErased(last)) return undefined
  if (last.type === 'run-end') return outcomeOf(run, last.data)
  if (last.type !== 'run-suspend' || !isOver) return undefined
  const { reason, pending, wakeAt }: RunSuspendData = last.data
  return { state: 'suspended', run, reason, pending, ...(wakeAt === undefined ? {} : { wakeAt }) }
}
