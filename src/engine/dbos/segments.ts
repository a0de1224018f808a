import { MandateError, delay, messageOf, systemClock } from '../../core/index.ts'
import { isEnded } from '../../journal/index.ts'
import type { RunSummary } from '../../journal/index.ts'
import { isKept } from '../../run/index.ts'
import type { EngineHost, Obstacle, RunOutcome } from '../../run/index.ts'
import type { PostgresLink } from '../../store/postgres/index.ts'
import { HeldRuns, lostProblem } from '../members/held-runs.ts'
import type { Claims } from '../members/membership.ts'
import { segmentTable } from './tables.ts'

/** The stored content of a segment in its queue. */
export interface Order {
  readonly run: string
  readonly cause: string
  /** The last entry of the run's journal when the segment was requested. A journal that ends before it has lost entries. */
  readonly fromSeq: number
  /** Number of times the segment was put back. Each time it gets a new id. */
  readonly round: number
  /** The queue that holds the segment. */
  readonly queue?: string
  /** The earliest time to drive the segment, by the clock of the database. */
  readonly at?: number
}

/** A segment to enqueue. It starts at the current end of the journal, unless it was put back. */
export type NewOrder = Omit<Order, 'fromSeq' | 'queue'> & Partial<Pick<Order, 'fromSeq' | 'queue'>>

/** Returns the id of a segment in its queue. Requests with the same run, cause and round are deduplicated to one segment. */
export function segmentId({ run, cause, round }: Pick<Order, 'run' | 'cause' | 'round'>): string {
  return round === 0 ? `${run}/${cause}` : `${run}/${cause}~${round}`
}

interface Parts {
  readonly host: EngineHost
  readonly link: PostgresLink
  readonly isDraining: () => boolean
  /** Enqueues a segment. */
  readonly enqueue: (order: Order) => Promise<void>
}

/** Delays before a segment is retried: while another process holds the lease, and the first and the maximum delay after a failure. */
const BUSY_MS = 1_000
const RETRY_MS = 2_000
const RETRY_MAX_MS = 15_000
/** Delay before another attempt to put a segment back. */
const AGAIN_MS = 500
/** Delay after a segment is passed on to another worker that can drive it. */
const PASS_ON_MS = 100
/** Maximum number of times a run is passed on to workers that may be able to drive it, before it counts as a run that no worker can drive. */
const PASSES = 20

/** Drives the segments that a worker dequeues. */
export class Segments {
  readonly #parts: Parts
  readonly #held: HeldRuns

  constructor(parts: Parts) {
    this.#parts = parts
    this.#held = new HeldRuns(parts.link)
  }

  /** Drives one segment until the run ends, is suspended, or is put back for a later time or another worker. */
  async drive(order: Order): Promise<void> {
    try {
      await this.#drive(order)
    } catch (error) {
      await this.#failed(order, error)
    }
  }

