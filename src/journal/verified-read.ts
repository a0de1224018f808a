import { GENESIS, checkEntry, headOf } from './entry.ts'
import type { Entry, Head } from './entry.ts'
import type { RunStartData } from './entry-data.ts'
import type { Journal, ReadOptions } from './journal.ts'
import { isEnded } from './summary.ts'
import { checkVersion, upcast } from './versions.ts'

/** Verifies entries as they are read, and upcasts them to the current version. Stores read through this. */
export async function* readVerified(
  run: string,
  from: Head,
  raw: AsyncIterable<Entry> | Iterable<Entry>,
): AsyncGenerator<Entry> {
  let head = from
  for await (const entry of raw) {
    checkVersion(entry)
    checkEntry(entry, head, run)
    head = headOf(entry)
    yield upcast(entry)
  }
}

/** All entries of a run from `fromSeq` on. */
export async function readAll(journal: Journal, run: string, fromSeq = 1, options: ReadOptions = {}): Promise<Entry[]> {
  const entries: Entry[] = []
  for await (const entry of journal.read(run, fromSeq, options)) entries.push(entry)
  return entries
}

/** The start of a run; `undefined` if there is no such run, or it was erased. */
export async function readStart(journal: Pick<Journal, 'read'>, run: string): Promise<RunStartData | undefined> {
  for await (const entry of journal.read(run)) return entry.type === 'run-start' ? (entry.data ?? undefined) : undefined
  return undefined
}

/**
 * Follows a run live: yields the entries from `fromSeq` on and then new ones, until the run ends or the signal aborts.
 *
 * @example
 * ```ts
 * import { memoryJournal, tail } from 'mandate/journal'
 * const journal = memoryJournal()
 * for await (const entry of tail(journal, 'run_1', { signal: AbortSignal.timeout(10) })) console.log(entry.seq, entry.type)
 * ```
 */
export async function* tail(
  journal: Journal,
  run: string,
  options: { fromSeq?: number; signal?: AbortSignal } = {},
): AsyncGenerator<Entry> {
  let next = options.fromSeq ?? 1
  let changed = Promise.withResolvers<void>()
  const wake = (): void => changed.resolve()
  const stop = journal.watch(run, wake)
  options.signal?.addEventListener('abort', wake)
  try {
    const summary = await journal.summary(run)
    if (summary !== undefined && isEnded(summary.state) && summary.head.seq < next) return
    while (options.signal?.aborted !== true) {
      for await (const entry of journal.read(run, next)) {
        next = entry.seq + 1
        yield entry
        if (entry.type === 'run-end') return
      }
      await changed.promise
      changed = Promise.withResolvers<void>()
    }
  } finally {
    stop()
    options.signal?.removeEventListener('abort', wake)
  }
}

/** The head for verifying from the middle of a run: the entry before `fromSeq`, or the beginning. */
export function headBefore(fromSeq: number, entryAt: (seq: number) => Head | undefined): Head {
  return fromSeq <= 1 ? GENESIS : (entryAt(fromSeq - 1) ?? GENESIS)
}
