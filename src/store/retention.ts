import { MandateError, canonical, checkNumbers, checkNeeded, checkKind } from '../core/index.ts'
import type { FieldNames } from '../core/index.ts'
import { blobsOf, isEnded } from '../journal/index.ts'
import type { Journal, RunSummary } from '../journal/index.ts'
import { originsOf, sessionsOf } from './retained-sessions.ts'
import type { RetainedSession } from './retained-sessions.ts'

interface RetainOptions {
  /** Erases sessions that were last used longer ago than this. */
  readonly olderThanMs?: number | undefined
  /** Erases all but this many of the newest runs, and what these need. */
  readonly keepRuns?: number | undefined
  /** Erases the oldest sessions until the contents of the others take no more than this. Runs that may still continue count, but are kept. */
  readonly maxBytes?: number | undefined
  readonly now: number
  /** Erases nothing, and reports what would be erased. */
  readonly dryRun?: boolean | undefined
}

const RETAIN_OPTIONS: FieldNames<RetainOptions> = {
  olderThanMs: true,
  keepRuns: true,
  maxBytes: true,
  now: true,
  dryRun: 'flag',
}

/** A session that is erased as a whole: it cannot be used any more. */
interface ErasedSession {
  readonly session: string
  /** The mind of its newest run. */
  readonly mind: RunSummary['mind']
  readonly name: string
  /** The number of its runs, including child runs. */
  readonly runs: number
  readonly usedAt: number
}

/** A session with runs that exceed a limit, and why they are kept. */
interface KeptSession {
  readonly session: string
  /** The number of these runs, including child runs. */
  readonly runs: number
  readonly reason: string
}

interface RetainReport {
  /** The erased runs, including child runs; with `dryRun` those that would be. */
  readonly runs: readonly string[]
  /** The number of erased entries. */
  readonly entries: number
  /** The same by meaning: the sessions that are erased, newest first. A run without a session of its own is one by itself. */
  readonly sessions: readonly ErasedSession[]
  /** Sessions that can still be used, and therefore keep runs that exceed a limit. */
  readonly kept: readonly KeptSession[]
  /** The size of their contents, if `maxBytes` is given. */
  readonly bytes?: number | undefined
  /** Runs that were to be erased but could not be read, and why; absent if there are none. */
  readonly damaged?: readonly { readonly run: string; readonly problem: string }[] | undefined
}

/**
 * Erases the contents of sessions that were not used for long, by age, by number and by size, as a whole: a session keeps what its later runs need, such as
 * the variables of its cells. Rows and hashes stay, so every chain can still be verified. Child runs are kept or erased together with the root of their
 * tree, because a replay of it reads them. `dryRun: true` erases nothing, and reports the same.
 *
 * @example
 * ```ts
 * import { sqliteJournal, retain } from 'mandate/sqlite'
 * const journal = sqliteJournal({ path: 'journal.db' })
 * const limits = { olderThanMs: 30 * 24 * 3_600_000, now: 1_760_000_000_000 }
 * const { sessions, kept } = await retain(journal, { ...limits, dryRun: true })
 * console.log(sessions.map(({ session, runs }) => `${session}: ${runs} runs`), kept)
 * await retain(journal, limits)
 * ```
 */
export async function retain(journal: Journal, options: RetainOptions): Promise<RetainReport> {
  checkNeeded(options, 'an option of `retain`', RETAIN_OPTIONS)
  checkKind(journal, 'journal', 'The first argument of `retain`')
  checkNumbers(options, 'an option of `retain`', {
    ...{ olderThanMs: 'amount', keepRuns: 'count', maxBytes: 'count', now: 'amount' },
  })
  const { olderThanMs = Infinity, keepRuns = Infinity, maxBytes = Infinity } = options
  const limits = [olderThanMs, keepRuns, maxBytes]
  if (!limits.every((limit) => limit >= 0) || limits.every((limit) => limit === Infinity)) {
    throw new MandateError(
      'CONFIG_INVALID',
      'Retention needs `olderThanMs`, `keepRuns` or `maxBytes`, each a number from 0 up.',
    )
  }
  const all = await journal.list({ limit: Infinity })
  const sizes = maxBytes === Infinity ? undefined : await sizesOf(journal, all)
  const { doomed, kept } = await plan(journal, sessionsOf(all), { ...options, sizes })
  const left = doomed.map((session) => ({ session, runs: unerased(session) })).filter(({ runs }) => runs.length > 0)
  const report = {
    ...(await erase(
      journal,
      left.flatMap(({ runs }) => runs),
      options.dryRun === true,
    )),
    kept,
  }
  const sessions = left.map(({ session, runs }) => erasedSession(session, runs.length))
  const bytes = sizes && report.runs.reduce((sum, run) => sum + sizes.get(run)!, 0)
  return { ...report, sessions, ...(bytes === undefined ? {} : { bytes }) }
}

