import { GENESIS, headOf, planAppend, saysMore } from '../../journal/index.ts'
import type { Entry, Head, Lease, RunSummary } from '../../journal/index.ts'
import { appendAlone } from './append-alone.ts'
import { numberArray, textArray } from './array-text.ts'
import { ENTRY_COLUMNS, entryColumns, entrySource } from './rows/entry-rows.ts'
import { settle } from '../batcher.ts'
import type { Settled } from '../batcher.ts'
import type { KnownRuns } from './rows/known-runs.ts'
import type { PostgresLink } from './link.ts'
import { RUN_COLUMNS, SUMMARY_UPDATE, columnText, summaryColumns, summarySource } from './rows/run-rows.ts'
import { isRequestFault } from './store-errors.ts'
import type { Sealing } from '../entry-cipher.ts'

/** A requested append. */
export interface AppendAsk {
  readonly lease: Pick<Lease, 'run' | 'epoch' | 'imports'>
  readonly expectedSeq: number
  readonly entries: readonly Entry[]
  readonly consume: readonly string[]
}

/** An append that only has to be written, provided that the head of the run has not changed. */
interface Planned {
  readonly ask: AppendAsk
  readonly before: Head
  readonly after: Head
  readonly summary: RunSummary
  readonly isNews: boolean
}

/** The parts of a journal that appends use. */
export interface AppendPlace {
  readonly link: PostgresLink
  readonly sealing: Sealing
  readonly known: KnownRuns
  /** The notification channel of watchers, and the messages about these runs. */
  readonly news: { readonly channel: string; texts(kind: 'entry' | 'signal', runs: readonly string[]): string[] }
}

/**
 * Appends to many runs in one statement and one commit. Each is planned here from the known state of its run, and takes effect only if lease and head
 * are unchanged in the database. An append for which they are not, or whose run is not known, is made separately and reads first.
 */
export async function executeAppends(place: AppendPlace, asks: readonly AppendAsk[]): Promise<Settled<void>[]> {
  const answers = new Map<AppendAsk, Settled<void>>()
  const planned = asks.flatMap((ask) => planOne(place.known, ask) ?? [])
  for (const { ask, summary } of await writeTogether(place, planned)) {
    place.known.note(ask.lease.run, ask.lease.epoch, summary)
    answers.set(ask, { value: undefined })
  }
  return Promise.all(asks.map(async (ask) => answers.get(ask) ?? (await settle(appendAlone(place, ask)))))
}

function planOne(known: KnownRuns, ask: AppendAsk): Planned | undefined {
  const { run, epoch, imports } = ask.lease
  const found = known.get(run, epoch)
  const before = found?.summary?.head ?? GENESIS
  // Anything but a plain append to a known head has to read first.
  if (found === undefined || ask.expectedSeq !== before.seq || ask.entries.length === 0) return undefined
  try {
    const { summary } = planAppend(
      { run, summary: found.summary, imports, hashAt: () => undefined },
      ask.expectedSeq,
      ask.entries,
    )
    const after = headOf(ask.entries.at(-1)!)
    return { ask, before, after, summary, isNews: saysMore(found.summary, summary) }
  } catch {
    // It is refused again separately, after a check of the lease, because a lost lease is the more important error.
    return undefined
  }
}

/** Returns the appends that took effect. */
async function writeTogether(place: AppendPlace, planned: readonly Planned[]): Promise<readonly Planned[]> {
  if (planned.length === 0) return []
  const news = planned.filter(({ isNews }) => isNews)
  const consumed = planned.flatMap(({ ask }) => ask.consume.map((id) => [ask.lease.run, columnText(id)] as const))
  const runs = planned.map(({ ask }) => ask.lease.run)
  const values: unknown[] = [
    place.news.channel,
    textArray(place.news.texts('entry', runs)),
    textArray(runs),
    numberArray(planned.map(({ ask }) => ask.lease.epoch)),
    numberArray(planned.map(({ before }) => before.seq)),
    textArray(planned.map(({ before }) => before.hash)),
    numberArray(planned.map(({ after }) => after.seq)),
    textArray(planned.map(({ after }) => after.hash)),
    numberArray(planned.map(({ after }) => after.at)),
    ...entryColumns(
      planned.flatMap(({ ask }) => ask.entries),
      place.sealing,
    ),
    ...(news.length > 0 ? summaryColumns(news.map(({ summary }) => summary)) : []),
    ...(consumed.length > 0 ? [textArray(consumed.map(([run]) => run)), textArray(consumed.map(([, id]) => id))] : []),
  ]
  const sql = statement(place.link, news.length > 0, consumed.length > 0)
  try {
    const { rows } = await place.link.query(sql, values)
    const moved = new Set(rows[0]?.['runs'] as readonly string[])
    return planned.filter(({ ask }) => moved.has(ask.lease.run))
  } catch (error) {
    // A row that the tables refuse must not fail the other appends, so they are retried separately.
    if (planned.length > 1 && isRequestFault(error)) return []
    throw error
  }
}

/** The statement in its four variants: with and without summaries, with and without consumed signals. */
function statement(link: PostgresLink, hasNews: boolean, hasConsumed: boolean): string {
  const heads = link.table('heads')
  const firstEntry = 10
  const firstSummary = firstEntry + ENTRY_COLUMNS.split(',').length
  const firstConsumed = firstSummary + (hasNews ? RUN_COLUMNS.split(',').length : 0)
  const told = `, told AS (
    INSERT INTO ${link.table('runs')} (${RUN_COLUMNS})
    SELECT * FROM ${summarySource(firstSummary)} WHERE r.run IN (SELECT run FROM moved) ORDER BY r.run ${SUMMARY_UPDATE}
  )`
  const used = `, used AS (
    UPDATE ${link.table('signals')} AS s SET content = NULL, sealed = NULL
    FROM unnest($${firstConsumed}::text[], $${firstConsumed + 1}::text[]) AS c (run, id)
    WHERE s.run = c.run AND s.id = c.id AND c.run IN (SELECT run FROM moved)
  )`
  return `WITH moved AS (
    UPDATE ${heads} AS h SET seq = a.next_seq, hash = a.next_hash, at = a.next_at
    FROM unnest($3::text[], $4::int[], $5::int[], $6::text[], $7::int[], $8::text[], $9::float8[])
      AS a (run, epoch, seq, hash, next_seq, next_hash, next_at)
    WHERE h.run = a.run AND h.epoch = a.epoch AND h.owner IS NOT NULL AND h.seq = a.seq AND h.hash = a.hash
    RETURNING h.run
  ), added AS (
    INSERT INTO ${link.table('entries')} (${ENTRY_COLUMNS})
    SELECT * FROM ${entrySource(firstEntry)} WHERE e.run IN (SELECT run FROM moved)
  )${hasNews ? told : ''}${hasConsumed ? used : ''}
  SELECT (SELECT coalesce(array_agg(run), '{}') FROM moved) AS runs,
    (SELECT count(pg_notify($1, text)) FROM unnest($2::text[]) AS n (text)) AS told`
}
