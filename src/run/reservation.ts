import type { Reservation } from '../gate/index.ts'
import type { Spend } from '../journal/index.ts'
import type { ActiveRun } from './active-run.ts'

/** Puts the real cost of an effect in the place of what was reserved for it, and says what was counted. */
export function settling(run: ActiveRun, key: string, claim: Reservation): (spent: Spend) => Spend {
  return (spent) => {
    run.reservations.delete(key)
    return run.budget.settle(claim, spent)
  }
}
