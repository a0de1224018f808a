import { describeLimit } from '../../gate/index.ts'
import type { Spend } from '../../journal/index.ts'
import type { ActiveRun } from '../lifecycle/active-run.ts'

/** How a mind that computes takes fuel from the budget of its tree: in slices before it uses them, and back with what was not used. */
export interface FuelTap {
  /** Takes as much of `fuel` as is left; 0 when nothing is. */
  draw(fuel: number): number
  /** Gives back what was drawn and not used, or what is counted by others and will be drawn again. */
  giveBack(fuel: number): void
  /** The bytes that one program may hold; `undefined` without a limit. */
  readonly memoryMax: number | undefined
  /** Notes how many bytes a program has held at most. */
  held(bytes: number): void
  /** Why there is no more. */
  refusal(): string
}

/**
 * The fuel of a run. A run that is executed again uses again what it had used; what an earlier execution in this process has counted is not
 * counted twice, and is never refused.
 */
export function fuelTap(run: ActiveRun): FuelTap {
  const { budget, computed } = run
  return {
    draw(fuel) {
      const known = Math.max(0, Math.min(fuel, computed.counted - computed.fuel))
      const fresh = Math.min(fuel - known, budget.remaining().fuel ?? Number.POSITIVE_INFINITY)
      computed.fuel += known + fresh
      if (fresh > 0) budget.add({ fuel: fresh })
      computed.counted = Math.max(computed.counted, computed.fuel)
      return known + fresh
    },
    giveBack(fuel) {
      const counted = Math.max(0, Math.min(fuel, fuel - (computed.counted - computed.fuel)))
      computed.fuel -= fuel
      computed.counted -= counted
      if (counted > 0) budget.giveBack({ fuel: counted })
    },
    get memoryMax() {
      return budget.remaining().memory
    },
    held(bytes) {
      computed.memoryPeak = Math.max(computed.memoryPeak, bytes)
      budget.add({ memory: bytes })
    },
    refusal: () => describeLimit(budget.check({ fuel: 1 }) ?? NO_FUEL),
  }
}

const NO_FUEL = { unit: 'fuel', limit: 0, spent: 0, reserved: 0, wanted: 1 } as const

/** What a mind has used that no effect says. */
export function usedBy({ computed: { fuel, memoryPeak } }: ActiveRun): Spend {
  return { ...(fuel > 0 ? { fuel } : {}), ...(memoryPeak > 0 ? { memory: memoryPeak } : {}) }
}
