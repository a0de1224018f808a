import { describeLimit } from '../../gate/index.ts'
import type { Spend } from '../../journal/index.ts'
import type { ActiveRun } from '../lifecycle/active-run.ts'

/** Draws fuel for a computing mind from the budget of its tree: in slices before they are used, with the unused part given back. */
export interface FuelTap {
  /** Takes up to `fuel`; returns 0 when nothing is left. */
  draw(fuel: number): number
  /** Returns fuel that was drawn and not used, or that is counted elsewhere and will be drawn again. */
  giveBack(fuel: number): void
  /** The most bytes that one program may hold; `undefined` without a limit. */
  readonly memoryMax: number | undefined
  /** Records the most bytes that a program has held. */
  held(bytes: number): void
  /** The message about the limit that is used up. */
  refusal(): string
  /** Whether the mind executes recorded work again. */
  readonly isRepeating: boolean
}

/**
 * The fuel of a run. A re-execution uses the same fuel again: what an earlier execution in this process has counted is not counted twice and is never
 * refused.
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
    get isRepeating() {
      return run.delivery.replaying
    },
  }
}

const NO_FUEL = { unit: 'fuel', limit: 0, spent: 0, reserved: 0, wanted: 1 } as const

/** The spend of the mind itself, which is part of no effect. */
export function usedBy({ computed: { fuel, memoryPeak } }: ActiveRun): Spend {
  return { ...(fuel > 0 ? { fuel } : {}), ...(memoryPeak > 0 ? { memory: memoryPeak } : {}) }
}

/** The fuel and memory that a run's mind has used in this execution, without its children. */
export class Computed {
  fuel = 0
  /** The part of `fuel` that is already counted in the budget. */
  counted: number
  /** The most memory that a program of this mind has held, in bytes. */
  memoryPeak = 0

  constructor(counted = 0) {
    this.counted = counted
  }
}
