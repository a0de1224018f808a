import type { RunSummary } from '../../journal/index.ts'
import { isKept } from '../../run/index.ts'
import type { EngineHost } from '../../run/index.ts'
import type { PostgresLink } from '../../store/postgres/index.ts'

/** Time without activity after which a run without a segment counts as stranded. */
export const STRANDED_MS = 15_000
const PAGE = 200

/**
 * Returns runs that should be driven and show no activity: the process that started, woke or drove them died at a bad moment, or could not reach the database
 * to put the segment back. Some of them may still have a segment.
 */
export async function strandedRuns(host: EngineHost, link: PostgresLink): Promise<ReadonlyMap<string, RunSummary>> {
  const now = host.clock.now()
  const found = await Promise.all([underWay(host, link, now), overdue(host, now), unheard(host, link, now)])
  return new Map(found.flat().flatMap((summary) => (isKept(summary) ? [] : [[summary.run, summary]])))
}

/** Returns the cause for driving a stranded run. It changes over time, so that a run that was checked without effect is checked again. */
export function strandedCause({ head }: RunSummary, now: number): string {
  return `left/${head.seq}/${Math.floor(now / STRANDED_MS)}`
}

/**
 * Returns running runs without a valid lease. A run with a lease is skipped, because a call may take long: its owner is alive or will soon be found dead. The
 * owner can be a process that is no worker.
 */
async function underWay({ journal }: EngineHost, link: PostgresLink, now: number): Promise<readonly RunSummary[]> {
  const sql = `SELECT r.run FROM ${link.table('runs')} AS r JOIN ${link.table('heads')} AS h ON h.run = r.run
    WHERE r.state = 'running' AND r.parent IS NULL AND h.at < $1::float8 AND (h.owner IS NULL OR h.until <= $2::float8) LIMIT ${PAGE}`
  const { rows } = await link.query(sql, [now - STRANDED_MS, now])
  const found = await Promise.all(rows.map((row) => journal.summary(row['run'] as string)))
  return found.filter((summary) => summary !== undefined)
}

/** Sleeping runs whose wake time is long past. */
async function overdue({ journal }: EngineHost, now: number): Promise<readonly RunSummary[]> {
  const wakeBefore = now - STRANDED_MS
  const found = await journal.list({ state: 'suspended', parent: null, order: 'wake', wakeBefore, limit: PAGE })
  return found.filter(isWakeable)
}

/** Suspended runs with unread signals. */
async function unheard(host: EngineHost, link: PostgresLink, now: number): Promise<readonly RunSummary[]> {
  // Random order, so that runs that cannot be resumed do not keep others off the page forever.
  const sql = `SELECT run FROM (
      SELECT DISTINCT s.run FROM ${link.table('signals')} AS s JOIN ${link.table('runs')} AS r ON r.run = s.run
      WHERE (s.content IS NOT NULL OR s.sealed IS NOT NULL) AND r.state = 'suspended') AS u ORDER BY random() LIMIT ${PAGE}`
  const { rows } = await link.query(sql)
  const roots = new Map<string, RunSummary>()
  for (const row of rows) {
    let summary = await host.journal.summary(row['run'] as string)
    while (summary?.parent !== undefined) summary = await host.journal.summary(summary.parent)
    if (summary !== undefined) roots.set(summary.run, summary)
  }
  const left: RunSummary[] = []
  for (const root of roots.values()) if (isLeft(root, now) && (await host.isWanted(root.run))) left.push(root)
  return left
}

function isLeft(root: RunSummary, now: number): boolean {
  return root.state === 'suspended' && root.updatedAt < now - STRANDED_MS && isWakeable(root)
}

/** Whether a suspended run may be woken. A run suspended as in doubt because its workers died waits until a person resumes it. */
function isWakeable({ suspendReason, waiting }: RunSummary): boolean {
  return suspendReason !== 'in-doubt' || waiting !== undefined
}
