import { systemClock } from '../../core/index.ts'
import type { Clock } from '../../core/index.ts'
import type { PostgresLink } from '../../store/postgres/index.ts'
import { DATABASE_NOW } from './tables.ts'

/** The clock of the database, which all processes share, as far as this machine can tell: its own clock, corrected by their difference. */
export class DatabaseClock implements Clock {
  #differenceMs = 0

  now(): number {
    return systemClock.now() + this.#differenceMs
  }

  timer(ms: number, fire: () => void, isBackground?: boolean): () => void {
    return systemClock.timer(ms, fire, isBackground)
  }

  /** Asks the database. The answer is as old as half the time it took. A difference within that is none. */
  async set(link: PostgresLink): Promise<void> {
    const asked = systemClock.now()
    const { rows } = await link.query(`SELECT ${DATABASE_NOW}::float8 AS now`)
    const answered = systemClock.now()
    const difference = Number(rows[0]!['now']) - (asked + answered) / 2
    if (Math.abs(difference - this.#differenceMs) > Math.max((answered - asked) / 2, 5))
      this.#differenceMs = Math.round(difference)
  }
}
