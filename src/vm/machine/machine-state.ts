import { live, UNITS_PER_FUEL } from '../meter/live.ts'
import type { FuelPool, VmLimits } from '../meter/limits.ts'
import { Stop, limitStop } from '../meter/stop.ts'
import type { GuestPromise } from '../value/guest-promise.ts'
import type { Shape } from '../value/shape.ts'
import { TextLedger } from '../value/text/text-ledger.ts'
import type { Activation } from './activation.ts'
import type { Machine } from './machine.ts'

/** Units between two checks of the clock. */
const SLICE = 5_000_000
/** Units of a slice that does not count against the limit: small, because its rest is left to what does. */
const FREE_SLICE = 50_000
/** Native stack frames per unit of `callDepth`. */
const NEST_PER_CALL = 8

/** The mutable state of an execution, and its transfer to and from the registers. */
export class MachineState {
  jobCount = 0
  nextId = 1
  main: GuestPromise | undefined
  current: Activation | null = null
  /** Units not yet handed out as slices. */
  reserve: number
  fuel = 0
  memory: number
  reclaimAt: number
  memoryPeak = 0
  overdue = false
  /** Label registers, kept between turns of the event loop. */
  floor = 0
  laterLabel = 0
  isLabelled = false
  lastShape: Shape | undefined
  texts: TextLedger = new TextLedger()
  readonly #limits: VmLimits
  #total: number
  readonly #pool: FuelPool | undefined
  /** Units that were taken from the pool. */
  #drawn = 0

  /** Units left in all, while the program is not in the registers. */
  get unitsLeft(): number {
    return this.reserve + this.fuel
  }

  constructor(limits: VmLimits, pool?: FuelPool) {
    this.#limits = limits
    this.#pool = pool
    this.#total = Math.floor(limits.fuel * UNITS_PER_FUEL)
    this.reserve = this.#total
    this.memory = limits.memoryBytes
    this.reclaimAt = limits.memoryBytes
  }

  get fuelUsed(): number {
    return Math.min(this.#total, this.#total - this.reserve - this.fuel) / UNITS_PER_FUEL
  }

  /** Units used so far, while the program is in the registers. */
  get unitsUsedNow(): number {
    return this.#total - this.reserve - live.fuel
  }

  load(machine: Machine): void {
    live.fuel = this.fuel
    live.memory = this.memory
    live.depth = 0
    live.depthMax = this.#limits.callDepth * NEST_PER_CALL
    live.overdue = this.overdue
    live.root = machine.compiled.root
    live.lastShape = this.lastShape
    live.texts = this.texts
    live.machine = machine
    live.label = 0
    live.pc = 0
    live.callbackLabel = 0
    live.heapFloor = this.floor
    live.laterLabel = this.laterLabel
    live.isLabelled = this.isLabelled
  }

  store(): void {
    this.fuel = live.fuel
    this.memory = live.memory
    this.overdue = live.overdue
    this.lastShape = live.lastShape
    this.floor = live.heapFloor
    this.laterLabel = live.laterLabel
    this.isLabelled = live.isLabelled
    this.notePeak(this.#limits.memoryBytes - live.memory)
  }

  notePeak(bytes: number): void {
    if (bytes > this.memoryPeak) this.memoryPeak = Math.min(bytes, this.#limits.memoryBytes)
  }

  /** Hands out slices until the register is positive again, or the fuel is used up. */
  refuel(): void {
    while (live.fuel < 0) {
      if (this.#pool?.isFree === true) {
        const units = this.#draw(FREE_SLICE - live.fuel)
        this.#total += units
        live.fuel += units
        continue
      }
      if (this.reserve <= 0) throw limitStop('fuel', this.#limits.fuel)
      const slice = this.#draw(Math.min(SLICE, this.reserve))
      this.reserve -= slice
      live.fuel += slice
    }
  }

  #draw(units: number): number {
    if (this.#pool === undefined) return units
    const drawn = Math.floor(this.#pool.draw(units / UNITS_PER_FUEL) * UNITS_PER_FUEL)
    this.#drawn += drawn
    if (drawn > 0) return drawn
    const info = { limit: 'fuel', allowed: this.#drawn / UNITS_PER_FUEL }
    throw new Stop({ code: 'LIMIT_EXCEEDED', message: this.#pool.refusal(), info })
  }

  /** Credits fuel that a nested program used and the pool has already counted, before this machine is charged for it. */
  credit(fuel: number): void {
    this.#pool?.giveBack(fuel)
  }

  /** Returns unused fuel to the pool at the end. */
  settlePool(): void {
    if (this.#pool === undefined) return
    const used = this.#total - this.reserve - this.fuel
    if (used < this.#drawn) this.#pool.giveBack((this.#drawn - used) / UNITS_PER_FUEL)
    else if (used > this.#drawn) this.#pool.draw((used - this.#drawn) / UNITS_PER_FUEL)
    this.#drawn = used
  }

  *roots(machine: Machine): Generator {
    yield this.current
    yield this.main
    yield machine.args
    yield* machine.waiting.roots()
    yield* machine.scratch.values()
  }

  clear(): void {
    this.current = null
    this.main = undefined
    this.texts = new TextLedger()
  }
}
