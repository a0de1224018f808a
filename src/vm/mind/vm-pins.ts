import { MandateError, systemClock } from '../../core/index.ts'
import type { Clock } from '../../core/index.ts'
import { COST_TABLE } from '../meter/cost.ts'

/** The version of the VM semantics, and of its costs, pinned by runs. */
export const VM_PINS: { readonly vm: string; readonly costs: string } = Object.freeze({
  vm: 'mandate-vm-3',
  costs: COST_TABLE,
})

/** Throws for a run that began on another version of the VM. */
export function checkVmPins({ vm, costs }: { readonly vm: string; readonly costs: string }): void {
  if (vm === VM_PINS.vm && costs === VM_PINS.costs) return
  throw new MandateError(
    'VERSION_UNSUPPORTED',
    `The run began on ${vm} with costs ${costs}; this is ${VM_PINS.vm} with ${VM_PINS.costs}. Resume it with the version of mandate that wrote it.`,
  )
}

/** A clock without timers: the machine of a suspended run is dropped, not stopped, so it must hold no timer. Slices use real time. */
export const WAITING_CLOCK: Clock = { now: () => systemClock.now(), timer: () => () => {} }
