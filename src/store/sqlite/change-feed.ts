import { systemClock } from '../../core/index.ts'
import type { Change } from '../../journal/index.ts'
import { changesSince, lastSeen } from './rows/run-rows.ts'
import type { Seen } from './rows/run-rows.ts'
import type { SqliteFile } from './sqlite-file.ts'

/** Reports changes to watchers: those of this process at once, those of other processes at the next poll. */
export class ChangeFeed {
  readonly #file: SqliteFile
  readonly #intervalMs: number
  readonly #tell: (changes: readonly Change[]) => void
  #seen: Seen | undefined
  #version: unknown
  #stopTimer: (() => void) | undefined

  constructor(file: SqliteFile, intervalMs: number, tell: (changes: readonly Change[]) => void) {
    this.#file = file
    this.#intervalMs = intervalMs
    this.#tell = tell
  }

  start(): void {
    if (this.#stopTimer !== undefined) return
    this.#arm()
    this.look()
  }

  stop(): void {
    this.#stopTimer?.()
    this.#stopTimer = undefined
    this.#seen = undefined
  }

  /** Reports new changes. The first poll only records the current state. */
  look(): void {
    if (this.#stopTimer === undefined) return
    try {
      if (this.#seen === undefined) {
        this.#seen = lastSeen(this.#file)
        return
      }
      // Read before the changes: a change in between is then reported twice, not missed.
      const now = lastSeen(this.#file)
      const changes = changesSince(this.#file, this.#seen)
      this.#seen = now
      if (changes.length > 0) this.#tell(changes)
    } catch {
      // Read errors are reported by queries; the next poll tries again, whether or not there is a newer change.
      this.#version = undefined
    }
  }

  #arm(): void {
    this.#stopTimer = systemClock.timer(this.#intervalMs, () => {
      this.#arm()
      if (this.#hasForeignChange()) this.look()
    })
  }

  /**
   * A cheap check: the number changes only when another connection has committed. A new handle counts from another start, which looks like a change
   * and is harmless.
   */
  #hasForeignChange(): boolean {
    try {
      const version = this.#file.get('PRAGMA data_version')?.['data_version']
      const isNew = version !== this.#version
      this.#version = version
      return isNew
    } catch {
      return false
    }
  }
}
