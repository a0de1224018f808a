import { MandateError, afterTurn, messageOf, stopwatch, within } from '../core/index.ts'
import { noRedaction } from '../redact/index.ts'
import type { Clock, Random } from '../core/index.ts'
import type { Redactor } from '../redact/index.ts'
import { headOf, sealEntry } from './entry.ts'
import type { Draft, Entry, EntryType, Head, IntactEntry } from './entry.ts'
import type { EntryDataByType } from './entry-data.ts'
import { redactData } from './entry-redaction.ts'
import type { Journal, Lease } from './journal.ts'

/** An entry to be written before the first new one. */
export type Prelude = {
  readonly [T in EntryType]: { readonly type: T; readonly data: EntryDataByType[T] }
}[EntryType]

export interface WriterOptions {
  readonly journal: Journal
  readonly lease: Lease
  readonly clock: Clock
  readonly random: Random
  readonly redactor?: Redactor | undefined
  /** Holds all entries until `flush`: for runs that need no durability before their end. */
  readonly held?: boolean | undefined
  /** The time since the lease was requested; counted from now on if absent. */
  readonly heldSince?: (() => number) | undefined
  /** Written if, and only if, another entry is. */
  readonly prelude?: readonly Prelude[] | undefined
  /** The delay of entries that are not awaited, so that later ones join their append; an awaited entry is stored at once together with them. */
  readonly gatherMs?: number | undefined
  /** The time limit of an append or a renewal: after it, another owner may have taken the lease. */
  readonly answerMs?: number | undefined
  /** Called with every entry once it has its place in the chain, before it is stored. */
  readonly onEntry?: ((entry: Entry) => void) | undefined
  /** Called once if the store fails: from then on nothing is written. */
  readonly onFailure?: ((error: unknown) => void) | undefined
}

/**
 * Writes one run. `add` is synchronous: the entry has its number and hash at once, and the order of calls is the order of entries. Storing happens in
 * the background, one append at a time, each with all entries that are pending. Await `durable` for an entry that must be on disk.
 */
export class JournalWriter {
  readonly #options: WriterOptions
  readonly #redactor: Redactor
  #head: Head
  #stored: number
  #queue: Entry[] = []
  #consume: string[] = []
  #waiting: { seq: number; resolve: () => void; reject: (error: unknown) => void }[] = []
  #flushing = false
  #isPlanned = false
  readonly #gathers: boolean
  #stopGathering: (() => void) | undefined
  #prelude: readonly Prelude[]
  #failure: Error | undefined
  /** The time since the lease was last acquired or renewed, measured from before the request to the store. */
  #sinceRenewal: () => number
  /** The time since the last request that the store answered for the owner of the run. */
  #sinceProof: () => number
  #renewing: Promise<boolean> | undefined

  constructor(options: WriterOptions) {
    this.#options = options
    this.#redactor = options.redactor ?? noRedaction
    this.#gathers = (options.gatherMs ?? 0) > 0
    this.#head = options.lease.head
    this.#stored = options.lease.head.seq
    this.#prelude = options.prelude ?? []
    this.#sinceRenewal = options.heldSince ?? stopwatch()
    this.#sinceProof = this.#sinceRenewal
  }

