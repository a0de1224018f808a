import type { RunSummary } from '../../journal/index.ts'
import type { Obstacle } from '../../run/index.ts'
import type { PostgresLink } from '../../store/postgres/index.ts'

/** Whether other running workers can drive a run that this worker cannot drive. */
type Elsewhere = 'certain' | 'possible' | 'none'

/** The stored list of runs that wait for a worker that can drive them, with the reason that the list of runs shows. */
export class HeldRuns {
  readonly #link: PostgresLink

  constructor(link: PostgresLink) {
    this.#link = link
  }

  /**
   * Determines whether another worker can drive a run. A worker with the same mind and the pins of the run certainly can. A worker whose mind has other pins
   * than this worker's possibly can, and finds out when it dequeues the run. If `address` is set, only workers at that address count.
   */
  async elsewhere({ mind, pins }: Obstacle, own: string | undefined, address?: string): Promise<Elsewhere> {
    const sql = `SELECT count(*) FILTER (WHERE minds ->> $1 = $2)::int AS certain,
        count(*) FILTER (WHERE minds ->> $1 IS DISTINCT FROM $3)::int AS possible
      FROM ${this.#link.table('workers')}
      WHERE state = 'up' AND minds ? $1 AND seen_at > now() - interval '5 s' AND ($4::text IS NULL OR address = $4)`
    const row = (await this.#link.query(sql, [mind, pins, own ?? null, address ?? null])).rows[0]!
    if (Number(row['certain']) > 0) return 'certain'
    return Number(row['possible']) > 0 ? 'possible' : 'none'
  }

  async note(run: string, reason: string): Promise<void> {
    const sql = `INSERT INTO ${this.#link.table('held_runs')} AS h (run, reason) VALUES ($1, $2)
      ON CONFLICT (run) DO UPDATE SET reason = excluded.reason`
    await this.#link.query(sql, [run, reason])
  }

  async release(run: string): Promise<void> {
    await this.#link.query(`DELETE FROM ${this.#link.table('held_runs')} WHERE run = $1`, [run])
  }
}

interface Lost {
  readonly run: string
  readonly fromSeq: number
  readonly summary: RunSummary | undefined
}

/** Returns the message for a run whose queue refers to later entries than its journal has. */
export function lostProblem(queue: string, { run, fromSeq, summary }: Lost): string {
  const has = summary === undefined ? 'the journal has no such run' : `its journal ends at entry ${summary.head.seq}`
  return `${queue} knows run "${run}" up to entry ${fromSeq}, and ${has}: the journal was restored from an older copy. Look at what was done since, then resume or cancel the run.`
}
