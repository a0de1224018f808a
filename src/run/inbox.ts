import type { ActiveRun } from './active-run.ts'
import { runLater } from './later.ts'

/** Reads a run's inbox whenever something arrives, and folds what it finds into the journal; each signal once, however often it was delivered. */
export class Inbox {
  readonly #run: ActiveRun
  /** Made when the first signal comes: most runs never get any. */
  #seen: Set<string> | undefined
  #stop: () => void = () => {}
  #reading = false
  #again = false

  constructor(run: ActiveRun) {
    this.#run = run
  }

  /** Takes what is there, then listens. */
  open(): Promise<void> {
    this.#stop = this.#run.host.journal.watch(this.#run.id, (change) => {
      if (change.kind === 'signal') void this.read().catch(() => {})
    })
    return this.read()
  }

  close(): void {
    this.#stop()
  }

  async read(): Promise<void> {
    if (this.#reading) {
      this.#again = true
      return
    }
    this.#reading = true
    try {
      do {
        this.#again = false
        const signals = await this.#run.host.journal.signals(this.#run.id)
        if (signals.length > 0)
          await runLater(({ takeSignals }) => takeSignals(this.#run, signals, (this.#seen ??= new Set())))
      } while (this.#again)
    } finally {
      this.#reading = false
    }
  }
}
