import { MandateError, afterTurn, inCanonicalOrder, messageOf, stopwatch, within } from '../core/index.ts'
import { noRedaction } from '../redact/index.ts'
import type { Clock, Random } from '../core/index.ts'
import type { Redactor } from '../redact/index.ts'
import { headOf, sealEntry } from './entry.ts'
import type { Draft, Entry, EntryType, Head, IntactEntry } from './entry.ts'
import type { EntryDataByType } from './entry-data.ts'
import { redactData } from './entry-redaction.ts'
import type { Journal, Lease } from './journal.ts'

/** An entry that belongs before the first new one. */
export type Prelude = {
  readonly [T in EntryType]: { readonly type: T; readonly data: EntryDataByType[T] }
}[EntryType]

export interface WriterOptions {
  readonly journal: Journal
  readonly lease: Lease
  readonly clock: Clock
  readonly random: Random
  readonly redactor?: Redactor | undefined
  /** Holds everything back until `flush`: for runs that need no durability before their end. */
  readonly held?: boolean | undefined
  /** Time since the lease was asked for; from now on when absent. */
  readonly heldSince?: (() => number) | undefined
  /** Written when, and only when, something else is. */
  readonly prelude?: readonly Prelude[] | undefined
  /** Entries that nothing waits for are stored this much later, together with what has come by then; one that is waited for takes them along at once. */
  readonly gatherMs?: number | undefined
  /** A store that takes longer than this over an append or a renewal has failed: by then the lease is another owner's to take. */
  readonly answerMs?: number | undefined
  /** Sees every entry as soon as it has its place in the chain, before it is stored. */
  readonly onEntry?: ((entry: Entry) => void) | undefined
  /** Told once, when the store refused: from then on nothing is written. */
  readonly onFailure?: ((error: unknown) => void) | undefined
}

/**
 * Writes one run. `add` is immediate: the entry has its number and hash at once, and the order of calls is the order of entries.
 * Storing happens behind it, one append at a time, each taking all that has gathered meanwhile. Who needs an entry on disk waits for `durable`.
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
  /** Time since the lease was last taken or renewed, counted from before the store was asked. */
  #sinceRenewal: () => number
  #renewing: Promise<boolean> | undefined

  constructor(options: WriterOptions) {
    this.#options = options
    this.#redactor = options.redactor ?? noRedaction
    this.#gathers = (options.gatherMs ?? 0) > 0
    this.#head = options.lease.head
    this.#stored = options.lease.head.seq
    this.#prelude = options.prelude ?? []
    this.#sinceRenewal = options.heldSince ?? stopwatch()
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

  /** The same for the start or end of an effect; `isAwaited` when its caller waits for it to be stored. */
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

  /** Entries that are not awaited are batched into the next flush, or flushed at the end of the tick: a commit of their own would delay the next one. */
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
    // A run that goes on from the store reads what is written; one that never stopped must see the same.
    const safe = inCanonicalOrder(redactData(type, data, this.#redactor))
    const draft: Draft<T> = { type, key, data: safe, at: clock.now() }
    const entry = sealEntry(lease.run, this.#head, draft, random.hex(16))
    this.#head = entry
    this.#queue.push(entry as IntactEntry)
    onEntry?.(entry as IntactEntry)
    return entry
  }

  /** Resolves when everything up to `seq` is on disk; rejects when the store failed before that. */
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

  /** Milliseconds since this writer last knew that it had its lease in full. */
  sinceRenewal(): number {
    return this.#sinceRenewal()
  }

  /**
   * Renews the lease, which the store refuses when another owner has taken the run: then the writer fails. False when it has failed.
   * Those who ask in the same turn share one renewal. `now` is the time where the clock shall not be read for it.
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
    return this.#failure === undefined
  }

  /** Refuses all further entries: another owner has the run, or this one is being taken down. */
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

  /** Stores a little later, unless something that is waited for comes first. */
  #gather(): void {
    if (this.#flushing || this.#options.held === true) return
    this.#stopGathering ??= this.#options.clock.timer(this.#options.gatherMs!, () => {
      this.#stopGathering = undefined
      this.#start()
    })
  }

  /** One append after the other, each with all that has gathered. */
  async #run(): Promise<void> {
    const { journal, lease } = this.#options
    try {
      while (this.#queue.length > 0 && this.#failure === undefined) {
        const [batch, consume] = [this.#queue, this.#consume]
        this.#queue = []
        this.#consume = []
        await this.#answered(journal.append(lease, this.#stored, batch, consume))
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
