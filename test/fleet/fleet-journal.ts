import { MandateError } from '../../src/core/index.ts'
import type { Random } from '../../src/core/index.ts'
import { isEnded, leaseLost, memoryJournal, readAll, verifyEntries } from '../../src/journal/index.ts'
import type { Entry, Head, Journal, Lease, RunSummary, StoreTransaction } from '../../src/journal/index.ts'
import type { Defect } from './fleet.ts'
import type { Life, Timeline } from './timeline.ts'

/** What a partition of the store has: the journals of one tree of runs. */
interface Partition {
  readonly journal: Journal
  /** The last entry of each run that a writer was told is stored. */
  readonly acknowledged: Map<string, Pick<Head, 'seq' | 'hash'>>
}

export interface FleetJournalOptions {
  readonly timeline: Timeline
  readonly random: Random
  /** How long the store takes over one question, at most. */
  readonly latencyMs: number
  /** How many of a thousand questions come to nothing although the store lives, half of them after they took effect. */
  readonly lost: number
  /** Called when the summary of a run has changed. */
  readonly onChange: (summary: RunSummary) => void
  /** What is wrong with it on purpose. */
  readonly defect?: Defect | undefined
}

/**
 * The store of a fleet: journals in memory, one for each tree of runs, so that trees that are over can be checked and dropped. Leases go by the clock of
 * the store, as in Postgres. Each process sees it through `view`.
 */
export class FleetJournal {
  readonly #options: FleetJournalOptions
  readonly #partitions = new Map<string, Partition>()
  /** By owner, the leases that were given and not given back. */
  readonly #leases = new Map<string, Map<string, Lease>>()
  readonly counts = { calls: 0, entries: 0, fenced: 0, failed: 0, freed: 0 }

  constructor(options: FleetJournalOptions) {
    this.#options = options
  }

