import { RunFold } from '../../../../src/journal/run-fold.ts'
import { foldable } from '../../journal/run-store.ts'
import type { LightEntry } from '../../journal/run-store.ts'

/** The parts of a run from which states are computed: a run store, or test data. */
interface Recorded {
  readonly runId: string
  readonly entries: readonly LightEntry[]
}

type State = Readonly<Record<string, unknown>>

/** Number of states kept before the requested one, so that stepping back is fast. */
const KEPT = 64

/** The states of one run, computed by the same fold as in the runtime. The fold continues from its position; only a jump back restarts it. */
class States {
  #fold = new RunFold()
  #seq = 0
  readonly #known = new Map<number, State>()

  /** Returns the state as of an entry; for 0, the state before the first one. Stepping forward applies each entry once. */
  at(run: Recorded, wanted: number): State {
    const seq = Math.max(0, Math.min(wanted, run.entries.length))
    const known = this.#known.get(seq)
    if (known !== undefined) return known
    if (seq <= this.#seq) this.#restart()
    this.#remember()
    while (this.#seq < seq) {
      const light = run.entries[this.#seq]!
      this.#seq += 1
      if (light.data !== null) this.#fold.apply(foldable(light, run.runId))
      if (this.#seq > seq - KEPT) this.#remember()
    }
    return this.#known.get(seq)!
  }

  #restart(): void {
    this.#fold = new RunFold()
    this.#seq = 0
  }

  #remember(): void {
    this.#known.set(this.#seq, shown(this.#fold))
    if (this.#known.size > 2 * KEPT) this.#known.delete(this.#known.keys().next().value!)
  }
}

const known = new WeakMap<Recorded, States>()

/** Returns the state of a run as of one of its entries. */
export function stateAt(run: Recorded, seq: number): State {
  const states = known.get(run) ?? new States()
  known.set(run, states)
  return states.at(run, seq)
}

/** Copies the state, because the fold continues to change its own. */
function shown(fold: RunFold): State {
  return {
    state: fold.state,
    suspended: fold.suspend,
    ended: fold.end,
    spent: fold.spent,
    budget: fold.budget,
    'active ms': fold.activeMs,
    'effects under way': [...fold.openStarts],
    'waiting for a person': fold.pending().map(({ key, data }) => ({ key, name: data.name, text: data.text })),
    'standing approvals': [...fold.standing],
    notes: Object.fromEntries([...fold.notes].map(([key, { value }]) => [key, value])),
    messages: [...fold.messages.values()].map(({ message }) => message),
    effects: fold.effects.size,
  }
}
