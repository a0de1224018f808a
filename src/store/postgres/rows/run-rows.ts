import { matches } from '../../../journal/index.ts'
import type { ListOrder, RunFilter, RunSummary } from '../../../journal/index.ts'
import { numberArray, textArray } from '../array-text.ts'
import { headOfRow } from './entry-rows.ts'
import type { PostgresLink, Row, Session } from '../link.ts'

const LIST_MAX = 1_000

/** A string as JSON text: Postgres cannot store every JavaScript string. */
export function columnText(text: string): string {
  return JSON.stringify(text)
}

export const RUN_COLUMNS = 'run, state, name, session, parent, created_at, wake_at, waiting_at, summary'

const TYPES = ['text', 'text', 'text', 'text', 'text', 'float8', 'float8', 'float8', 'text'] as const

/** The summaries of many runs, column by column, for `summarySource`. */
export function summaryColumns(summaries: readonly RunSummary[]): string[] {
  return [
    textArray(summaries.map(({ run }) => run)),
    textArray(summaries.map(({ state }) => state)),
    textArray(summaries.map(({ name }) => columnText(name))),
    textArray(summaries.map(({ sessionId }) => columnText(sessionId))),
    textArray(summaries.map(({ parent }) => (parent === undefined ? null : columnText(parent)))),
    numberArray(summaries.map(({ createdAt }) => createdAt)),
    numberArray(summaries.map(({ wakeAt }) => wakeAt ?? null)),
    numberArray(summaries.map(({ waiting }) => waiting?.[0]?.at ?? null)),
    textArray(summaries.map((summary) => JSON.stringify(summary))),
  ]
}

/** The rows of those columns, starting at parameter number `first`. */
export function summarySource(first: number): string {
  return `unnest(${TYPES.map((type, index) => `$${first + index}::${type}[]`).join(', ')}) AS r (${RUN_COLUMNS})`
}

/** The update if the run has a summary already. */
export const SUMMARY_UPDATE = `ON CONFLICT (run) DO UPDATE SET state = excluded.state, name = excluded.name, session = excluded.session,
  parent = excluded.parent, wake_at = excluded.wake_at, waiting_at = excluded.waiting_at, summary = excluded.summary`

export async function writeSummary(session: Session, table: string, summary: RunSummary): Promise<void> {
  const sql = `INSERT INTO ${table} (${RUN_COLUMNS}) SELECT * FROM ${summarySource(1)} ${SUMMARY_UPDATE}`
  await session.query(sql, summaryColumns([summary]))
}

/**
 * The summary of a run with its current head. For one that cannot be parsed, the other columns are used, without any authority, so that
 * lists do not fail because of it.
 */
function summaryOf(row: Row): RunSummary {
  const head = headOfRow(row)
  const run = row['run'] as string
  try {
    const summary = JSON.parse(row['summary'] as string) as RunSummary
    if (summary.run === run) return { ...summary, updatedAt: head.at, head }
  } catch {
    // Falls through.
  }
  const parent = row['parent'] as string | null
  return {
    run,
    mind: 'agent',
    name: textOf(row['name']),
    sessionId: textOf(row['session']),
    parent: parent === null ? undefined : textOf(parent),
    state: row['state'] as RunSummary['state'],
    wakeAt: (row['wake_at'] as number | null) ?? undefined,
    createdAt: row['created_at'] as number,
    updatedAt: head.at,
    head,
    erased: false,
    imported: { from: 1, to: Math.max(head.seq, 1) },
    damage: `Run "${run}" is damaged: its summary cannot be read. Verify it, and restore the database from a backup.`,
  }
}

function textOf(column: unknown): string {
  try {
    return String(JSON.parse(column as string))
  } catch {
    return String(column)
  }
}

function source(link: PostgresLink): string {
  return `SELECT r.run, r.summary, r.state, r.name, r.session, r.parent, r.created_at, r.wake_at, h.seq, h.hash, h.at FROM ${link.table('runs')} AS r JOIN ${link.table('heads')} AS h ON h.run = r.run`
}

