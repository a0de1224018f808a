import { MandateError, canonical, checkFields, checkNumbers } from '../core/index.ts'
import type { FieldNames } from '../core/index.ts'
import { blobsOf, isEnded } from '../journal/index.ts'
import type { Journal, RunSummary } from '../journal/index.ts'

interface RetainOptions {
  /** Erases runs that ended longer ago than this. */
  readonly olderThanMs?: number | undefined
  /** Erases all but this many of the newest runs. */
  readonly keepRuns?: number | undefined
  /** Erases the oldest runs until the contents of the others take no more than this. Runs that may still continue count, but are kept. */
  readonly maxBytes?: number | undefined
  readonly now: number
  /** Erases nothing, and reports what would be erased. */
  readonly dryRun?: boolean | undefined
}

const RETAIN_OPTIONS: FieldNames<RetainOptions> = {
  olderThanMs: true,
  keepRuns: true,
  maxBytes: true,
  now: 'number',
  dryRun: 'flag',
}

interface RetainReport {
  /** The erased runs, including child runs; with `dryRun` those that would be. */
  readonly runs: readonly string[]
  /** The number of erased entries. */
  readonly entries: number
  /** The size of their contents, if `maxBytes` is given. */
  readonly bytes?: number | undefined
  /** Runs that were to be erased but could not be read, and why; absent if there are none. */
  readonly damaged?: readonly { readonly run: string; readonly problem: string }[] | undefined
}

/**
 * Erases the contents of ended runs, by age, by number and by size: a run that exceeds any limit is erased. Rows and hashes stay, so every chain can
 * still be verified. Child runs are kept or erased together with the root of their tree, because a replay of it reads them.
 *
 * @example
 * ```ts
 * import { sqliteJournal, retain } from 'mandate/sqlite'
 * const journal = sqliteJournal({ path: 'journal.db' })
 * await retain(journal, { olderThanMs: 30 * 24 * 3_600_000, now: 1_760_000_000_000 })
 * ```
 */
export async function retain(journal: Journal, options: RetainOptions): Promise<RetainReport> {
  checkFields(options, 'an option of `retain`', RETAIN_OPTIONS)
  checkNumbers(options, 'an option of `retain`', {
    ...{ olderThanMs: 'amount', keepRuns: 'count', maxBytes: 'count', now: 'amount' },
  })
  const { olderThanMs = Infinity, keepRuns = Infinity, maxBytes = Infinity, now } = options
  const limits = [olderThanMs, keepRuns, maxBytes]
  if (!limits.every((limit) => limit >= 0) || limits.every((limit) => limit === Infinity)) {
    throw new MandateError(
      'CONFIG_INVALID',
      'Retention needs `olderThanMs`, `keepRuns` or `maxBytes`, each a number from 0 up.',
    )
  }
  const all = await journal.list({ limit: Infinity })
  const trees = groupByTop(all)
  const tops = [...trees.keys()].filter((top) => trees.get(top)!.every((summary) => isEnded(summary.state)))
  const sizes = maxBytes === Infinity ? undefined : await sizesOf(journal, all)
  const isTooMuch = sizes === undefined ? () => false : overSize(trees, tops, sizes, maxBytes)
  const doomed = tops.filter(
    (top, index) => index >= keepRuns || now - latest(trees.get(top)!) > olderThanMs || isTooMuch(top),
  )
  const runs: string[] = []
  const damaged: { run: string; problem: string }[] = []
  let entries = 0
  for (const { run, head } of doomed.flatMap((top) => trees.get(top)!.filter((summary) => !summary.erased))) {
    try {
      entries += options.dryRun === true ? head.seq : await journal.erase(run)
      runs.push(run)
    } catch (error) {
      // A damaged run is kept; the others are erased all the same.
      if (!MandateError.isInstance(error) || error.code !== 'JOURNAL_DAMAGED') throw error
      damaged.push({ run, problem: error.message })
    }
  }
  const report = { runs, entries, ...(damaged.length === 0 ? {} : { damaged }) }
  return sizes === undefined ? report : { ...report, bytes: runs.reduce((sum, run) => sum + sizes.get(run)!, 0) }
}

async function sizesOf(journal: Journal, all: readonly RunSummary[]): Promise<ReadonlyMap<string, number>> {
  const sizes = new Map<string, number>()
  for (const { run, erased } of all) sizes.set(run, erased ? 0 : await contentBytes(journal, run))
  return sizes
}

async function contentBytes(journal: Journal, run: string): Promise<number> {
  if (journal.contentBytes !== undefined) return journal.contentBytes(run)
  let bytes = 0
  const blobs = new Set<string>()
  for await (const entry of journal.read(run)) {
    const { salt, data } = entry
    if (data !== undefined) bytes += Buffer.byteLength(`${salt ?? ''}${canonical(data)}`)
    for (const hash of blobsOf(entry)) blobs.add(hash)
  }
  for (const hash of blobs) bytes += (await journal.readBlob?.(run, hash))?.length ?? 0
  return bytes
}

/** The trees that exceed the size when the newest are kept first. Trees that cannot be erased count before all others. */
function overSize(
  trees: ReadonlyMap<string, readonly RunSummary[]>,
  tops: readonly string[],
  sizes: ReadonlyMap<string, number>,
  maxBytes: number,
): (top: string) => boolean {
  const sizeOf = (top: string): number => trees.get(top)!.reduce((sum, { run }) => sum + sizes.get(run)!, 0)
  const staying = [...trees.keys()].filter((top) => !tops.includes(top))
  let kept = staying.reduce((sum, top) => sum + sizeOf(top), 0)
  const over = tops.filter((top) => {
    kept += sizeOf(top)
    return kept > maxBytes
  })
  return (top) => over.includes(top)
}

/** Trees by their root run, newest root first. A run whose parent is not in the store is a root itself. */
function groupByTop(all: readonly RunSummary[]): Map<string, RunSummary[]> {
  const byRun = new Map(all.map((summary) => [summary.run, summary]))
  const topOf = (summary: RunSummary): string => {
    const seen = new Set([summary])
    let top = summary
    for (
      let above = byRun.get(top.parent ?? '');
      above !== undefined && !seen.has(above);
      above = byRun.get(top.parent ?? '')
    ) {
      seen.add(above)
      top = above
    }
    return top.run
  }
  return new Map([...Map.groupBy(all, topOf)].toSorted(([a], [b]) => byRun.get(b)!.createdAt - byRun.get(a)!.createdAt))
}

function latest(tree: readonly RunSummary[]): number {
  return tree.reduce((last, summary) => Math.max(last, summary.updatedAt), 0)
}