  get head(): Head {
    return headOf(this.#head)
  }

  get failure(): Error | undefined {
    return this.#failure
  }

  add<T extends EntryType>(
    type: T,
    key: string | undefined,
    data: EntryDataByType[T],
    consume?: readonly string[],
  ): IntactEntry<T> {
    const entry = this.#seal(type, key, data)
    if (consume !== undefined) this.#consume.push(...consume)
    if (this.#gathers) this.#gather()
    else this.#store(true)
    return entry
  }

  /** The same for the start or end of an effect; `isAwaited` if its caller waits until it is stored. */
  addEffect<T extends 'effect-start' | 'effect-end'>(
    type: T,
    key: string,
    data: EntryDataByType[T],
    isAwaited: boolean,
  ): IntactEntry<T> {
    const entry = this.#seal(type, key, data)
    this.#store(isAwaited)
    return entry
  }

  #store(isAwaited: boolean): void {
    if (!isAwaited) this.#startLater()
    else if (this.#options.held !== true) this.#start()
  }

  /** Entries that are not awaited are batched into the next flush, or flushed at the end of the tick: an append of their own would delay the next one. */
  #startLater(): void {
    if (this.#options.held === true || this.#flushing) return
    if (this.#gathers) this.#gather()
    else if (!this.#isPlanned) {
      this.#isPlanned = true
      afterTurn(() => {
        this.#isPlanned = false
        this.#start()
      })
    }
  }

  #seal<T extends EntryType>(type: T, key: string | undefined, data: EntryDataByType[T]): IntactEntry<T> {
    if (this.#failure !== undefined) throw this.#failure
    if (this.#prelude.length > 0) {
      const prelude = this.#prelude
      this.#prelude = []
      for (const before of prelude) this.add(before.type, undefined, before.data)
    }
    const { clock, random, lease, onEntry } = this.#options
    // The data in the form in which a later resume reads it: a run that was never interrupted must get the same data.
    const safe = redactData(type, data, this.#redactor)
    const draft: Draft<T> = { type, key, data: safe, at: clock.now() }
    const entry = sealEntry(lease.run, this.#head, draft, random.hex(16))
    this.#head = entry
    this.#queue.push(entry as IntactEntry)
    onEntry?.(entry as IntactEntry)
    return entry
  }

  /** Resolves when everything up to `seq` is stored; rejects if the store fails before that. */
  async durable(seq: number = this.#head.seq): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure
    if (this.#stored >= seq) return
    if (this.#options.held !== true) this.#start()
    await new Promise<void>((resolve, reject) => this.#waiting.push({ seq, resolve, reject }))
  }

  /** Stores everything now, held back or not. */
  flush(): Promise<void> {
    this.#start()
    return this.durable()
  }

  /** Milliseconds since the lease was last acquired or renewed, measured from before the request to the store. */
  sinceRenewal(): number {
    return this.#sinceRenewal()
  }

  /** Milliseconds since the last request that the store grants only to the owner of the run: an append or a renewal. */
  sinceProof(): number {
    return this.#sinceProof()
  }

  /**
   * Renews the lease. If another owner has taken the run, the store refuses and the writer fails. Returns false if it has failed. Callers in the same
   * turn share one renewal. Pass `now` where the clock must not be read.
   */
  renew(ttlMs: number, now?: number): Promise<boolean> {
    this.#renewing ??= Promise.resolve().then(() => {
      // Later callers start a new request: the store may have read its state for this one already.
      this.#renewing = undefined
      return this.#renew(ttlMs, now)
    })
    return this.#renewing
  }

  async #renew(ttlMs: number, given: number | undefined): Promise<boolean> {
    if (this.#failure !== undefined) return false
    const { journal, lease, clock } = this.#options
    const sent = stopwatch()
    const now = given ?? clock.now()
    try {
      await this.#answered(journal.renew(lease, now + ttlMs, now))
    } catch (error) {
      this.fail(error)
      return false
    }
    this.#sinceRenewal = sent
    this.#sinceProof = sent
    return this.#failure === undefined
  }

  /** Refuses all further entries: another owner has the run, or this one is being cancelled. */
  fail(error: unknown): void {
    if (this.#failure !== undefined) return
    this.#failure =
      error instanceof Error ? error : new MandateError('STORE_FAILED', `The journal failed: ${messageOf(error)}`)
    for (const waiter of this.#waiting.splice(0)) waiter.reject(this.#failure)
    this.#options.onFailure?.(this.#failure)
  }

  #start(): void {
    if (this.#flushing || this.#queue.length === 0) return
    this.#flushing = true
    this.#stopGathering?.()
    this.#stopGathering = undefined
    // One microtask later, so that entries added together are stored together.
    queueMicrotask(() => void this.#run())
  }

  /** Stores a little later, unless an awaited entry comes first. */
  #gather(): void {
    if (this.#flushing || this.#options.held === true) return
    this.#stopGathering ??= this.#options.clock.timer(this.#options.gatherMs!, () => {
      this.#stopGathering = undefined
      this.#start()
    })
  }

  /** Appends one batch after another, each with all pending entries. */
  async #run(): Promise<void> {
    const { journal, lease } = this.#options
    try {
      while (this.#queue.length > 0 && this.#failure === undefined) {
        const [batch, consume] = [this.#queue, this.#consume]
        this.#queue = []
        this.#consume = []
        const sent = stopwatch()
        await this.#answered(journal.append(lease, this.#stored, batch, consume))
        this.#sinceProof = sent
        this.#settle(batch)
      }
    } catch (error) {
      this.fail(error)
    } finally {
      this.#flushing = false
    }
  }

  #answered<T>(asked: Promise<T>): Promise<T> {
    const { clock, answerMs } = this.#options
    if (answerMs === undefined) return asked
    return within(clock, answerMs, asked, () => {
      const message = `The store did not answer within ${answerMs} ms (\`limits.leaseMs\`). Look at why it hangs; the run can be resumed when it does not.`
      throw new MandateError('STORE_FAILED', message)
    })
  }

  #settle(batch: readonly Entry[]): void {
    this.#stored = batch.at(-1)!.seq
    if (this.#waiting.length === 0) return
    const due = this.#waiting.filter((waiter) => waiter.seq <= this.#stored)
    this.#waiting = this.#waiting.filter((waiter) => waiter.seq > this.#stored)
    for (const waiter of due) waiter.resolve()
  }
}