export async function readSummary(
  link: PostgresLink,
  run: string,
  session: Session = link,
): Promise<RunSummary | undefined> {
  const { rows } = await session.query(`${source(link)} WHERE r.run = $1`, [run])
  return rows[0] === undefined ? undefined : summaryOf(rows[0])
}

/** The summaries of many runs in one statement, in the order of the runs. */
export async function readSummaries(link: PostgresLink, runs: readonly string[]): Promise<(RunSummary | undefined)[]> {
  const { rows } = await link.query(`${source(link)} WHERE r.run = ANY($1::text[])`, [runs])
  const found = new Map(rows.map((row) => [row['run'] as string, row]))
  return runs.map((run) => {
    const row = found.get(run)
    return row === undefined ? undefined : summaryOf(row)
  })
}

export async function listSummaries(link: PostgresLink, filter: RunFilter): Promise<RunSummary[]> {
  const limit = filter.limit ?? LIST_MAX
  if (!(limit >= 1)) return []
  const { sql, values } = conditions(filter)
  const end = Number.isFinite(limit) ? `LIMIT ${Math.floor(limit)}` : ''
  const { rows } = await link.query(
    `${source(link)} ${sql} ORDER BY ${ORDERS[filter.order ?? 'newest']} ${end}`,
    values,
  )
  // The columns narrow the search; `matches` decides for all stores.
  return rows.map(summaryOf).filter((summary) => matches(summary, filter))
}

const ORDERS: { readonly [O in ListOrder]: string } = {
  newest: 'r.created_at DESC, r.run DESC',
  waiting: 'r.waiting_at, r.run',
  wake: 'r.wake_at, r.run',
}

const AFTER: { readonly [O in ListOrder]: { readonly column: string; readonly sign: '<' | '>' } } = {
  newest: { column: 'r.created_at', sign: '<' },
  waiting: { column: 'r.waiting_at', sign: '>' },
  wake: { column: 'r.wake_at', sign: '>' },
}

function conditions(filter: RunFilter): { sql: string; values: unknown[] } {
  const parts: string[] = []
  const values: unknown[] = []
  const add = (part: (place: string) => string, value: unknown): void => {
    values.push(value)
    parts.push(part(`$${values.length}`))
  }
  const { state, sessionId, name, parent, runPrefix, updatedBefore, wakeBefore } = filter
  if (state !== undefined) add((place) => `r.state = ANY(${place}::text[])`, [state].flat())
  if (sessionId !== undefined) add((place) => `r.session = ${place}`, columnText(sessionId))
  if (name !== undefined) add((place) => `r.name = ${place}`, columnText(name))
  if (parent === null) parts.push('r.parent IS NULL')
  else if (parent !== undefined) add((place) => `r.parent = ${place}`, columnText(parent))
  if (runPrefix !== undefined) {
    // A range scan by prefix: ids are ASCII, so all that begin with it sort before the prefix followed by U+10FFFF.
    add((place) => `r.run >= ${place}`, runPrefix)
    add((place) => `r.run < ${place}`, `${runPrefix}\u{10FFFF}`)
  }
  if (updatedBefore !== undefined) add((place) => `h.at < ${place}::float8`, updatedBefore)
  if (wakeBefore !== undefined) add((place) => `r.state = 'suspended' AND r.wake_at <= ${place}::float8`, wakeBefore)
  if (filter.waiting === true || filter.order === 'waiting') parts.push('r.waiting_at IS NOT NULL')
  if (filter.order === 'wake') parts.push(`r.state = 'suspended' AND r.wake_at IS NOT NULL`)
  if (filter.after !== undefined) {
    const { column, sign } = AFTER[filter.order ?? 'newest']
    values.push(filter.after.at, filter.after.run)
    parts.push(`(${column}, r.run) ${sign} ($${values.length - 1}::float8, $${values.length}::text COLLATE "C")`)
  }
  return { sql: parts.length === 0 ? '' : `WHERE ${parts.join(' AND ')}`, values }
}
