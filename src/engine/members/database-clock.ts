import { systemClock } from '../../core/index.ts'
import type { Clock } from '../../core/index.ts'
import type { PostgresLink } from '../../store/postgres/index.ts'
import { DATABASE_NOW } from './tables.ts'

/** Interval between two readings of the database clock: clocks drift, and can be corrected while a process runs. */
const EVERY_MS = 10_000

/** An estimate of the database clock, which all processes share: the clock of this machine, corrected by the measured difference. */
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

  /** Measures the difference to the database clock. The reading is taken to be half a round trip old; smaller differences than that are ignored. */
  async set(link: PostgresLink): Promise<void> {
    const asked = systemClock.now()
    const { rows } = await link.query(`SELECT ${DATABASE_NOW}::float8 AS now`)
    const answered = systemClock.now()
    const difference = Number(rows[0]!['now']) - (asked + answered) / 2
    if (Math.abs(difference - this.#differenceMs) > Math.max((answered - asked) / 2, 5))
      this.#differenceMs = Math.round(difference)
  }

  /** Measures the difference now and then periodically. */
  async keep(link: PostgresLink, everyMs: number = EVERY_MS): Promise<void> {
    await this.set(link)
    this.#stopTimer?.()
    const again = (): void => {
      // If the database is unreachable, the next reading corrects the clock.
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
