import type { ActiveRun } from '../lifecycle/active-run.ts'

/**
 * Entries beside those of effects (messages, notes, cancellations), in the order in which they were added. They are held back while a mind is
 * replayed, so that a diverging mind leaves no trace.
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

  /** Writes what is held. Called once the mind has caught up, or has finished. */
  writeHeld(): void {
    if (this.#run.ended) return
    for (const write of this.#held.splice(0)) write()
  }
}
