import { MandateError } from '../../core/index.ts'
import type { Journal, RunSummary } from '../../journal/index.ts'

const RUNS_MAX = 1_000

/** Of each store of this process. */
const stores = new WeakMap<Journal, SeenDamage>()

/**
 * The damage that this process has found when it read runs. Lists do not read them, but must not show a run as sound that could not be read a moment ago.
 */
export class SeenDamage {
  readonly #found = new Map<string, string>()

  static of(store: Journal): SeenDamage {
    const seen = stores.get(store) ?? new SeenDamage()
    stores.set(store, seen)
    return seen
  }

  note(run: string, error: unknown): void {
    if (!MandateError.isInstance(error) || error.code !== 'JOURNAL_DAMAGED') return
    if (this.#found.size >= RUNS_MAX) this.#found.clear()
    this.#found.set(run, error.message)
  }

  /** The run was read as a whole. */
  forget(run: string): void {
    this.#found.delete(run)
  }

  mark<S extends RunSummary | undefined>(summary: S): S {
    const damage = summary === undefined ? undefined : this.#found.get(summary.run)
    return damage === undefined ? summary : { damage, ...summary }
  }

  markAll(summaries: readonly RunSummary[]): readonly RunSummary[] {
    return this.#found.size === 0 ? summaries : summaries.map((summary) => this.mark(summary))
  }
}
