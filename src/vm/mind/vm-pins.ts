import { MandateError, systemClock } from '../../core/index.ts'
import type { Clock } from '../../core/index.ts'
import type { FuelTap } from '../../run/index.ts'
import { COST_TABLE, COST_TABLES } from '../meter/cost.ts'
import type { FuelPool } from '../meter/limits.ts'

/** The version of the VM semantics, and of its costs, pinned by runs. */
export type VmPins = {
  readonly vm: string
  readonly costs: string
}

export const VM_PINS: VmPins = Object.freeze({
  vm: 'mandate-vm-3',
  costs: COST_TABLE,
})

/**
 * The versions of the VM whose programs this one continues. They differ in details: when a method of a call is looked up, what regular expressions match. Where
 * that changes what a program had requested, its run stops with `REPLAY_DIVERGED`.
 */
const VM_VERSIONS: ReadonlySet<string> = new Set(['mandate-vm-1', 'mandate-vm-2', VM_PINS.vm])

/** Throws for a run that began on a version of the VM which this build cannot continue. */
export function checkVmPins({ vm, costs }: VmPins): void {
  if (VM_VERSIONS.has(vm) && COST_TABLES.has(costs)) return
  throw new MandateError(
    'VERSION_UNSUPPORTED',
    `The run began on ${vm} with costs ${costs}; this build continues runs of ${[...VM_VERSIONS].join(', ')} with costs ${[...COST_TABLES.keys()].join(', ')}. Resume it with the version of mandate that wrote it, or a later one.`,
  )
}

/**
 * The fuel of a run. Under another cost table than that of its start, the recorded part of the run is free, because what it costs now says nothing about
 * what it was allowed: its limit holds from there on.
 */
export function fuelOf({ costs }: VmPins, tap: FuelTap): FuelPool {
  return costs === COST_TABLE ? tap : new RecountedFuel(tap)
}

class RecountedFuel implements FuelPool {
  readonly #tap: FuelTap
  /** Fuel that was handed out and is counted nowhere. */
  #unpaid = 0

  constructor(tap: FuelTap) {
    this.#tap = tap
  }

  get isFree(): boolean {
    return this.#tap.isRepeating
  }

  draw(fuel: number): number {
    const drawn = this.#tap.draw(fuel)
    if (!this.isFree) return drawn
    this.#unpaid += fuel - drawn
    return fuel
  }

  giveBack(fuel: number): void {
    const unpaid = Math.min(this.#unpaid, fuel)
    this.#unpaid -= unpaid
    if (fuel > unpaid) this.#tap.giveBack(fuel - unpaid)
  }

  refusal(): string {
    return this.#tap.refusal()
  }
}

/**
 * Leaves out of an output what depends on the cost table, where that of the run is another one: fuel and memory are measures of the machine, not of what the
 * program did.
 */
export function withoutMeasures<O>(output: O, { costs }: VmPins): O {
  if (costs === COST_TABLE || typeof output !== 'object' || output === null) return output
  const { fuelUsed: _fuel, memoryPeak: _memory, ...rest } = output as O & { fuelUsed?: unknown; memoryPeak?: unknown }
  return rest as O
}

/** A clock without timers: the machine of a suspended run is dropped, not stopped, so it must hold no timer. Slices use real time. */
export const WAITING_CLOCK: Clock = { now: () => systemClock.now(), timer: () => () => {} }
