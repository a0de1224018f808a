import {
  MandateError,
  afterMicrotasks,
  delay,
  seededRandom,
  systemClock,
  checkFields,
  checkNumbers,
} from '../core/index.ts'
import type { Clock, Random, FieldNames } from '../core/index.ts'
import type { Change, Entry, Journal, Lease, RunFilter, RunSummary, Signal } from '../journal/index.ts'

/** Which faults are injected, and how often: probabilities from 0 to 1 per call, drawn from the seed in the order of the calls. */
export interface FaultPlan {
  readonly seed: string | number
  /** The append fails, and nothing is stored. */
  readonly failBefore?: number | undefined
  /** The append fails although everything is stored: the answer is lost. */
  readonly failAfter?: number | undefined
  /** Everything is stored, but the append never settles: the writer must be abandoned. */
  readonly neverAnswer?: number | undefined
  /** Appends from this one on (counted from 1) fail with a full disk, until `heal`. */
  readonly diskFullFrom?: number | undefined
  /** Another owner takes the lease just before this append (counted from 1), which then fails with LEASE_LOST. */
  readonly stealLeaseAt?: number | undefined
  /** The probability of the same fault. */
  readonly stealLease?: number | undefined
  /** A signal is sent a second time with the same id, which must have no effect. */
  readonly duplicateSignal?: number | undefined
  /** A signal is sent a second time with another id, as by a double click. */
  readonly repeatSignal?: number | undefined
  /** Watchers are called twice. */
  readonly duplicateChange?: number | undefined
  /** The probability that a call is delayed, by up to `delayMs` of `clock`; with 0, it only lets other pending work run first. */
  readonly delay?: number | undefined
  readonly delayMs?: number | undefined
  readonly clock?: Clock | undefined
}

const FAULT_PLAN: FieldNames<FaultPlan> = {
  seed: 'text|number',
  failBefore: true,
  failAfter: true,
  neverAnswer: true,
  diskFullFrom: true,
  stealLeaseAt: true,
  stealLease: true,
  duplicateSignal: true,
  repeatSignal: true,
  duplicateChange: true,
  delay: true,
  delayMs: 'number',
  clock: 'object',
}

interface FaultyJournal extends Journal {
  /** The injected faults with their calls, in order: `failAfter append run_1 after 4`. The same seed gives the same list. */
  readonly faults: readonly string[]
  /** Number of appends that were requested. */
  readonly appends: number
  /** Stops all faults; a full disk has space again. */
  heal(): void
}

/**
 * Wraps a journal and injects faults, in the same way for the same seed. Entries are never torn or reordered, because no store may do so; only answers, leases
 * and time are lost.
 *
 * @example
 * ```ts
 * import { memoryJournal } from 'mandate/journal'
 * import { faultyJournal } from 'mandate/testing'
 * const journal = faultyJournal(memoryJournal(), { seed: 7, failAfter: 0.1, stealLeaseAt: 12 })
 * // ... run something on it, then look at what happened:
 * console.log(journal.faults)
 * ```
 */
export function faultyJournal(inner: Journal, plan: FaultPlan): FaultyJournal {
  checkFields(plan, 'an option of `faultyJournal`', FAULT_PLAN)
  const { seed: _seed, clock: _clock, ...numbers } = FAULT_PLAN
  const kinds = Object.keys(numbers).map((name) => [name, 'amount'] as const)
  checkNumbers(plan, 'an option of `faultyJournal`', Object.fromEntries(kinds))
  return new SeededFaults(inner, plan)
}

type Chance =
  | 'failBefore'
  | 'failAfter'
  | 'neverAnswer'
  | 'stealLease'
  | 'duplicateSignal'
  | 'repeatSignal'
  | 'duplicateChange'
  | 'delay'

class SeededFaults implements FaultyJournal {
  readonly faults: string[] = []
  appends = 0
  readonly #inner: Journal
  #plan: FaultPlan
  readonly #draws = new Map<string, Random>()

  constructor(inner: Journal, plan: FaultPlan) {
    this.#inner = inner
    this.#plan = plan
  }

  get owner(): string | undefined {
    return this.#inner.owner
  }

  heal(): void {
    this.#plan = { seed: this.#plan.seed }
  }

