import { linkTo } from '../../store/postgres/index.ts'
import type { PostgresLink, Session } from '../../store/postgres/index.ts'
import { inputTable, segmentTable } from '../dbos/tables.ts'
import { DATABASE_NOW } from './tables.ts'

/** A worker, as of its last heartbeat. */
interface WorkerReport {
  readonly id: string
  /** Host and process id. */
  readonly place: string
  readonly version: string
  readonly engine: 'dbos' | 'restate'
  readonly state: 'up' | 'draining' | 'silent'
  readonly running: number
  readonly concurrency: number
  readonly queues: readonly string[]
  /** The minds that the worker can drive, as `kind/name`. */
  readonly minds: readonly string[]
  readonly startedAt: number
  readonly seenAt: number
}

/** The waiting and running segments of a queue. */
interface QueueReport {
  readonly name: string
  readonly queued: number
  readonly running: number
  /** Number of segments that wait for a later time. */
  readonly delayed: number
  /** How long the oldest waiting segment has waited for a worker. */
  readonly lagMs: number
  /** Whether workers are running but none of them dequeues from this queue: more workers of the same configuration would not help. */
  readonly isOrphan: boolean
}

/** A run that no worker could drive, and the reason. */
interface HeldRun {
  readonly run: string
  readonly reason: string
  readonly since: number
}

/** A run whose journal ends before the entry that its segments refer to. */
interface LostRun {
  readonly run: string
  /** The last entry that the queues refer to. */
  readonly known: number
  /** The last entry of the journal; 0 if it has none. */
  readonly has: number
}

/** The workers on a database, their queues, and the runs they cannot drive. */
export interface FleetReport {
  readonly workers: readonly WorkerReport[]
  readonly queues: readonly QueueReport[]
  readonly held: readonly HeldRun[]
}

/** Time in seconds without a heartbeat after which a worker is shown as silent. */
const SILENT_S = 3

/** Reads the state of the workers on a database. It does not take part in their work and needs only the driver of the store. */
export class Fleet {
  readonly #link: PostgresLink

  constructor(url: string) {
    this.#link = linkTo(url, 2)
  }

