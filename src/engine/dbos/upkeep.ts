import { systemClock } from '../../core/index.ts'
import type { RunSummary } from '../../journal/index.ts'
import type { EngineHost } from '../../run/index.ts'
import type { PostgresLink, Session } from '../../store/postgres/index.ts'
import type { Order } from './segments.ts'
import { DATABASE_NOW, segmentTable } from './tables.ts'

const EVERY_MS = 1_000
/** A run without a sign of life for so long, and without a segment, was left behind by someone. */
const STRANDED_MS = 15_000
const PAGE = 200

interface Parts {
  readonly host: EngineHost
  readonly link: PostgresLink
  readonly keepMs: number
  readonly attempts: number
  readonly enqueue: (order: Order) => Promise<void>
}

/** What one of the workers does for all: runs that end their workers are stood down, runs that were left behind go on, old rows go. */
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
    const { link } = this.#parts
    this.#rounds += 1
    const isSweeping = this.#rounds % 5 === 0
    const found = await link.transaction(async (session) => {
      const lock = 'SELECT pg_try_advisory_xact_lock(hashtextextended($1, 8)) AS free'
      const { rows } = await session.query(lock, [`mandate upkeep ${link.options.schema}`])
      if (rows[0]!['free'] !== true) return undefined
      await this.#wake(session)
      if (isSweeping) await this.#deleteOld(session)
      return this.#exhausted(session)
    })
    if (found === undefined) return
    for (const each of found) await this.#standDown(each)
    if (isSweeping) await this.#goOn()
  }

  /** Timers that are due, by the clock of the database. */
  async #wake(session: Session): Promise<void> {
    const sql = `UPDATE ${segmentTable(this.#parts.link)} SET status = 'ENQUEUED', updated_at = ${DATABASE_NOW}
      WHERE status = 'DELAYED' AND delay_until_epoch_ms <= ${DATABASE_NOW}`
    await session.query(sql)
  }

  async #deleteOld(session: Session): Promise<void> {
    const sql = `DELETE FROM ${segmentTable(this.#parts.link)} WHERE workflow_uuid IN (
      SELECT workflow_uuid FROM ${segmentTable(this.#parts.link)}
      WHERE status IN ('SUCCESS', 'ERROR', 'CANCELLED') AND updated_at < ${DATABASE_NOW} - $1::bigint LIMIT 5000)`
    await session.query(sql, [this.#parts.keepMs])
    // Timers of runs that did not wait for them.
    const over = `DELETE FROM ${segmentTable(this.#parts.link)} AS s USING ${this.#parts.link.table('runs')} AS r
      WHERE s.status = 'DELAYED' AND r.run = split_part(s.workflow_uuid, '/', 1)
        AND r.state IN ('completed', 'failed', 'cancelled')`
    await session.query(over)
  }

  /** Runs whose workers died with them, one after the other. */
  async #exhausted(session: Session): Promise<readonly { readonly id: string; readonly run: string }[]> {
    const sql = `SELECT workflow_uuid, split_part(workflow_uuid, '/', 1) AS run FROM ${segmentTable(this.#parts.link)}
      WHERE status = 'MAX_RECOVERY_ATTEMPTS_EXCEEDED'`
    const { rows } = await session.query(sql)
    return rows.map((row) => ({ id: row['workflow_uuid'] as string, run: row['run'] as string }))
  }

  /** A worker that does not know the mind of the run leaves it to one that does. */
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

  /**
   * Runs that should be driven and have no segment: whoever started, woke or drove them ended at a bad moment, or could not reach the database when it put
   * the segment back.
   */
  async #goOn(): Promise<void> {
    const { host, link, enqueue } = this.#parts
    const now = host.clock.now()
    const found = [...(await this.#underWay(now)), ...(await this.#overdue(now)), ...(await this.#unheard(now))]
    const left = new Map(found.map((summary) => [summary.run, summary]))
    if (left.size === 0) return
    const sql = `SELECT DISTINCT split_part(workflow_uuid, '/', 1) AS run FROM ${segmentTable(link)}
      WHERE status IN ('ENQUEUED', 'PENDING', 'DELAYED') AND split_part(workflow_uuid, '/', 1) = ANY($1)`
    const { rows } = await link.query(sql, [[...left.keys()]])
    for (const row of rows) left.delete(row['run'] as string)
    for (const { run, head } of left.values()) {
      // Another name each time, so that one which was looked at in vain is looked at again.
      const cause = `left/${head.seq}/${Math.floor(now / STRANDED_MS)}`
      await enqueue({ run, cause, fromSeq: head.seq, round: 0 })
    }
  }

  #underWay(now: number): Promise<readonly RunSummary[]> {
    const filter = { state: 'running', parent: null, updatedBefore: now - STRANDED_MS, limit: PAGE } as const
    return this.#parts.host.journal.list(filter)
  }

  /** Sleeping runs whose time is long over. */
  async #overdue(now: number): Promise<readonly RunSummary[]> {
    const filter = {
      state: 'suspended',
      parent: null,
      order: 'wake',
      wakeBefore: now - STRANDED_MS,
      limit: PAGE,
    } as const
    return (await this.#parts.host.journal.list(filter)).filter(isWakeable)
  }

  /** Suspended runs to which something was said that they have not taken. */
  async #unheard(now: number): Promise<readonly RunSummary[]> {
    const { host, link } = this.#parts
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
    const unheard: RunSummary[] = []
    for (const root of roots.values())
      if (
        root.state === 'suspended' &&
        root.updatedAt < now - STRANDED_MS &&
        isWakeable(root) &&
        (await host.isWanted(root.run))
      )
        unheard.push(root)
    return unheard
  }
}

/** A run that was stood down stays so until a person resumes it: it has ended its workers. */
function isWakeable({ suspendReason, waiting }: RunSummary): boolean {
  return suspendReason !== 'in-doubt' || waiting !== undefined
}
