import type { ActiveRun } from '../lifecycle/active-run.ts'
import { trustedSignals } from './trusted-signals.ts'
import { takeSignals } from './signals.ts'

/** Reads a run's inbox whenever something arrives and folds it into the journal, each signal once, however often it was delivered. */
export class Inbox {
  readonly #run: ActiveRun
  /** Created with the first signal: most runs never get one. */
  #seen: Set<string> | undefined
  #stop: () => void = () => {}
  #reading: Promise<void> | undefined
  #again = false

  constructor(run: ActiveRun) {
    this.#run = run
  }

  /** Reads the pending signals, then subscribes to new ones. */
  open(): Promise<void> {
    this.#stop = this.#run.host.journal.watch(this.#run.id, (change) => {
      if (change.kind === 'signal') void this.read().catch(() => {})
    })
    return this.read()
  }

  close(): void {
    this.#stop()
  }

  /** Resolves when everything that had arrived before the call is folded in. */
  read(): Promise<void> {
    this.#again = true
    this.#reading ??= this.#readAll().finally(() => (this.#reading = undefined))
    return this.#reading
  }

  async #readAll(): Promise<void> {
    while (this.#again) {
      this.#again = false
      const signals = await this.#run.host.journal.signals(this.#run.id)
      if (signals.length > 0)
        await (async () =>
          takeSignals(this.#run, await trustedSignals(this.#run, signals), (this.#seen ??= new Set())))()
    }
  }
}