  /** Returns the state of workers and queues; empty lists if no worker was ever started. */
  async report(): Promise<FleetReport> {
    if (!(await this.#has(this.#link.table('workers')))) return { workers: [], queues: [], held: [] }
    const workers = await this.#workers()
    const held = await this.#held()
    const up = workers.filter(({ state }) => state === 'up')
    const known = new Set(held.map(({ run }) => run))
    const withReasons = (waiting: readonly Waiting[]): HeldRun[] => [
      ...held,
      ...waiting.filter(({ run }) => !known.has(run)).map((run) => reasoned(run, up.length > 0)),
    ]
    if (!(await this.#hasQueues()))
      return { workers, queues: [], held: up.length > 0 ? held : withReasons(await this.#undriven()) }
    const taken = new Set(up.flatMap(({ queues }) => queues))
    const counted = await this.#queues()
    const queues = counted.map((queue) => ({ ...queue, isOrphan: up.length > 0 && !taken.has(queue.name) }))
    return { workers, queues, held: withReasons(await this.#untaken([...taken])) }
  }

  /** Returns the engine that drives the runs of this store, even while no worker is running; undefined if there never was one. */
  async engine(): Promise<'dbos' | 'restate' | undefined> {
    if (await this.#has(this.#link.table('workers'))) {
      const sql = `SELECT engine FROM ${this.#link.table('workers')} ORDER BY seen_at DESC LIMIT 1`
      const [last] = await rowsOf(this.#link, sql)
      if (last !== undefined) return last['engine'] as 'dbos' | 'restate'
    }
    if (await this.#hasQueues()) return 'dbos'
    return (await this.#has(this.#link.table('restate_outbox'))) ? 'restate' : undefined
  }

  /** Whether a worker is running and accepts runs. */
  async isUp(): Promise<boolean> {
    return (await this.report()).workers.some(({ state }) => state === 'up')
  }

  /** Returns runs for which the queues refer to later entries than the journal has: the journal was restored from an older copy or lost entries. */
  async ahead(): Promise<readonly LostRun[]> {
    if (!(await this.#hasQueues())) return []
    const known = `SELECT split_part(workflow_uuid, '/', 1) AS run,
      max(coalesce(substring(inputs FROM '"fromSeq":([0-9]+)')::int, 0)) AS known FROM ${inputTable(this.#link)} GROUP BY 1`
    const sql = `SELECT k.run, k.known, coalesce(h.seq, 0)::int AS has FROM (${known}) k
      LEFT JOIN ${this.#link.table('heads')} h ON h.run = k.run WHERE coalesce(h.seq, 0) < k.known ORDER BY 1 LIMIT 1000`
    const rows = await rowsOf(this.#link, sql)
    return rows.map((row) => ({ run: String(row['run']), known: Number(row['known']), has: Number(row['has']) }))
  }

  async close(): Promise<void> {
    await this.#link.close()
  }

  /** Whether the database has queues of DBOS. Queues of Restate are kept by its server. */
  #hasQueues(): Promise<boolean> {
    return this.#has(segmentTable(this.#link))
  }

  async #has(table: string): Promise<boolean> {
    const { rows } = await this.#link.query('SELECT to_regclass($1) IS NOT NULL AS there', [table])
    return rows[0]!['there'] === true
  }

  async #workers(): Promise<WorkerReport[]> {
    const rows = await rowsOf(
      this.#link,
      `SELECT id, place, version, engine, running, concurrency, queues,
        (SELECT coalesce(jsonb_agg(name ORDER BY name), '[]') FROM jsonb_object_keys(minds) AS name) AS minds,
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

  /** Returns the runs that wait in queues other than the given ones. */
  async #untaken(taken: readonly string[]): Promise<Waiting[]> {
    const sql = `SELECT split_part(workflow_uuid, '/', 1) AS run, min(regexp_replace(queue_name, '^mandate-', '')) AS queue,
        min(created_at)::float8 AS since
      FROM ${segmentTable(this.#link)} WHERE status = 'ENQUEUED' AND queue_name LIKE 'mandate-%'
        AND NOT regexp_replace(queue_name, '^mandate-', '') = ANY($1)
      GROUP BY 1 ORDER BY since LIMIT 1000`
    const { rows } = await this.#link.query(sql, [taken])
    return rows.map((row) => ({ run: String(row['run']), queue: String(row['queue']), since: Number(row['since']) }))
  }

  /** For Restate, whose server alone has the queue: returns active runs that no process drives and suspended runs with unread signals,
   * except cells of sessions, which no worker drives. */
  async #undriven(): Promise<Waiting[]> {
    if (!(await this.#has(this.#link.table('restate_outbox')))) return []
    const sql = `SELECT r.run, h.at AS since FROM ${this.#link.table('runs')} r JOIN ${this.#link.table('heads')} h ON h.run = r.run
      WHERE r.parent IS NULL AND r.summary::jsonb ->> 'mind' <> 'cell' AND (h.owner IS NULL OR h.until < ${DATABASE_NOW})
        AND (r.state = 'running' OR r.state = 'suspended' AND EXISTS (SELECT FROM ${this.#link.table('signals')} s
          WHERE s.run = r.run AND (s.content IS NOT NULL OR s.sealed IS NOT NULL)))
      ORDER BY since LIMIT 1000`
    const rows = await rowsOf(this.#link, sql)
    return rows.map((row) => ({ run: String(row['run']), queue: '', since: Number(row['since']) }))
  }

  async #queues(): Promise<Omit<QueueReport, 'isOrphan'>[]> {
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
      ...(row as unknown as Omit<QueueReport, 'lagMs' | 'isOrphan'>),
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

/** A run that waits in a queue that no worker dequeues from. */
interface Waiting {
  readonly run: string
  readonly queue: string
  readonly since: number
}

function reasoned({ run, queue, since }: Waiting, isAnyUp: boolean): HeldRun {
  const reason = isAnyUp ? `no worker that is up takes from the queue "${queue}"` : 'no worker is up'
  return { run, reason, since: Math.round(since) }
}

async function rowsOf(session: Session, sql: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
  return (await session.query(sql)).rows
}
