import type { RunSummary } from '../../../journal/index.ts'

const RUNS_MAX = 20_000

/**
 * The summaries of runs that are held here, so that an append need not read before it writes. They can be trusted: an append goes through only where
 * epoch and head are still those that are known here, and any other writer has to take the lease of the run first.
 */
export class KnownRuns {
  readonly #runs = new Map<string, { readonly epoch: number; readonly summary: RunSummary | undefined }>()

  /** What is known of a run under this epoch; undefined when nothing is. `summary` is undefined for a run that has no entries yet. */
  get(run: string, epoch: number): { readonly summary: RunSummary | undefined } | undefined {
    const known = this.#runs.get(run)
    return known?.epoch === epoch ? known : undefined
  }

  note(run: string, epoch: number, summary: RunSummary | undefined): void {
    if (this.#runs.size >= RUNS_MAX) this.#runs.clear()
    this.#runs.set(run, { epoch, summary })
  }

  forget(run: string): void {
    this.#runs.delete(run)
  }
}
