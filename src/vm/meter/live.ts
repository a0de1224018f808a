import type { BuiltinTable } from '../door.ts'
import type { Guest } from '../value/guest.ts'
import type { GuestPromise, Waiter } from '../value/guest-promise.ts'
import type { TextMemory } from '../value/text.ts'
import type { Shape } from '../value/shape.ts'
import { limitStop } from './stop.ts'
import type { VmLimits } from './limits.ts'

/** One fuel, in the integer units that are counted inside. */
export const UNITS_PER_FUEL = 10_000

export interface TracedStep {
  readonly op: string
  readonly path: string | undefined
  readonly at: readonly [line: number, column: number] | undefined
  /** Fuel used before it. */
  readonly before: number
  readonly isFailed: boolean
}

/** The machine that is on the stack, as values, built-ins and compiled code know it. */
export interface MachinePart {
  readonly limits: VmLimits
  readonly builtins: BuiltinTable
  /** The arguments of the program, copied in. */
  readonly args: Guest
  /** Hands out the next slice of fuel, looks at the clock and the abort signal, or stops. */
  refuel(): void
  /** At the back edge of a loop that can be put aside: whether to do so. */
  shouldYield(): boolean
  /** Queues what happens next because a promise has settled. */
  enqueue(waiter: Waiter, promise: GuestPromise): void
  /** Asks the world; the promise settles with the outcome. */
  request(kind: string, name: string, input: Guest): GuestPromise
  /** Calls a guest function or built-in from code of ours. */
  invoke(target: Guest, args: Guest[]): Guest
  /** A promise was rejected while nobody waited for it: a warning, if nobody ever does. */
  noteRejection(promise: GuestPromise): void
  print(level: string, text: string): void
  warn(message: string): void
  /** Units used up to this moment. */
  unitsUsedNow(): number
  /** What the last call of a function at a level cost, in units. */
  readonly callUnits: Map<number, number>
  /** Notes a step that has run, while there is room. */
  trace(step: TracedStep): void
  now(): number
  random(): number
  /** Room for what built-ins and atoms keep during one execution (`memoize`). Snapshots do not hold it. */
  readonly scratch: Map<string, Guest>
  /** Above 0, code that cannot be put aside is on the native stack, so nothing can. */
  nativeDepth: number
}

/**
 * The registers of the machine that is on the stack right now. They are the program's counters while it runs and nothing
 * between: a machine loads them when it enters and puts back what it found when it leaves, so machines can nest.
 */
export interface Live {
  /** Units left in this slice; below zero, `refuel` decides. */
  fuel: number
  /** Bytes left. */
  memory: number
  /** Nesting of native frames under guest calls. */
  depth: number
  depthMax: number
  /** A slice ran out where the program could not be put aside; the next place that can, does. */
  overdue: boolean
  /** Where objects without properties begin. */
  root: Shape
  /** The layout of the last record that came in. */
  lastShape: Shape | undefined
  texts: TextMemory
  machine: MachinePart
}

const NOWHERE: MachinePart = undefined as never

export const live: Live = {
  fuel: 0,
  memory: 0,
  depth: 0,
  depthMax: 0,
  overdue: false,
  root: undefined as never,
  lastShape: undefined,
  texts: undefined as never,
  machine: NOWHERE,
}

/** Spends units of fuel, before the work they stand for. */
export function burn(units: number): void {
  if ((live.fuel -= units) < 0) live.machine.refuel()
}

/** Takes bytes, before they are allocated. */
export function charge(bytes: number): void {
  if ((live.memory -= bytes) < 0) outOfMemory()
}

export function outOfMemory(): never {
  throw limitStop('memoryBytes', live.machine.limits.memoryBytes)
}

/** Takes the bytes and the fuel of a string that an operation is about to make. */
export function chargeString(length: number): void {
  if (length > live.machine.limits.stringLength) throw limitStop('stringLength', live.machine.limits.stringLength)
  charge(length + 24)
  burn(length >> 2)
}

/** Takes the bytes and the fuel of a list that an operation is about to make. */
export function chargeList(length: number): void {
  if (length > live.machine.limits.arrayLength) throw limitStop('arrayLength', live.machine.limits.arrayLength)
  charge(48 + length * 16)
  burn(length << 3)
}
