import { systemClock } from '../../core/index.ts'
import type { Clock } from '../../core/index.ts'
import type { PostgresLink } from '../../store/postgres/index.ts'
import { DATABASE_NOW } from './tables.ts'

/** How often the database is asked again: clocks drift, and are put right while a process runs. */
const EVERY_MS = 10_000

/** The clock of the database, which all processes share, as far as this machine can tell: its own clock, corrected by their difference. */
export class DatabaseClock implements Clock {
  #differenceMs = 0
  #stopTimer: (() => void) | undefined
  #asking: Promise<void> = Promise.resolve()

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

  /** Asks the database now, and again from time to time. */
  async keep(link: PostgresLink, everyMs: number = EVERY_MS): Promise<void> {
    await this.set(link)
    this.#stopTimer?.()
    const again = (): void => {
      // A database that is away is asked the next time.
      this.#asking = this.set(link).catch(() => {})
      this.#stopTimer = systemClock.timer(everyMs, again, true)
    }
    this.#stopTimer = systemClock.timer(everyMs, again, true)
  }

  async stop(): Promise<void> {
    this.#stopTimer?.()
    await this.#asking
  }
}
