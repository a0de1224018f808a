import type { LimitHit, Reservation } from '../../gate/index.ts'
import type { Spend } from '../../journal/index.ts'
import type { ActiveRun } from '../lifecycle/active-run.ts'
import type { Permit } from './perform.ts'

/** The budget reservation of one effect across its attempts: each is settled before the next one is made. */
export function heldReservation(run: ActiveRun, key: string, claim: Reservation): Pick<Permit, 'settle' | 'renew'> {
  let held = claim
  let settled: Spend | undefined
  const settle = (spent: Spend): Spend => {
    run.reservations.delete(key)
    settled ??= run.budget.settle(held, spent)
    return settled
  }
  return {
    settle,
    renew(spent) {
      const counted = settle(spent)
      // Checked and claimed in the same synchronous step, so that parallel calls cannot take the remainder in between.
      const hit: LimitHit | undefined = run.budget.check(held.spend)
      if (hit !== undefined) return { counted, hit }
      held = run.budget.claim(held.spend)
      settled = undefined
      run.reservations.set(key, held)
      return { counted }
    },
  }
}
