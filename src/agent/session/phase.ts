import { MandateError } from '../../core/index.ts'

/** The phases plan, act, reflect as states: `planning → executing → reconciling → …`. */
export type Phase = 'planning' | 'executing' | 'reconciling' | 'await_user' | 'failed' | 'completed'

const MOVES: { readonly [P in Phase]: readonly Phase[] } = {
  planning: ['executing', 'await_user', 'failed'],
  executing: ['reconciling', 'await_user', 'failed'],
  reconciling: ['planning', 'await_user', 'failed', 'completed'],
  await_user: ['planning', 'failed'],
  failed: [],
  completed: [],
}

/** The phase of a run. An illegal transition throws and changes nothing. */
export class PhaseMachine {
  #current: Phase = 'planning'

  get current(): Phase {
    return this.#current
  }

  move(to: Phase): void {
    const allowed = MOVES[this.#current]
    if (!allowed.includes(to)) {
      throw new MandateError(
        'PHASE_ILLEGAL',
        `A run cannot go from ${this.#current} to ${to}. Allowed: ${allowed.join(', ') || 'nothing, it is over'}.`,
        {
          info: { from: this.#current, to, allowed },
        },
      )
    }
    this.#current = to
  }
}
