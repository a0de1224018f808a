import type { ActiveRun } from '../lifecycle/active-run.ts'

/**
 * Entries beside those of effects (messages, notes, why a run is taken down), in the order in which they were added. While a
 * mind is replayed they are held back: one that turns out to have changed leaves no trace.
 */
export class PendingEntries {
  readonly #run: Pick<ActiveRun, 'delivery' | 'ended'>
  readonly #held: (() => void)[] = []

  constructor(run: Pick<ActiveRun, 'delivery' | 'ended'>) {
    this.#run = run
  }

  /** Writes now, or as soon as the mind has caught up with its journal. */
  hold(write: () => void): void {
    const { delivery } = this.#run
    if (this.#held.length === 0 && !delivery.replaying) return write()
    if (this.#held.push(write) === 1) void delivery.caughtUp()?.then(() => this.writeHeld())
  }

  /** Only once the mind has caught up, or is over. */
  writeHeld(): void {
    if (this.#run.ended) return
    for (const write of this.#held.splice(0)) write()
  }
}
