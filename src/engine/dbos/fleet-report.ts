import { linkTo } from '../../store/postgres/index.ts'
import type { PostgresLink, Session } from '../../store/postgres/index.ts'
import { segmentTable } from './tables.ts'

/** A worker, as it was last heard of. */
interface WorkerReport {
  readonly id: string
  /** Host and process. */
  readonly place: string
  readonly version: string
  readonly state: 'up' | 'draining' | 'silent'
  readonly running: number
  readonly concurrency: number
  readonly queues: readonly string[]
  /** The minds it can drive, as `kind/name`. */
  readonly minds: readonly string[]
  readonly startedAt: number
  readonly seenAt: number
}

/** What waits and what is under way in a queue. */
interface QueueReport {
  readonly name: string
  readonly queued: number
  readonly running: number
  /** Waits for its time. */
  readonly delayed: number
  /** How long the one that waits longest has waited for a worker. */
  readonly lagMs: number
}

/** A run that no worker could drive, and why. */
interface HeldRun {
  readonly run: string
  readonly reason: string
  readonly since: number
}

/** A run whose journal ends before what its segments were asked for. */
interface LostRun {
  readonly run: string
  /** The last entry that the queues know of. */
  readonly known: number
  /** The last entry that the journal has; 0 for none. */
  readonly has: number
}

/** The workers over a database, their queues, and what they cannot drive. */
export interface FleetReport {
  readonly workers: readonly WorkerReport[]
  readonly queues: readonly QueueReport[]
  readonly held: readonly HeldRun[]
}

/** So long after its last sign of life a worker is shown as silent. */
const SILENT_S = 3

/** Looks at the workers over a database. Takes no part in their work, and needs no package but the driver of the store. */
export class Fleet {
  readonly #link: PostgresLink

  constructor(url: string) {
    this.#link = linkTo(url, 2)
  }

  /** Nothing where no worker has ever been started. */
  async report(): Promise<FleetReport> {
    if (!(await this.#isThere())) return { workers: [], queues: [], held: [] }
    return { workers: await this.#workers(), queues: await this.#queues(), held: await this.#held() }
  }

  /** Whether a worker is up that would take a run. */
  async isUp(): Promise<boolean> {
    return (await this.report()).workers.some(({ state }) => state === 'up')
  }

  /** Whether a run was handed over. */
  async hasSegment(run: string): Promise<boolean> {
    if (!(await this.#isThere())) return false
    const sql = `SELECT FROM ${segmentTable(this.#link)} WHERE workflow_uuid = $1`
    return (await this.#link.query(sql, [`${run}/start`])).rows.length > 0
  }

  /** Runs of which the queues know more than the journal: it was restored from an older copy, or lost entries. */
  async ahead(): Promise<readonly LostRun[]> {
    if (!(await this.#isThere())) return []
    const inputs = segmentTable(this.#link).replace('workflow_status', 'workflow_input')
    const known = `SELECT split_part(workflow_uuid, '/', 1) AS run,
      max(coalesce(substring(inputs FROM '"fromSeq":([0-9]+)')::int, 0)) AS known FROM ${inputs} GROUP BY 1`
    const sql = `SELECT k.run, k.known, coalesce(h.seq, 0)::int AS has FROM (${known}) k
      LEFT JOIN ${this.#link.table('heads')} h ON h.run = k.run WHERE coalesce(h.seq, 0) < k.known ORDER BY 1 LIMIT 1000`
    const rows = await rowsOf(this.#link, sql)
    return rows.map((row) => ({ run: String(row['run']), known: Number(row['known']), has: Number(row['has']) }))
  }

  async close(): Promise<void> {
    await this.#link.close()
  }

  async #isThere(): Promise<boolean> {
    const sql = 'SELECT to_regclass($1) IS NOT NULL AND to_regclass($2) IS NOT NULL AS there'
    const { rows } = await this.#link.query(sql, [this.#link.table('workers'), segmentTable(this.#link)])
    return rows[0]!['there'] === true
  }

  async #workers(): Promise<WorkerReport[]> {
    const rows = await rowsOf(
      this.#link,
      `SELECT id, place, version, running, concurrency, queues, minds,
        CASE WHEN seen_at < now() - interval '${SILENT_S} s' THEN 'silent' ELSE state END AS state,
        extract(epoch FROM started_at) * 1000 AS started, extract(epoch FROM seen_at) * 1000 AS seen
      FROM ${this.#link.table('workers')} ORDER BY started_at, id`,
    )
    return rows.map(({ started, seen, ...row }) => ({
      ...(row as unknown as Omit<WorkerReport, 'startedAt' | 'seenAt'>),
      startedAt: Math.round(Number(started)),
      seenAt: Math.round(Number(seen)),
    }))
  }

  async #queues(): Promise<QueueReport[]> {
    const rows = await rowsOf(
      this.#link,
      `SELECT regexp_replace(queue_name, '^mandate-', '') AS name,
        count(*) FILTER (WHERE status = 'ENQUEUED')::int AS queued,
        count(*) FILTER (WHERE status = 'PENDING')::int AS running,
        count(*) FILTER (WHERE status = 'DELAYED')::int AS delayed,
        coalesce(extract(epoch FROM now()) * 1000 - min(greatest(updated_at, created_at)) FILTER (WHERE status = 'ENQUEUED'), 0) AS lag
      FROM ${segmentTable(this.#link)}
      WHERE status IN ('ENQUEUED', 'PENDING', 'DELAYED') AND queue_name LIKE 'mandate-%' GROUP BY queue_name ORDER BY 1`,
    )
    return rows.map(({ lag, ...row }) => ({
      ...(row as unknown as Omit<QueueReport, 'lagMs'>),
      lagMs: Math.max(Math.round(Number(lag)), 0),
    }))
  }

  async #held(): Promise<HeldRun[]> {
    const sql = `SELECT run, reason, extract(epoch FROM since) * 1000 AS since FROM ${this.#link.table('held_runs')} ORDER BY since LIMIT 1000`
    const rows = await rowsOf(this.#link, sql)
    return rows.map((row) => ({
      run: String(row['run']),
      reason: String(row['reason']),
      since: Math.round(Number(row['since'])),
    }))
  }
}

async function rowsOf(session: Session, sql: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
  return (await session.query(sql)).rows
}