  /** The store as one process sees it. What a process asked for before it died may or may not take effect. */
  view(life: Life): Journal {
    const call = <T>(ask: () => Promise<T>): Promise<T> => this.#call(life, ask)
    const at = (run: string): Journal => this.#partition(run).journal
    const now = (): number => this.#options.timeline.now
    const { defect } = this.#options
    const forgiving = (error: unknown): void => {
      if ((defect !== 'does-not-fence' && defect !== 'drives-twice') || (error as MandateError).code !== 'LEASE_LOST')
        throw error
    }
    const journal: Journal = {
      acquire: (options) =>
        call(async () => {
          const lease = await at(options.run).acquire({ ...options, now: defect === 'drives-twice' ? Infinity : now() })
          this.#note(options.owner, lease)
          return lease
        }),
      renew: (lease, until, from = until) =>
        call(() =>
          at(lease.run)
            .renew(lease, now() + Math.max(0, until - from), now())
            .catch(forgiving),
        ),
      release: (lease) =>
        call(async () => {
          for (const leases of this.#leases.values()) leases.delete(lease.run)
          await at(lease.run).release(lease)
        }),
      append: (lease, seq, entries, consume) =>
        call(async () => {
          if (defect === 'loses-entries' && this.#options.random.next() < 0.01) return
          await at(lease.run)
            .append(lease, seq, entries, consume)
            .catch(async (error: unknown) => {
              forgiving(error)
              const any = await at(lease.run).acquire({ run: lease.run, owner: 'anyone', ttlMs: 1, now: Infinity })
              await at(lease.run).append(any, seq, entries, consume)
            })
          this.counts.entries += entries.length
          this.#options.onChange((await at(lease.run).summary(lease.run))!)
        }).then(() => this.#acknowledge(lease.run, entries.at(-1))),
      read: (run, from, options) => this.#read(life, run, from, options),
      summary: (run) => call(() => at(run).summary(run)),
      list: (filter = {}) =>
        call(async () => (typeof filter.parent === 'string' ? at(filter.parent).list(filter) : [])),
      // In one moment with the wake-up, as in a transaction.
      signal: (run, signal, along) =>
        call(async () => {
          const isNew = await at(run).signal(run, signal)
          if (isNew) await along?.(NO_CONNECTION)
          return isNew
        }),
      signals: (run) => call(() => at(run).signals(run)),
      watch: () => () => {},
      addCount: async () => {},
      sumCount: async () => 0,
      erase: (run) => call(() => at(run).erase(run)),
      close: async () => {},
    }
    return journal
  }

  /** The truth, without a process. */
  summary(run: string): Promise<RunSummary | undefined> {
    return this.#partition(run).journal.summary(run)
  }

  /** Gives back the leases of a process that is taken for dead, whether it is or not. */
  async releaseOwner(owner: string): Promise<void> {
    const leases = this.#leases.get(owner)
    this.#leases.delete(owner)
    for (const lease of leases?.values() ?? []) {
      if (this.#partitions.get(rootOf(lease.run)) === GONE) continue
      this.counts.freed += 1
      await this.#partition(lease.run).journal.release(lease)
    }
  }

  #note(owner: string, lease: Lease): void {
    const leases = this.#leases.get(owner) ?? new Map<string, Lease>()
    this.#leases.set(owner, leases)
    leases.set(lease.run, lease)
  }

  /** Whether something waits in the inbox of a tree. */
  async isWaiting(root: string): Promise<boolean> {
    const { journal } = this.#partition(root)
    for (const { run } of await journal.list({ limit: 1e9 })) if ((await journal.signals(run)).length > 0) return true
    return false
  }

  /** Checks all runs of a tree and lets go of them; what is wrong, one sentence each. */
  async close(root: string): Promise<string[]> {
    const { journal, acknowledged } = this.#partition(root)
    const problems: string[] = []
    for (const { run, state } of await journal.list({ limit: 1e9 })) {
      const entries = await readAll(journal, run)
      const report = verifyEntries(run, entries)
      problems.push(...report.problems.map((problem) => `${run}: ${problem}`))
      if (entries.some(({ seq }, index) => seq !== index + 1)) problems.push(`${run}: not one row for each number`)
      const head = acknowledged.get(run)
      if (head !== undefined && entries[head.seq - 1]?.hash !== head.hash)
        problems.push(`${run}: the acknowledged entry ${head.seq} is lost`)
      if (run !== root && !isEnded(state)) problems.push(`${run}: is ${state} below a run that is over`)
    }
    await journal.close()
    this.#partitions.set(root, GONE)
    return problems
  }

  #acknowledge(run: string, last: Entry | undefined): void {
    if (last === undefined) return
    const { acknowledged } = this.#partition(run)
    if ((acknowledged.get(run)?.seq ?? 0) < last.seq) acknowledged.set(run, { seq: last.seq, hash: last.hash })
  }

  #partition(run: string): Partition {
    const root = rootOf(run)
    let partition = this.#partitions.get(root)
    if (partition === undefined)
      this.#partitions.set(root, (partition = { journal: memoryJournal(), acknowledged: new Map() }))
    // Whoever still comes has slept through the end of the run, and would be refused by its epoch.
    if (partition === GONE) throw leaseLost(run)
    return partition
  }

  #call<T>(life: Life, ask: () => Promise<T>): Promise<T> {
    const { timeline, random, latencyMs, lost } = this.#options
    this.counts.calls += 1
    const fate = random.next()
    return new Promise<T>((resolve, reject) => {
      timeline.after(1 + random.next() * (latencyMs - 1), () => {
        if (life.state === 'dead' && fate < 0.5) return
        const isLost = fate * 1_000 < lost
        if (isLost && fate * 2_000 < lost) return life.pass(() => reject(this.#failure()))
        const settle = isLost ? () => reject(this.#failure()) : resolve
        invoke(ask).then(
          (value) => life.pass(() => settle(value)),
          (error: unknown) => {
            if (MandateError.isInstance(error) && error.code === 'LEASE_LOST') this.counts.fenced += 1
            life.pass(() => reject(error))
          },
        )
      })
    })
  }

  #failure(): MandateError {
    this.counts.failed += 1
    return new MandateError('STORE_FAILED', 'The connection was lost.')
  }

  async *#read(life: Life, ...[run, from, options]: Parameters<Journal['read']>): AsyncGenerator<Entry> {
    const entries = await this.#call(life, async () => {
      const found: Entry[] = []
      for await (const entry of this.#partition(run).journal.read(run, from, options)) found.push(entry)
      return found
    })
    yield* entries
  }
}

const NO_CONNECTION: StoreTransaction = { query: async () => ({ rows: [] }) }
const GONE: Partition = { journal: memoryJournal(), acknowledged: new Map() }

async function invoke<T>(ask: () => Promise<T>): Promise<T> {
  return ask()
}

/** A child's id begins with that of its root. */
export function rootOf(run: string): string {
  const dot = run.indexOf('.')
  return dot < 0 ? run : run.slice(0, dot)
}
