import { systemClock } from '../../core/index.ts'
import type { EngineHost } from '../../run/index.ts'
import type { PostgresLink, Session } from '../../store/postgres/index.ts'
import { DATABASE_NOW } from '../members/tables.ts'
import { STRANDED_MS, strandedCause, strandedRuns } from '../members/stranded.ts'
import type { QueueRouter } from './queue-router.ts'
import type { Order, StrayClaims } from './segments.ts'
import { inputTable, outputTable, segmentTable } from './tables.ts'

const EVERY_MS = 1_000

interface Parts {
  readonly host: EngineHost
  readonly link: PostgresLink
  readonly keepMs: number
  readonly attempts: number
  readonly routing: QueueRouter
  readonly enqueue: (order: Order) => Promise<void>
  readonly strays: StrayClaims
}

/** Periodic maintenance that one worker at a time does for all: suspends runs that crash their workers, resumes stranded runs and deletes old rows. */
export class Upkeep {
  readonly #parts: Parts
  #stopTimer: (() => void) | undefined
  #working: Promise<void> = Promise.resolve()
  #isStopped = false
  #rounds = 0

  constructor(parts: Parts) {
    this.#parts = parts
  }

  start(): void {
    this.#stopTimer = systemClock.timer(
      EVERY_MS,
      () => {
        this.#working = this.#round()
          .catch((error: unknown) => this.#parts.host.onFault('*', error))
          .then(() => {
            if (!this.#isStopped) this.start()
          })
      },
      true,
    )
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    this.#stopTimer?.()
    await this.#working
  }

  async #round(): Promise<void> {
    const { link, strays } = this.#parts
    this.#rounds += 1
    const isSweeping = this.#rounds % 5 === 0
    // Segments assigned to this worker are checked by this worker itself, outside the shared lock.
    if (isSweeping) await strays.giveBack()
    const found = await link.transaction(async (session) => {
      const lock = 'SELECT pg_try_advisory_xact_lock(hashtextextended($1, 8)) AS free'
      const { rows } = await session.query(lock, [`mandate upkeep ${link.options.schema}`])
      if (rows[0]!['free'] !== true) return undefined
      await this.#wake(session)
      if (isSweeping) await this.#deleteOld(session)
      await this.#parts.routing.prune(session)
      return this.#exhausted(session)
    })
    if (found === undefined) return
    for (const each of found) await this.#standDown(each)
    if (isSweeping) await this.#goOn()
  }

  /** Enqueues timers that are due by the clock of the database. */
  async #wake(session: Session): Promise<void> {
    const sql = `UPDATE ${segmentTable(this.#parts.link)} SET status = 'ENQUEUED', updated_at = ${DATABASE_NOW}
      WHERE status = 'DELAYED' AND delay_until_epoch_ms <= ${DATABASE_NOW}`
    await session.query(sql)
  }

  async #deleteOld(session: Session): Promise<void> {
    const { link, keepMs } = this.#parts
    const old = `workflow_uuid IN (SELECT workflow_uuid FROM ${segmentTable(link)}
      WHERE status IN ('SUCCESS', 'ERROR', 'CANCELLED') AND updated_at < ${DATABASE_NOW} - $1::bigint LIMIT 5000)`
    await session.query(this.#deletion(old), [keepMs])
    // Timers of runs that ended before their timers were due.
    const over = `status = 'DELAYED' AND EXISTS (SELECT FROM ${link.table('runs')} AS r
      WHERE r.run = split_part(s.workflow_uuid, '/', 1) AND r.state IN ('completed', 'failed', 'cancelled'))`
    await session.query(this.#deletion(over))
    // Runs that have ended no longer wait for a worker.
    const held = `DELETE FROM ${link.table('held_runs')} AS h USING ${link.table('runs')} AS r
      WHERE r.run = h.run AND r.state IN ('completed', 'failed', 'cancelled')`
    await session.query(held)
  }

  /** Deletes segments with their inputs and outputs, which DBOS keeps in separate tables without foreign keys. */
  #deletion(condition: string): string {
    const { link } = this.#parts
    return `WITH gone AS (DELETE FROM ${segmentTable(link)} AS s WHERE ${condition} RETURNING workflow_uuid),
      outputs AS (DELETE FROM ${outputTable(link)} WHERE workflow_uuid IN (SELECT workflow_uuid FROM gone))
      DELETE FROM ${inputTable(link)} WHERE workflow_uuid IN (SELECT workflow_uuid FROM gone)`
  }

  /** Returns the runs whose segments have used up their recovery attempts because their workers died. */
  async #exhausted(session: Session): Promise<readonly { readonly id: string; readonly run: string }[]> {
    const sql = `SELECT workflow_uuid, split_part(workflow_uuid, '/', 1) AS run FROM ${segmentTable(this.#parts.link)}
      WHERE status = 'MAX_RECOVERY_ATTEMPTS_EXCEEDED'`
    const { rows } = await session.query(sql)
    return rows.map((row) => ({ id: row['workflow_uuid'] as string, run: row['run'] as string }))
  }

  /** Suspends a run that has used up its attempts. A worker without the mind of the run leaves it to a worker that has it. */
  async #standDown({ id, run }: { readonly id: string; readonly run: string }): Promise<void> {
    const { host, link, attempts } = this.#parts
    const problem = `${attempts} workers ended while they drove this run. Find out why before it is resumed.`
    try {
      await host.standDown(run, problem)
      const sql = `UPDATE ${segmentTable(link)} SET status = 'CANCELLED', updated_at = ${DATABASE_NOW} WHERE workflow_uuid = $1`
      await link.query(sql, [id])
    } catch (error) {
      host.onFault(run, error)
    }
  }

  /** Enqueues runs that should be driven and have no segment. */
  async #goOn(): Promise<void> {
    const { host, link, enqueue } = this.#parts
    const left = new Map(await strandedRuns(host, link))
    if (left.size === 0) return
    // A timer that is due later, such as the expiry of an approval, does not drive the run now.
    const sql = `SELECT DISTINCT split_part(workflow_uuid, '/', 1) AS run FROM ${segmentTable(link)}
      WHERE (status IN ('ENQUEUED', 'PENDING') OR status = 'DELAYED' AND delay_until_epoch_ms < ${DATABASE_NOW} + ${STRANDED_MS})
        AND split_part(workflow_uuid, '/', 1) = ANY($1)`
    const { rows } = await link.query(sql, [[...left.keys()]])
    for (const row of rows) left.delete(row['run'] as string)
    for (const summary of left.values()) {
      const { run, head } = summary
      await enqueue({ run, cause: strandedCause(summary, host.clock.now()), fromSeq: head.seq, round: 0 })
    }
  }
}
