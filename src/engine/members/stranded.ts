import type { RunSummary } from '../../journal/index.ts'
import type { EngineHost } from '../../run/index.ts'
import type { PostgresLink } from '../../store/postgres/index.ts'

/** A run without a sign of life for so long, and without a segment, was left behind by someone. */
export const STRANDED_MS = 15_000
const PAGE = 200

/**
 * Runs that should be driven and give no sign of life: whoever started, woke or drove them ended at a bad moment, or could not reach the database when it
 * put the segment back. Some of them may have a segment all the same.
 */
export async function strandedRuns(host: EngineHost, link: PostgresLink): Promise<ReadonlyMap<string, RunSummary>> {
  const now = host.clock.now()
  const found = await Promise.all([underWay(host, link, now), overdue(host, now), unheard(host, link, now)])
  return new Map(found.flat().map((summary) => [summary.run, summary]))
}

/** Why a stranded run is driven: another name each time, so that one which was looked at in vain is looked at again. */
export function strandedCause({ head }: RunSummary, now: number): string {
  return `left/${head.seq}/${Math.floor(now / STRANDED_MS)}`
}

/** A call may take long: who holds the lease of a run lives, or will be taken for dead soon. It may be a process that is no worker. */
async function underWay({ journal }: EngineHost, link: PostgresLink, now: number): Promise<readonly RunSummary[]> {
  const sql = `SELECT r.run FROM ${link.table('runs')} AS r JOIN ${link.table('heads')} AS h ON h.run = r.run
    WHERE r.state = 'running' AND r.parent IS NULL AND h.at < $1::float8 AND (h.owner IS NULL OR h.until <= $2::float8) LIMIT ${PAGE}`
  const { rows } = await link.query(sql, [now - STRANDED_MS, now])
  const found = await Promise.all(rows.map((row) => journal.summary(row['run'] as string)))
  return found.filter((summary) => summary !== undefined)
}

/** Sleeping runs whose time is long over. */
async function overdue({ journal }: EngineHost, now: number): Promise<readonly RunSummary[]> {
  const wakeBefore = now - STRANDED_MS
  const found = await journal.list({ state: 'suspended', parent: null, order: 'wake', wakeBefore, limit: PAGE })
  return found.filter(isWakeable)
}

/** Suspended runs to which something was said that they have not taken. */
async function unheard(host: EngineHost, link: PostgresLink, now: number): Promise<readonly RunSummary[]> {
  // In any order, so that those that stay as they are do not keep others out for ever.
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

/** A run that was stood down stays so until a person resumes it: it has ended its workers. */
function isWakeable({ suspendReason, waiting }: RunSummary): boolean {
  return suspendReason !== 'in-doubt' || waiting !== undefined
}
