import { MandateError, runLimits, systemClock, within } from '../../core/index.ts'
import type { Clock } from '../../core/index.ts'
import { memoryJournal } from '../../journal/index.ts'
import type { AcquireOptions, Entry, Journal, Lease } from '../../journal/index.ts'
import type { KernelOptions } from './kernel-options.ts'
import { SeenDamage } from './seen-damage.ts'

/** The time limit of a store operation. */
interface Patience {
  readonly clock: Clock
  readonly ms: number
}

/** The original store of each wrapper. */
const behind = new WeakMap<Journal, Journal>()

/** The store behind a wrapper: kernels of one process share the store, not the wrapper. */
export function storeBehind(journal: Journal): Journal {
  return behind.get(journal) ?? journal
}

/**
 * Wraps a kernel's journal so that every operation answers or fails with `STORE_FAILED` after `limits.leaseMs`: a store that hangs would otherwise
 * block reads, resumes, answers and lists. Appends and renewals are bounded by the run's writer, which must fail with them; erasing has no limit.
 */
export function answeringStore({
  journal = memoryJournal(),
  clock = systemClock,
  limits,
}: Pick<KernelOptions, 'journal' | 'clock' | 'limits'>): Journal {
  const patience: Patience = { clock, ms: runLimits(limits).leaseMs }
  const answered = <T>(what: string, asked: Promise<T>): Promise<T> =>
    within(clock, patience.ms, asked, () => {
      throw noAnswer(what, patience)
    })
  const seen = SeenDamage.of(journal)
  const store: Journal = {
    owner: journal.owner,
    isEncrypted: journal.isEncrypted,
    acquire: (options) => answered(`\`acquire\` of run "${options.run}"`, acquiring(journal, options, seen)),
    renew: (lease, until, now) => journal.renew(lease, until, now),
    release: (lease) => answered(`\`release\` of run "${lease.run}"`, journal.release(lease)),
    append: (lease, expected, entries, consume) => journal.append(lease, expected, entries, consume),
    read: (run, fromSeq, options) =>
      reading(journal.read(run, fromSeq, options), patience, {
        what: `\`read\` of run "${run}"`,
        failed: (error) => seen.note(run, error),
        ended: () => (fromSeq ?? 1) <= 1 && seen.forget(run),
      }),
    summary: async (run) => seen.mark(await answered(`\`summary\` of run "${run}"`, journal.summary(run))),
    list: async (filter) => seen.markAll(await answered('`list`', journal.list(filter))),
    signal: (run, signal, along) => answered(`\`signal\` to run "${run}"`, journal.signal(run, signal, along)),
    signals: (run) => answered(`\`signals\` of run "${run}"`, journal.signals(run)),
    watch: (run, listener) => journal.watch(run, listener),
    addCount: (name, at, amount) => answered('`addCount`', journal.addCount(name, at, amount)),
    sumCount: (name, since) => answered('`sumCount`', journal.sumCount(name, since)),
    erase: (run) => journal.erase(run),
    close: () => journal.close(),
    ...(journal.releaseOwner && {
      releaseOwner: (owner: string) => answered('`releaseOwner`', journal.releaseOwner!(owner)),
    }),
    ...(journal.contentBytes && {
      contentBytes: (run: string) => answered(`\`contentBytes\` of run "${run}"`, journal.contentBytes!(run)),
    }),
    ...(journal.writeBlob && { writeBlob: (run: string, bytes: Uint8Array) => journal.writeBlob!(run, bytes) }),
    ...(journal.readBlob && { readBlob: (run: string, hash: string) => journal.readBlob!(run, hash) }),
    ...(journal.knownHead && {
      knownHead: (run: string) => answered(`\`knownHead\` of run "${run}"`, journal.knownHead!(run)),
    }),
  }
  behind.set(store, journal)
  return store
}

function noAnswer(what: string, { ms }: Patience): MandateError {
  const message = `The store did not answer ${what} within ${ms} ms (\`limits.leaseMs\`). Look at why it hangs, and ask again when it answers.`
  return new MandateError('STORE_FAILED', message)
}

async function acquiring(journal: Journal, options: AcquireOptions, seen: SeenDamage): Promise<Lease> {
  try {
    return await journal.acquire(options)
  } catch (error) {
    seen.note(options.run, error)
    throw error
  }
}

/** What is read, and how that ends. */
interface Reading {
  readonly what: string
  readonly failed: (error: unknown) => void
  readonly ended: () => void
}

/** Yields entries as long as each arrives in time. One timer serves many entries, so a missing one may be noticed after up to twice the limit. */
async function* reading(
  entries: AsyncIterable<Entry>,
  { clock, ms }: Patience,
  { what, failed, ended }: Reading,
): AsyncGenerator<Entry> {
  const iterator = entries[Symbol.asyncIterator]()
  let count = 0
  let fail: ((error: MandateError) => void) | undefined
  let stop: (() => void) | undefined
  const watch = (): void => {
    const seen = count
    stop = clock.timer(ms, () => {
      stop = undefined
      // The time that the reader spends on an entry does not count.
      if (fail === undefined) return
      if (count === seen) fail(noAnswer(what, { clock, ms }))
      else watch()
    })
  }
  const next = (): Promise<IteratorResult<Entry>> =>
    new Promise((resolve, reject) => {
      count += 1
      fail = reject
      if (stop === undefined) watch()
      iterator.next().then(resolve, reject)
    })
  let isWhole = false
  try {
    for (;;) {
      const { done, value } = await next()
      fail = undefined
      if (done === true) {
        isWhole = true
        ended()
        return
      }
      yield value
    }
  } catch (error) {
    failed(error)
    throw error
  } finally {
    stop?.()
    // Not awaited, because a store that hangs would hang here too.
    if (!isWhole) iterator.return?.().catch(() => {})
  }
}
