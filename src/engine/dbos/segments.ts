import { MandateError, messageOf } from '../../core/index.ts'
import { isEnded } from '../../journal/index.ts'
import type { RunSummary } from '../../journal/index.ts'
import type { EngineHost, RunOutcome } from '../../run/index.ts'
import type { PostgresLink } from '../../store/postgres/index.ts'

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

/** The name of a segment in its queue. The same run, cause and round are the same segment, however often it is asked for. */
export function segmentId({ run, cause, round }: Order): string {
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
/** Another worker can drive it: it is asked soon. */
const PASS_ON_MS = 100

/** Drives the segments that a worker takes from its queues. */
export class Segments {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** One segment, until the run ends or suspends, or is put back for another time or another worker. */
  async drive(order: Order): Promise<void> {
    const { host } = this.#parts
    const summary = await host.journal.summary(order.run)
    if (summary === undefined || summary.head.seq < order.fromSeq) return this.#lost(order, summary)
    if (isEnded(summary.state)) return this.#release(order)
    // The queue goes by the clocks of its workers, which may be ahead.
    if (order.at !== undefined && host.clock.now() < order.at) return this.#again(order, order.at)
    const mind = `${summary.mind}/${summary.name}`
    if (!host.minds().includes(mind)) return this.#hold(order, `no ${summary.mind} "${summary.name}"`, mind)
    // Its driver in this process reads what has come.
    if (host.notify(order.run)) return
    try {
      await this.#rested(order, await host.segment(order.run))
    } catch (error) {
      await this.#failed(order, error, mind)
    }
  }

  async #rested(order: Order, outcome: RunOutcome): Promise<void> {
    await this.#release(order)
    if (outcome.state !== 'suspended') return
    // Suspended because this worker leaves: another one goes on with it.
    if (outcome.reason === 'interrupt' && this.#parts.isDraining()) return this.#again(order)
    if (outcome.reason === 'disk') await this.#again(order, this.#in(RETRY_MS * (order.round + 1)))
  }

  async #failed(order: Order, error: unknown, mind: string): Promise<void> {
    const { host } = this.#parts
    const code = MandateError.isInstance(error) ? error.code : 'INTERNAL'
    // Another worker has it now, and the segment with it.
    if (code === 'LEASE_LOST' || code === 'JOURNAL_CONFLICT') return
    if (code === 'LEASE_HELD') {
      if (await host.isWanted(order.run)) await this.#again(order, this.#in(BUSY_MS))
      return
    }
    if (code === 'CLOSED' && this.#parts.isDraining()) return this.#again(order)
    host.onFault(order.run, error)
    await this.#hold(order, messageOf(error), mind)
  }

  /** Puts the segment back: for now, or for a moment to come. */
  async #again(order: Order, at?: number): Promise<void> {
    const { at: _, ...rest } = order
    await this.#parts.enqueue({ ...rest, round: order.round + 1, ...(at === undefined ? {} : { at }) })
  }

  #in(ms: number): number {
    return this.#parts.host.clock.now() + Math.min(ms, RETRY_MAX_MS)
  }

  /** This worker cannot drive it. It waits for one that can, and the list of runs says why. */
  async #hold(order: Order, reason: string, mind: string): Promise<void> {
    const { link } = this.#parts
    const others = await link.query(
      `SELECT count(*)::int AS count FROM ${link.table('workers')}
        WHERE state = 'up' AND minds ? $1 AND seen_at > now() - interval '5 s'`,
      [mind],
    )
    const isElsewhere = Number(others.rows[0]!['count']) > 0 && reason.startsWith('no ')
    if (!isElsewhere) await this.#note(order.run, reason.startsWith('no ') ? `${reason} on any worker` : reason)
    await this.#again(order, this.#in(isElsewhere ? PASS_ON_MS : RETRY_MS * (order.round + 1)))
  }

  async #note(run: string, reason: string): Promise<void> {
    const { link } = this.#parts
    const sql = `INSERT INTO ${link.table('held_runs')} AS h (run, reason) VALUES ($1, $2)
      ON CONFLICT (run) DO UPDATE SET reason = excluded.reason`
    await link.query(sql, [run, reason])
  }

  async #release({ run, round }: Order): Promise<void> {
    const { link } = this.#parts
    if (round > 0) await link.query(`DELETE FROM ${link.table('held_runs')} WHERE run = $1`, [run])
  }

  /** The queue knows more of a run than its journal: the journal was restored from an older copy. Nothing is guessed; people are told. */
  async #lost(order: Order, summary: RunSummary | undefined): Promise<void> {
    const has = summary === undefined ? 'the journal has no such run' : `its journal ends at entry ${summary.head.seq}`
    const problem = `The queue knows run "${order.run}" up to entry ${order.fromSeq}, and ${has}: the journal was restored from an older copy. Look at what was done since, then resume or cancel the run.`
    await this.#note(order.run, problem)
    this.#parts.host.onFault(order.run, new MandateError('JOURNAL_DAMAGED', problem))
  }
}
