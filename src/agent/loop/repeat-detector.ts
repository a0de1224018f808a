import { canonical, sha256 } from '../../core/index.ts'
import type { Json, Outcome } from '../../core/index.ts'

/** Limits of repeated failures of the same call: after the second the model is warned, after the third the run ends. */
const NUDGE_AT = 2
const STOP_AT = 3

interface Attempt {
  readonly name: string
  readonly input: Json
  readonly turn: number
}

/**
 * Detects an agent that repeats the same failing call. A success in between resets the count; repetitions within one turn count once, because the
 * model has not seen the failure yet.
 */
export class RepeatDetector {
  readonly #failures = new Map<string, { readonly count: number; readonly turn: number }>()

  /** Decides how to react to an outcome. */
  judge({ name, input, turn }: Attempt, outcome: Outcome): 'fine' | 'nudge' | 'stop' {
    // Calls that never failed need no key: most runs never build one.
    if (outcome.status === 'ok' && this.#failures.size === 0) return 'fine'
    const key = sha256(`${name}\n${canonical(input)}`)
    if (outcome.status === 'ok') {
      this.#failures.delete(key)
      return 'fine'
    }
    const before = this.#failures.get(key)
    const count = before?.turn === turn ? before.count : (before?.count ?? 0) + 1
    this.#failures.set(key, { count, turn })
    return count >= STOP_AT ? 'stop' : count >= NUDGE_AT ? 'nudge' : 'fine'
  }
}

export const NUDGE: string =
  ' The same call has now failed twice in the same way. Do not repeat it: change the input, use another tool, or explain what is missing.'
