import type { AgentRun } from '../../agent/index.ts'

type Driven = Pick<AgentRun, 'id' | 'then'>

/** The runs that requests of a server have started and that this process still drives. */
export class DrivenRuns {
  readonly #runs = new Map<string, Set<Driven>>()

  add(run: Driven): void {
    const same = this.#runs.get(run.id) ?? new Set()
    this.#runs.set(run.id, same.add(run))
    const drop = (): void => {
      same.delete(run)
      if (same.size === 0) this.#runs.delete(run.id)
    }
    run.then(drop, drop)
  }

  /** Resolves when all runs that are under way at the time of the call have settled. */
  async settled(): Promise<void> {
    await Promise.allSettled([...this.#runs.values()].flatMap((same) => [...same]))
  }

  ids(): readonly string[] {
    return [...this.#runs.keys()]
  }
}
