import type { RunSummary } from '../../../journal/index.ts'

const RUNS_MAX = 20_000

/**
 * Cached summaries of runs, so that an append need not read before it writes. The cache is safe: an append succeeds only if epoch and head are
 * unchanged in the database, and any other writer must take the lease first.
 */
export class KnownRuns {
  readonly #runs = new Map<string, { readonly epoch: number; readonly summary: RunSummary | undefined }>()

  /** The cached state of a run under this epoch; `undefined` if there is none. `summary` is `undefined` for a run without entries. */
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
