import { canonical, sha256 } from '../core/index.ts'
import type { Json, Outcome } from '../core/index.ts'

/** The same failing call, again: at the second it is told, at the third it is over. */
const NUDGE_AT = 2
const STOP_AT = 3

/** Notices an agent that does the same thing over and over and expects something else. Counts only failures that follow each other. */
export class Ladder {
  readonly #counts = new Map<string, number>()

  /** What to do about this outcome. */
  judge(name: string, input: Json, outcome: Outcome): 'fine' | 'nudge' | 'stop' {
    const key = sha256(`${name}\n${canonical(input)}`)
    if (outcome.status === 'ok') {
      this.#counts.delete(key)
      return 'fine'
    }
    const count = (this.#counts.get(key) ?? 0) + 1
    this.#counts.set(key, count)
    return count >= STOP_AT ? 'stop' : count >= NUDGE_AT ? 'nudge' : 'fine'
  }
}

export const NUDGE = ' The same call has now failed twice in the same way. Do not repeat it: change the input, use another tool, or explain what is missing.'
