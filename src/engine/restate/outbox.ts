import { migrate } from '../../store/postgres/index.ts'
import type { PostgresLink, Session } from '../../store/postgres/index.ts'
import type { StoreTransaction } from '../../journal/index.ts'

/** A wake-up that may not have been passed on to Restate yet. */
export interface WakeUp {
  readonly run: string
  readonly cause: string
  /** The last entry of the run's journal when the wake-up was requested. A journal that ends before it has lost entries. */
  readonly fromSeq: number
  /** When the run is to be driven; at once by default. */
  readonly at?: number | undefined
}

const PART = {
  name: 'restate',
  steps: [
    `CREATE TABLE $schema.restate_outbox (
       run text NOT NULL, cause text NOT NULL, at double precision, PRIMARY KEY (run, cause));
     CREATE TABLE $schema.restate_attempts (run text PRIMARY KEY, count integer NOT NULL)`,
    `ALTER TABLE $schema.restate_outbox ADD COLUMN from_seq integer NOT NULL DEFAULT 0`,
  ],
}

const PAGE = 200

/**
 * The transactional outbox: wake-ups in the database of the journal, written in the transaction that causes them. A wake-up is deleted after Restate has
 * accepted it, so each is delivered at least once; Restate deduplicates repeated ones by their cause.
 */
export class Outbox {
  readonly #link: PostgresLink
  #ready: Promise<void> | undefined

  constructor(link: PostgresLink) {
    this.#link = link
  }

  open(): Promise<void> {
    this.#ready ??= migrate(this.#link, PART).then(() => {})
    // A failed migration can be retried.
    this.#ready.catch(() => (this.#ready = undefined))
    return this.#ready
  }

  async put(wakeUp: WakeUp, transaction: StoreTransaction | Session = this.#link): Promise<void> {
    const sql = `INSERT INTO ${this.#link.table('restate_outbox')} (run, cause, at, from_seq) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING`
    await transaction.query(sql, [wakeUp.run, wakeUp.cause, wakeUp.at ?? null, wakeUp.fromSeq])
  }

  async read(): Promise<readonly WakeUp[]> {
    const sql = `SELECT run, cause, at, from_seq FROM ${this.#link.table('restate_outbox')} LIMIT ${PAGE}`
    const { rows } = await this.#link.query(sql)
    return rows.map(({ run, cause, at, from_seq: fromSeq }) => ({
      run: run as string,
      cause: cause as string,
      fromSeq: Number(fromSeq),
      at: (at as number | null) ?? undefined,
    }))
  }

  async remove({ run, cause }: WakeUp): Promise<void> {
    await this.#link.query(`DELETE FROM ${this.#link.table('restate_outbox')} WHERE run = $1 AND cause = $2`, [
      run,
      cause,
    ])
  }

  /** Counts an attempt to drive a run, and returns the number of attempts since the run last came to rest. */
  async countAttempt(run: string): Promise<number> {
    const table = this.#link.table('restate_attempts')
    const sql = `INSERT INTO ${table} AS known (run, count) VALUES ($1, 1)
      ON CONFLICT (run) DO UPDATE SET count = known.count + 1 RETURNING count`
    return Number((await this.#link.query(sql, [run])).rows[0]!['count'])
  }

  /** Resets the count of attempts after the run came to rest, regardless of its outcome. */
  async clearAttempts(run: string): Promise<void> {
    await this.#link.query(`DELETE FROM ${this.#link.table('restate_attempts')} WHERE run = $1`, [run])
  }
}
