import { MandateError } from '../../core/index.ts'
import { matches } from '../../journal/index.ts'
import type { RunFilter, RunSummary } from '../../journal/index.ts'
import { numberArray, textArray } from './array-text.ts'
import { headOfRow } from './entry-rows.ts'
import type { PostgresLink, Row, Session } from './link.ts'

const LIST_MAX = 1_000

/** Postgres cannot hold every JavaScript string; its JSON text it can. */
export function columnText(text: string): string {
  return JSON.stringify(text)
}

export const RUN_COLUMNS = 'run, state, name, session, parent, created_at, wake_at, summary'

const TYPES = ['text', 'text', 'text', 'text', 'text', 'float8', 'float8', 'text'] as const

/** The summaries of many runs, column by column: what `summarySource` reads. */
export function summaryColumns(summaries: readonly RunSummary[]): string[] {
  return [
    textArray(summaries.map(({ run }) => run)),
    textArray(summaries.map(({ state }) => state)),
    textArray(summaries.map(({ name }) => columnText(name))),
    textArray(summaries.map(({ sessionId }) => columnText(sessionId))),
    textArray(summaries.map(({ parent }) => (parent === undefined ? null : columnText(parent)))),
    numberArray(summaries.map(({ createdAt }) => createdAt)),
    numberArray(summaries.map(({ wakeAt }) => wakeAt ?? null)),
    textArray(summaries.map((summary) => JSON.stringify(summary))),
  ]
}

/** The rows of those columns, when the first of them is parameter `first`. */
export function summarySource(first: number): string {
  return `unnest(${TYPES.map((type, index) => `$${first + index}::${type}[]`).join(', ')}) AS r (${RUN_COLUMNS})`
}

/** What to do where the run has a line already. */
export const SUMMARY_UPDATE = `ON CONFLICT (run) DO UPDATE SET state = excluded.state, name = excluded.name, session = excluded.session,
  parent = excluded.parent, wake_at = excluded.wake_at, summary = excluded.summary`

export async function writeSummary(session: Session, table: string, summary: RunSummary): Promise<void> {
  const sql = `INSERT INTO ${table} (${RUN_COLUMNS}) SELECT * FROM ${summarySource(1)} ${SUMMARY_UPDATE}`
  await session.query(sql, summaryColumns([summary]))
}

/** The line of a run with where it stands now; a row needs `summary` and the columns of its head. */
export function summaryOf(row: Row): RunSummary {
  const head = headOfRow(row)
  const run = row['run'] as string
  try {
    const summary = JSON.parse(row['summary'] as string) as RunSummary
    if (summary.run === run) return { ...summary, updatedAt: head.at, head }
  } catch {
    // Falls through.
  }
  throw new MandateError(
    'JOURNAL_DAMAGED',
    `The line about run "${run}" cannot be read. Its entries may be intact: export it from a backup, or import it into another store.`,
    { info: { run } },
  )
}

function source(link: PostgresLink): string {
  return `SELECT r.run, r.summary, h.seq, h.hash, h.at FROM ${link.table('runs')} AS r JOIN ${link.table('heads')} AS h ON h.run = r.run`
}

export async function readSummary(
  link: PostgresLink,
  run: string,
  session: Session = link,
): Promise<RunSummary | undefined> {
  const { rows } = await session.query(`${source(link)} WHERE r.run = $1`, [run])
  return rows[0] === undefined ? undefined : summaryOf(rows[0])
}

export async function listSummaries(link: PostgresLink, filter: RunFilter): Promise<RunSummary[]> {
  const limit = filter.limit ?? LIST_MAX
  if (!(limit >= 1)) return []
  const { sql, values } = conditions(filter)
  const end = Number.isFinite(limit) ? `LIMIT ${Math.floor(limit)}` : ''
  const { rows } = await link.query(`${source(link)} ${sql} ORDER BY r.created_at DESC, r.run DESC ${end}`, values)
  // The columns narrow the search; what the filter means is decided in one place for all stores.
  return rows.map(summaryOf).filter((summary) => matches(summary, filter))
}

function conditions(filter: RunFilter): { sql: string; values: unknown[] } {
  const parts: string[] = []
  const values: unknown[] = []
  const add = (part: (place: string) => string, value: unknown): void => {
    values.push(value)
    parts.push(part(`$${values.length}`))
  }
  const { state, sessionId, name, parent, updatedBefore, wakeBefore } = filter
  if (state !== undefined) add((place) => `r.state = ANY(${place}::text[])`, [state].flat())
  if (sessionId !== undefined) add((place) => `r.session = ${place}`, columnText(sessionId))
  if (name !== undefined) add((place) => `r.name = ${place}`, columnText(name))
  if (parent === null) parts.push('r.parent IS NULL')
  else if (parent !== undefined) add((place) => `r.parent = ${place}`, columnText(parent))
  if (updatedBefore !== undefined) add((place) => `h.at < ${place}::float8`, updatedBefore)
  if (wakeBefore !== undefined) add((place) => `r.state = 'suspended' AND r.wake_at <= ${place}::float8`, wakeBefore)
  return { sql: parts.length === 0 ? '' : `WHERE ${parts.join(' AND ')}`, values }
}
