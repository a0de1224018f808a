import type { Json } from '../core/index.ts'
import type { ActiveRun } from './active-run.ts'

/** What a run says beside its effects, in the order in which it was said: messages, notes, why it is taken down. */
export class Sayings {
  readonly #run: Pick<ActiveRun, 'delivery' | 'ended' | 'failUnlessLost' | 'redactor'>
  readonly #held: (() => void)[] = []
  #unread: Promise<void> | undefined

  constructor(run: Pick<ActiveRun, 'delivery' | 'ended' | 'failUnlessLost' | 'redactor'>) {
    this.#run = run
  }

  /**
   * Writes now, or as soon as the mind has caught up with its journal: one that turns out to have changed leaves no trace. `said` is what of anybody's
   * words will be in it: it may have to wait until it can be redacted, and all that is said after it waits with it.
   */
  hold(write: () => void, said?: Json): void {
    const { delivery } = this.#run
    if (said !== undefined) void this.await(said)
    if (this.#held.length === 0 && this.#unread === undefined && !delivery.replaying) return write()
    if (this.#held.push(write) === 1) void delivery.caughtUp()?.then(() => this.writeHeld())
  }

  /** Only once the mind has caught up, or is over. */
  writeHeld(): void {
    if (this.#run.ended || this.#unread !== undefined) return
    for (const write of this.#held.splice(0)) write()
  }

  /** What an entry with this value has to wait for: that what was said before it is written, and that it can be redacted. */
  ready(value: Json): Promise<void> | undefined {
    return this.#unread ?? this.#run.redactor.ready?.(value)
  }

  /** The same for something that is said now: what is said from here on waits for it. */
  await(said: Json): Promise<void> | undefined {
    this.#unread ??= this.#run.redactor.ready?.(said)?.then(
      () => {
        this.#unread = undefined
        if (!this.#run.delivery.replaying) this.writeHeld()
      },
      (error: unknown) => this.#run.failUnlessLost(error),
    )
    return this.#unread
  }
}