  async append(
    lease: Lease,
    expectedSeq: number,
    entries: readonly Entry[],
    consume?: readonly string[],
  ): Promise<void> {
    const count = ++this.appends
    const where = `append ${lease.run} after ${expectedSeq}`
    await this.#pause(where)
    if (count >= (this.#plan.diskFullFrom ?? Infinity)) throw this.#fault('diskFullFrom', where, 'DISK_FULL')
    if (count === this.#plan.stealLeaseAt || this.#happens('stealLease')) await this.#steal(lease.run, where)
    if (this.#happens('failBefore')) throw this.#fault('failBefore', where, 'STORE_FAILED')
    await this.#inner.append(lease, expectedSeq, entries, consume)
    if (this.#happens('failAfter')) throw this.#fault('failAfter', where, 'STORE_FAILED')
    if (!this.#happens('neverAnswer')) return
    this.#fault('neverAnswer', where, 'STORE_FAILED')
    await new Promise(() => {})
  }

  async signal(run: string, signal: Signal): Promise<boolean> {
    await this.#pause(`signal ${run}`)
    const isNew = await this.#inner.signal(run, signal)
    if (this.#happens('duplicateSignal')) {
      this.faults.push(`duplicateSignal signal ${run} ${signal.id}`)
      await this.#inner.signal(run, signal)
    }
    if (this.#happens('repeatSignal')) {
      this.faults.push(`repeatSignal signal ${run} ${signal.id}`)
      await this.#inner.signal(run, { ...signal, id: `${signal.id}-again` })
    }
    return isNew
  }

  watch(run: string, listener: (change: Change) => void): () => void {
    return this.#inner.watch(run, (change) => {
      listener(change)
      if (this.#happens('duplicateChange')) listener(change)
    })
  }

  async acquire(options: Parameters<Journal['acquire']>[0]): Promise<Lease> {
    await this.#pause(`acquire ${options.run}`)
    return this.#inner.acquire(options)
  }

  renew(lease: Lease, until: number, now?: number): Promise<void> {
    return this.#inner.renew(lease, until, now)
  }

  release(lease: Lease): Promise<void> {
    return this.#inner.release(lease)
  }

  read(run: string, fromSeq?: number): AsyncIterable<Entry> {
    return this.#inner.read(run, fromSeq)
  }

  summary(run: string): Promise<RunSummary | undefined> {
    return this.#inner.summary(run)
  }

  list(filter?: RunFilter): Promise<readonly RunSummary[]> {
    return this.#inner.list(filter)
  }

  signals(run: string): Promise<readonly Signal[]> {
    return this.#inner.signals(run)
  }

  addCount(name: string, at: number, amount: number): Promise<void> {
    return this.#inner.addCount(name, at, amount)
  }

  sumCount(name: string, since: number): Promise<number> {
    return this.#inner.sumCount(name, since)
  }

  erase(run: string): Promise<number> {
    return this.#inner.erase(run)
  }

  get writeBlob(): Journal['writeBlob'] {
    return this.#inner.writeBlob?.bind(this.#inner)
  }

  get readBlob(): Journal['readBlob'] {
    return this.#inner.readBlob?.bind(this.#inner)
  }

  async knownHead(run: string): ReturnType<NonNullable<Journal['knownHead']>> {
    return this.#inner.knownHead?.(run)
  }

  close(): Promise<void> {
    return this.#inner.close()
  }

  #happens(kind: Chance): boolean {
    return this.#draw(kind) < (this.#plan[kind] ?? 0)
  }

  /** Each kind has a random sequence of its own, so that adding one to a plan does not change the others. */
  #draw(kind: string): number {
    const random = this.#draws.get(kind) ?? seededRandom(`faults:${this.#plan.seed}:${kind}`)
    this.#draws.set(kind, random)
    return random.next()
  }

  #fault(kind: string, where: string, code: 'DISK_FULL' | 'STORE_FAILED'): MandateError {
    this.faults.push(`${kind} ${where}`)
    return new MandateError(code, `A planned fault (${kind}) at ${where}.`)
  }

  /** Takes the lease as another process would after it expired, and releases it, so that the run can be resumed. */
  async #steal(run: string, where: string): Promise<void> {
    this.faults.push(`stealLease ${where}`)
    const stolen = await this.#inner.acquire({ run, owner: 'thief', ttlMs: 0, now: Number.MAX_SAFE_INTEGER })
    await this.#inner.release(stolen)
  }

  async #pause(where: string): Promise<void> {
    if (!this.#happens('delay')) return
    this.faults.push(`delay ${where}`)
    const { clock = systemClock, delayMs = 0 } = this.#plan
    if (delayMs === 0) await new Promise<void>((resolve) => afterMicrotasks(resolve))
    else await delay(clock, Math.floor(this.#draw('delayMs') * delayMs))
  }
}
