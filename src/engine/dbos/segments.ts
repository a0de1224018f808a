import { MandateError, delay, messageOf, systemClock } from '../../core/index.ts'
import { isEnded } from '../../journal/index.ts'
import type { RunSummary } from '../../journal/index.ts'
import type { EngineHost, Obstacle, RunOutcome } from '../../run/index.ts'
import type { PostgresLink } from '../../store/postgres/index.ts'
import { HeldRuns, lostProblem } from '../members/held-runs.ts'
import type { Claims } from '../members/membership.ts'
import { segmentTable } from './tables.ts'

/** What is stored of a segment in its queue. */
export interface Order {
  readonly run: string
  readonly cause: string
  /** Where the journal of the run stood when this was asked for: one that is behind it has lost entries. */
  readonly fromSeq: number
  /** How often the segment was put back: each time under a name of its own. */
  readonly round: number
  /** The queue it was put into. */
  readonly queue?: string
  /** Not before this moment, by the clock of the database. */
  readonly at?: number
}

/** One that is asked for: it begins where the journal stands, unless it was put back. */
export type NewOrder = Omit<Order, 'fromSeq' | 'queue'> & Partial<Pick<Order, 'fromSeq' | 'queue'>>

/** The name of a segment in its queue. The same run, cause and round are the same segment, however often it is asked for. */
export function segmentId({ run, cause, round }: Pick<Order, 'run' | 'cause' | 'round'>): string {
  return round === 0 ? `${run}/${cause}` : `${run}/${cause}~${round}`
}

interface Parts {
  readonly host: EngineHost
  readonly link: PostgresLink
  readonly isDraining: () => boolean
  /** Puts a segment into its queue. */
  readonly enqueue: (order: Order) => Promise<void>
}

/** How a run is put back, and when it is tried again. */
const BUSY_MS = 1_000
const RETRY_MS = 2_000
const RETRY_MAX_MS = 15_000
/** How soon it is tried again to put a segment back. */
const AGAIN_MS = 500
/** Another worker can drive it: it is asked soon. */
const PASS_ON_MS = 100
/** So often a run is passed on to workers that may be able to drive it before it counts as one that none can. */
const PASSES = 20

/** Drives the segments that a worker takes from its queues. */
export class Segments {
  readonly #parts: Parts
  readonly #held: HeldRuns

  constructor(parts: Parts) {
    this.#parts = parts
    this.#held = new HeldRuns(parts.link)
  }

  /** One segment, until the run ends or suspends, or is put back for another time or another worker. */
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
    if (isEnded(summary.state)) return this.#release(order)
    // The queue goes by the clocks of its workers, which may be ahead.
    if (order.at !== undefined && host.clock.now() < order.at) return this.#again(order, order.at)
    const obstacle = await host.obstacle(order.run)
    if (obstacle !== undefined) return this.#passOn(order, obstacle)
    // Its driver in this process reads what has come.
    if (host.notify(order.run)) return
    await this.#release(order)
    await this.#rested(order, await host.segment(order.run))
  }

  async #rested(order: Order, outcome: RunOutcome): Promise<void> {
    if (outcome.state !== 'suspended') return
    // Suspended because this worker leaves: another one goes on with it.
    if (outcome.reason === 'interrupt' && this.#parts.isDraining()) return this.#again(order)
    if (outcome.reason === 'disk') await this.#again(order, this.#in(RETRY_MS * (order.round + 1)))
  }

  async #failed(order: Order, error: unknown): Promise<void> {
    const { host } = this.#parts
    const code = MandateError.isInstance(error) ? error.code : 'INTERNAL'
    // Another worker has it now, and the segment with it.
    if (code === 'LEASE_LOST' || code === 'JOURNAL_CONFLICT') return
    if (code === 'LEASE_HELD') {
      if (await host.isWanted(order.run).catch(() => true)) await this.#again(order, this.#in(BUSY_MS))
      return
    }
    if (code === 'CLOSED' && this.#parts.isDraining()) return this.#again(order)
    host.onFault(order.run, error)
    // What cannot be noted now is noted with the next attempt.
    await this.#held.note(order.run, messageOf(error)).catch(() => {})
    await this.#again(order, this.#in(RETRY_MS * (order.round + 1)))
  }

  /**
   * Puts the segment back: for now, or for a moment to come. Until that is stored this segment is not over: should this process end first, the others put it back.
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

  /** This worker cannot drive it. It waits for one that can; where none surely can, the list of runs says why. */
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

  /** The queue knows more of a run than its journal: the journal was restored from an older copy. Nothing is guessed; people are told. */
  async #lost(order: Order, summary: RunSummary | undefined): Promise<void> {
    const problem = lostProblem('The queue', { ...order, summary })
    await this.#held.note(order.run, problem)
    this.#parts.host.onFault(order.run, new MandateError('JOURNAL_DAMAGED', problem))
  }
}

/** Has segments that are taken driven again. They keep how often they were tried. */
function givingBack(link: PostgresLink, condition: string): string {
  return `UPDATE ${segmentTable(link)}
    SET status = 'ENQUEUED', started_at_epoch_ms = NULL, owner_xid = NULL,
      updated_at = (extract(epoch FROM now()) * 1000)::bigint
    WHERE ${condition}`
}

const TAKEN = "status = 'PENDING' AND executor_id = $1"

/** Segments that a worker took. Given back, they are in their queues again. */
export function segmentClaims(link: PostgresLink): Claims {
  return {
    count: async (session, worker) =>
      (await session.query(`SELECT FROM ${segmentTable(link)} WHERE ${TAKEN}`, [worker])).count,
    giveBack: async (session, worker) => (await session.query(givingBack(link, TAKEN), [worker])).count,
  }
}

/**
 * Segments that this worker has taken and does not drive: it never learnt that it took them, because the answer was lost with its connection. Nobody else would
 * take them for as long as this worker lives.
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

  /** Gives back those that were not driven the last time either: one may have been taken, or have ended, a moment ago. */
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