  async #drive(order: Order): Promise<void> {
    const { host } = this.#parts
    const summary = await host.journal.summary(order.run)
    if (summary === undefined || summary.head.seq < order.fromSeq) return this.#lost(order, summary)
    // No worker can drive a cell of a session: its wake-up, of an earlier release, is dropped.
    if (isEnded(summary.state) || isKept(summary)) return this.#release(order)
    // The queue releases segments by the clocks of the workers, which may run ahead of the database clock.
    if (order.at !== undefined && host.clock.now() < order.at) return this.#again(order, order.at)
    const obstacle = await host.obstacle(order.run)
    if (obstacle !== undefined) return this.#passOn(order, obstacle)
    // This process already drives the run: its driver reads the new signals.
    if (host.notify(order.run)) return
    await this.#release(order)
    await this.#rested(order, await host.segment(order.run))
  }

  async #rested(order: Order, outcome: RunOutcome): Promise<void> {
    if (outcome.state !== 'suspended') return
    // The run was suspended because this worker shuts down: another worker continues it.
    if (outcome.reason === 'interrupt' && this.#parts.isDraining()) return this.#again(order)
    if (outcome.reason === 'disk') await this.#again(order, this.#in(RETRY_MS * (order.round + 1)))
  }

  async #failed(order: Order, error: unknown): Promise<void> {
    const { host } = this.#parts
    const code = MandateError.isInstance(error) ? error.code : 'INTERNAL'
    // Another worker holds the lease now, and the segment with it.
    if (code === 'LEASE_LOST' || code === 'JOURNAL_CONFLICT') return
    if (code === 'LEASE_HELD') {
      if (await host.isWanted(order.run).catch(() => true)) await this.#again(order, this.#in(BUSY_MS))
      return
    }
    if (code === 'CLOSED' && this.#parts.isDraining()) return this.#again(order)
    host.onFault(order.run, error)
    // If the reason cannot be stored now, the next attempt stores it.
    await this.#held.note(order.run, messageOf(error)).catch(() => {})
    await this.#again(order, this.#in(RETRY_MS * (order.round + 1)))
  }

  /**
   * Puts the segment back, for immediate or later execution. The segment does not end before that is stored: if this process dies first, other workers put it
   * back.
   */
  async #again(order: Order, at?: number): Promise<void> {
    const { host, enqueue } = this.#parts
    const { at: _, ...rest } = order
    const next = { ...rest, round: order.round + 1, ...(at === undefined ? {} : { at }) }
    for (;;) {
      try {
        return await enqueue(next)
      } catch (error) {
        if (MandateError.isInstance(error) && error.code === 'CLOSED') throw error
        host.onFault(order.run, error)
      }
      await delay(systemClock, AGAIN_MS)
    }
  }

  #in(ms: number): number {
    return this.#parts.host.clock.now() + Math.min(ms, RETRY_MAX_MS)
  }

  /** Puts back a run that this worker cannot drive, for a worker that can. If no running worker certainly can, the reason is stored for the list of runs. */
  async #passOn(order: Order, obstacle: Obstacle): Promise<void> {
    const { host } = this.#parts
    const elsewhere = await this.#held.elsewhere(obstacle, host.minds()[obstacle.mind])
    if (elsewhere === 'certain') return this.#again(order, this.#in(PASS_ON_MS))
    const isTried = elsewhere === 'none' || order.round >= PASSES
    if (isTried) await this.#held.note(order.run, `no worker can drive it: ${obstacle.reason}`)
    await this.#again(order, this.#in(isTried ? RETRY_MS * (order.round + 1) : PASS_ON_MS))
  }

  async #release({ run, round }: Order): Promise<void> {
    if (round > 0) await this.#held.release(run)
  }

  /**
   * Reports a run whose segment refers to later entries than its journal has, which happens when the journal was restored from an older copy. The run is not
   * driven; a person has to decide.
   */
  async #lost(order: Order, summary: RunSummary | undefined): Promise<void> {
    const problem = lostProblem('The queue', { ...order, summary })
    await this.#held.note(order.run, problem)
    this.#parts.host.onFault(order.run, new MandateError('JOURNAL_DAMAGED', problem))
  }
}

/** Returns the SQL that enqueues dequeued segments again. Their count of attempts is kept. */
function givingBack(link: PostgresLink, condition: string): string {
  return `UPDATE ${segmentTable(link)}
    SET status = 'ENQUEUED', started_at_epoch_ms = NULL, owner_xid = NULL,
      updated_at = (extract(epoch FROM now()) * 1000)::bigint
    WHERE ${condition}`
}

const TAKEN = "status = 'PENDING' AND executor_id = $1"

/** Returns the operations on segments that a worker has dequeued. Segments that are given back are in their queues again. */
export function segmentClaims(link: PostgresLink): Claims {
  return {
    count: async (session, worker) =>
      (await session.query(`SELECT FROM ${segmentTable(link)} WHERE ${TAKEN}`, [worker])).count,
    giveBack: async (session, worker) => (await session.query(givingBack(link, TAKEN), [worker])).count,
  }
}

/**
 * Finds segments that are assigned to this worker but that it does not drive, because the response to its dequeue was lost with its connection. No other worker
 * would dequeue them while this worker is alive.
 */
export class StrayClaims {
  readonly #link: PostgresLink
  readonly #worker: string
  readonly #isDriven: (segment: string) => boolean
  #suspects: ReadonlySet<string> = new Set()

  constructor(link: PostgresLink, worker: string, isDriven: (segment: string) => boolean) {
    this.#link = link
    this.#worker = worker
    this.#isDriven = isDriven
  }

  /**
   * Gives back segments that were not driven in the previous check either. One check is not enough: a segment may just have been dequeued or just have ended.
   */
  async giveBack(): Promise<void> {
    const sql = `SELECT workflow_uuid AS id FROM ${segmentTable(this.#link)} WHERE ${TAKEN}`
    const { rows } = await this.#link.query(sql, [this.#worker])
    const idle = rows.map((row) => row['id'] as string).filter((id) => !this.#isDriven(id))
    const stray = idle.filter((id) => this.#suspects.has(id))
    this.#suspects = new Set(idle)
    if (stray.length === 0) return
    await this.#link.query(givingBack(this.#link, `${TAKEN} AND workflow_uuid = ANY($2)`), [this.#worker, stray])
  }
}