function unerased({ trees }: RetainedSession): readonly RunSummary[] {
  return trees.flatMap(({ runs }) => runs.filter(({ erased }) => !erased))
}

function erasedSession({ id, trees, usedAt }: RetainedSession, runs: number): ErasedSession {
  const { mind, name } = trees[0]!.top
  return { session: id, mind, name, runs, usedAt }
}

async function erase(
  journal: Journal,
  doomed: readonly RunSummary[],
  isDryRun: boolean,
): Promise<Pick<RetainReport, 'runs' | 'entries' | 'damaged'>> {
  const runs: string[] = []
  const damaged: { run: string; problem: string }[] = []
  let entries = 0
  for (const { run, head } of doomed) {
    try {
      entries += isDryRun ? head.seq : await journal.erase(run)
      runs.push(run)
    } catch (error) {
      // A damaged run is kept; the others are erased all the same.
      if (!MandateError.isInstance(error) || error.code !== 'JOURNAL_DAMAGED') throw error
      damaged.push({ run, problem: error.message })
    }
  }
  return { runs, entries, ...(damaged.length === 0 ? {} : { damaged }) }
}

interface Limits extends Pick<RetainOptions, 'olderThanMs' | 'keepRuns' | 'maxBytes' | 'now'> {
  readonly sizes: ReadonlyMap<string, number> | undefined
}

/** The sessions to erase, and those that have something to erase and are kept. */
async function plan(
  journal: Journal,
  sessions: readonly RetainedSession[],
  limits: Limits,
): Promise<{ readonly doomed: readonly RetainedSession[]; readonly kept: readonly KeptSession[] }> {
  const { olderThanMs = Infinity, now } = limits
  const exceeding = exceedingRuns(sessions, limits)
  const over = overSize(sessions, limits)
  const isOver = (session: RetainedSession): boolean =>
    session.isEnded &&
    (over.has(session) || now - session.usedAt > olderThanMs || session.trees.every(({ top }) => exceeding.has(top)))
  const doomed = new Set(sessions.filter(isOver))
  const needed = new Map<RetainedSession, RetainedSession>()
  if (doomed.size > 0) {
    const origins = await originsOf(journal, sessions)
    // Grows while it is read: an original may be a fork itself.
    const kept = sessions.filter((session) => !doomed.has(session))
    for (const session of kept)
      for (const origin of origins.get(session) ?? [])
        if (doomed.delete(origin)) {
          needed.set(origin, session)
          kept.push(origin)
        }
  }
  return {
    doomed: [...doomed],
    kept: sessions.flatMap((session) => {
      const runs = doomed.has(session) ? 0 : exceedingIn(session, exceeding, limits)
      return runs === 0 ? [] : [{ session: session.id, runs, reason: reasonOf(session, needed.get(session)) }]
    }),
  }
}

function reasonOf(session: RetainedSession, needing: RetainedSession | undefined): string {
  if (!session.isEnded) return 'a run of it can still continue'
  return needing === undefined ? 'it was used later' : `the cells of session "${needing.id}" continue it`
}

/** The number of runs that would be erased if each counted alone. */
function exceedingIn(
  { trees }: RetainedSession,
  exceeding: ReadonlySet<RunSummary>,
  { olderThanMs = Infinity, now }: Limits,
): number {
  const isOld = ({ updatedAt }: RunSummary): boolean => now - updatedAt > olderThanMs
  return trees
    .filter(({ top, runs }) => runs.every(({ state }) => isEnded(state)) && (exceeding.has(top) || runs.every(isOld)))
    .reduce((sum, { runs }) => sum + runs.filter(({ erased }) => !erased).length, 0)
}

/** The roots that are not among the newest runs. Those that can still continue do not count. */
function exceedingRuns(
  sessions: readonly RetainedSession[],
  { keepRuns = Infinity }: Pick<RetainOptions, 'keepRuns'>,
): ReadonlySet<RunSummary> {
  const ended = sessions
    .flatMap(({ trees }) => trees)
    .filter(({ runs }) => runs.every(({ state }) => isEnded(state)))
    .toSorted((a, b) => b.top.createdAt - a.top.createdAt)
  return new Set(ended.filter((_, index) => index >= keepRuns).map(({ top }) => top))
}

/** The sessions that exceed the size when the newest are kept first. Those that cannot be erased count before all others. */
function overSize(
  sessions: readonly RetainedSession[],
  { maxBytes = Infinity, sizes }: Limits,
): ReadonlySet<RetainedSession> {
  if (sizes === undefined) return new Set()
  const sizeOf = ({ trees }: RetainedSession): number =>
    trees.flatMap(({ runs }) => runs).reduce((sum, { run }) => sum + sizes.get(run)!, 0)
  let kept = sessions.filter(({ isEnded: isOver }) => !isOver).reduce((sum, session) => sum + sizeOf(session), 0)
  return new Set(
    sessions.filter((session) => {
      if (session.isEnded) kept += sizeOf(session)
      return session.isEnded && kept > maxBytes
    }),
  )
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
