import { migrate } from '../../store/postgres/index.ts'
import type { PostgresLink, Session } from '../../store/postgres/index.ts'
import type { StoreTransaction } from '../../journal/index.ts'

/** A wake-up that Restate may not know of yet. */
export interface WakeUp {
  readonly run: string
  readonly cause: string
  /** Where the journal of the run stood when this was asked for: one that is behind it has lost entries. */
  readonly fromSeq: number
  /** When the run is to be driven; at once when absent. */
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
 * Wake-ups in the database of the journal, written in the transaction that causes them. They are deleted when Restate has them, so each is passed on at
 * least once; Restate knows a repeated one by its cause.
 */
export class Outbox {
  readonly #link: PostgresLink
  #ready: Promise<void> | undefined

  constructor(link: PostgresLink) {
    this.#link = link
  }

  open(): Promise<void> {
    this.#ready ??= migrate(this.#link, PART).then(() => {})
    // What failed for once may be tried again.
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

  /** Counts that a run is about to be driven, and gives how often that was so since it last came to rest. */
  async countAttempt(run: string): Promise<number> {
    const table = this.#link.table('restate_attempts')
    const sql = `INSERT INTO ${table} AS known (run, count) VALUES ($1, 1)
      ON CONFLICT (run) DO UPDATE SET count = known.count + 1 RETURNING count`
    return Number((await this.#link.query(sql, [run])).rows[0]!['count'])
  }

  /** It came to rest, whatever became of it. */
  async clearAttempts(run: string): Promise<void> {
    await this.#link.query(`DELETE FROM ${this.#link.table('restate_attempts')} WHERE run = $1`, [run])
  }
}
