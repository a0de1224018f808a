import { setImmediate as nextTurn } from 'node:timers/promises'
import { MandateError, seededRandom } from '../../src/core/index.ts'
import type { Change, Entry, Journal, Lease, Signal } from '../../src/journal/index.ts'
import type { Life } from './world.ts'

/** What happens to an append: the process dies before or after it is stored, or lives and is told that it failed. */
export const FAULTS = ['die-before', 'die-after', 'fail-before', 'fail-after', 'disk-full', 'steal'] as const
export type Fault = (typeof FAULTS)[number]

export interface LifePlan {
  readonly seed: string
  readonly fault?: Fault | undefined
  /** At which append of this life, counted from 1. */
  readonly at: number
  /** How many turns of the event loop every call of the store may take. */
  readonly slowness: number
  /** Signals are stored twice, with the same id and with another; watchers are told twice. */
  readonly isDoubling: boolean
}

export interface LivedJournal {
  readonly journal: Journal
  readonly life: Life
  /** Resolves when the process dies. */
  readonly died: Promise<void>
  /** Whatever is left of the process goes with it. */
  readonly end: () => void
  /** How many calls of the store there were: what stands still is waiting for time to pass. */
  readonly calls: () => number
}

/** The store as one process sees it, until it dies. */
export function livedJournal(store: Journal, plan: LifePlan): LivedJournal {
  const lived = new Lived(store, plan)
  return { journal: lived, life: lived, died: lived.death.promise, end: () => lived.end(), calls: () => lived.calls }
}

class Lived implements Journal, Life {
  alive = true
  calls = 0
  readonly death: PromiseWithResolvers<void> = Promise.withResolvers()
  readonly #store: Journal
  readonly #plan: LifePlan
  readonly #random: ReturnType<typeof seededRandom>
  #appends = 0

  constructor(store: Journal, plan: LifePlan) {
    this.#store = store
    this.#plan = plan
    this.#random = seededRandom(`life ${plan.seed}`)
  }

  async append(
    lease: Lease,
    expectedSeq: number,
    entries: readonly Entry[],
    consume?: readonly string[],
  ): Promise<void> {
    const { fault } = this.#plan
    const isTime = fault !== undefined && ++this.#appends === this.#plan.at
    await this.#pause()
    if (isTime) await this.#failBefore(fault, lease.run)
    await this.#store.append(lease, expectedSeq, entries, consume)
    if (isTime && fault === 'die-after') return this.#die()
    if (isTime && fault === 'fail-after') throw new MandateError('STORE_FAILED', 'the answer was lost')
    await this.#pause()
  }

  async acquire(options: Parameters<Journal['acquire']>[0]): Promise<Lease> {
    await this.#pause()
    // As a store that can tell that the holder has died: nobody waits for a lease to run out.
    return this.#store.acquire({ ...options, ttlMs: 0, now: Number.MAX_SAFE_INTEGER })
  }

  async renew(lease: Lease, until: number, now?: number): Promise<void> {
    await this.#pause()
    return this.#store.renew(lease, until, now)
  }

  async release(lease: Lease): Promise<void> {
    await this.#pause()
    return this.#store.release(lease)
  }

  async *read(run: string, fromSeq?: number): AsyncGenerator<Entry> {
    await this.#pause()
    yield* this.#store.read(run, fromSeq)
  }

  async summary(run: string): ReturnType<Journal['summary']> {
    await this.#pause()
    return this.#store.summary(run)
  }

  async list(filter?: Parameters<Journal['list']>[0]): ReturnType<Journal['list']> {
    await this.#pause()
    return this.#store.list(filter)
  }

  async signal(run: string, signal: Signal): Promise<boolean> {
    await this.#pause()
    const isNew = await this.#store.signal(run, signal)
    if (!this.#plan.isDoubling) return isNew
    await this.#store.signal(run, signal)
    await this.#store.signal(run, { ...signal, id: `${signal.id}-again` })
    return isNew
  }

  async signals(run: string): Promise<readonly Signal[]> {
    await this.#pause()
    return this.#store.signals(run)
  }

  watch(run: string, listener: (change: Change) => void): () => void {
    return this.#store.watch(run, (change) => {
      if (!this.alive) return
      listener(change)
      if (this.#plan.isDoubling) listener(change)
    })
  }

  addCount(): Promise<void> {
    return Promise.resolve()
  }

  sumCount(): Promise<number> {
    return Promise.resolve(0)
  }

  erase(run: string): Promise<number> {
    return this.#store.erase(run)
  }

  close(): Promise<void> {
    return Promise.resolve()
  }

  async #failBefore(fault: Fault, run: string): Promise<void> {
    if (fault === 'die-before') return this.#die()
    if (fault === 'fail-before') throw new MandateError('STORE_FAILED', 'nothing was stored')
    if (fault === 'disk-full') throw new MandateError('DISK_FULL', 'nothing was stored: the disk is full')
    if (fault !== 'steal') return
    const stolen = await this.#store.acquire({ run, owner: 'thief', ttlMs: 0, now: Number.MAX_SAFE_INTEGER })
    await this.#store.release(stolen)
  }

  end(): void {
    this.alive = false
    this.death.resolve()
  }

  #die(): Promise<never> {
    this.end()
    return new Promise(() => {})
  }

  async #pause(): Promise<void> {
    this.calls += 1
    const turns = this.#plan.slowness === 0 ? 0 : Math.floor(this.#random.next() * this.#plan.slowness)
    for (let turn = 0; turn < turns; turn++) await nextTurn()
    // What a dead process had asked for is never answered.
    if (!this.alive) await new Promise(() => {})
  }
}
