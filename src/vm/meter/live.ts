import type { TraceLog } from '../machine/trace-log.ts'
import type { BuiltinTable } from '../value/builtin-table.ts'
import type { Activation } from '../machine/activation.ts'
import type { Guest } from '../value/guest.ts'
import type { GuestArray } from '../value/guest-array.ts'
import type { GuestPromise, Waiter } from '../value/guest-promise.ts'
import { SHORT_TEXT } from '../value/text/text-ledger.ts'
import type { TextLedger } from '../value/text/text-ledger.ts'
import type { Shape } from '../value/shape.ts'
import { limitStop } from './stop.ts'
import type { VmLimits } from './limits.ts'

/** One fuel, in the integer units that are counted inside. */
export const UNITS_PER_FUEL = 10_000

/** In `pc`: what is thrown here is caught, so labels of what could throw stay to the end of what catches. */
export const IN_TRY: number = 1 << 29

/** What follows labels through an execution. Loaded only for runs that ask for it. */
export interface LabelTracking {
  /** The labels met so far: a label is the bit with its place here. */
  readonly names: string[]
  /** The labels of what decided that the program is where it is. */
  pcLabels(): readonly string[]
  /** The inside of a reference is read as a text or a number. */
  readContents(value: Guest): void
  /** Where the parts of an input came from, and what decided that it leaves. */
  exportLabels(input: Guest, bits: number): Readonly<Record<string, readonly string[]>>
  /** A value comes in through a promise. */
  importLabels(promise: GuestPromise | undefined, labels: readonly string[], value: Guest): void
  /** A callback was called, or not, because of something with these labels. */
  noteSkippedCallback(callback: Guest, bits: number): void
  /** A list is about to be gathered from what is in another. */
  beginGather(list: GuestArray, source: Guest): void
  /** One item of a list that is gathered from promises is there; gives its labels. */
  gatherItem(list: GuestArray, index: number, bits: number): number
  /** What decided that a promise was not rejected, beside what it carries itself: each part of what was gathered. */
  settlementLabel(promise: GuestPromise): number
}

/** Promises, jobs, and requests to the host. */
export interface RequestQueuePart {
  /** Queues what happens next because a promise has settled. */
  enqueue(waiter: Waiter, promise: GuestPromise): void
  /** Asks the world; the promise settles with the outcome. */
  request(kind: string, name: string, input: Guest): GuestPromise
  /** Settles a promise as `resolve` does: with a promise, it follows that one. */
  resolve(promise: GuestPromise, value: Guest): void
  /** A promise was rejected without a handler: a warning, if it never gets one. */
  noteRejection(promise: GuestPromise): void
  /** Suspends an activation until its promise settles, and returns the activation that continues meanwhile. */
  park(active: Activation): Activation | null
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
  readonly waiting: RequestQueuePart
  /** Calls a guest function or built-in from code of ours. */
  invoke(target: Guest, args: Guest[]): Guest
  print(level: string, text: string): void
  warn(message: string): void
  /** Units used up to this moment. */
  unitsUsedNow(): number
  /** What the last call of a function at a level cost, in units. */
  readonly callUnits: Map<number, number>
  /** The steps that have run, where they are noted. */
  readonly traceLog: TraceLog | undefined
  now(): number
  random(): number
  /** Room for what built-ins and atoms keep during one execution (`memoize`). */
  readonly scratch: Map<string, Guest>
  /** Follows the labels of values, where the run asks for it. */
  readonly flow: LabelTracking | undefined
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
  /** What is known of the long texts of the program. */
  texts: TextLedger
  machine: MachinePart
  /** Labels of what an expression has read so far, as bits; with those below always 0 where labels are not followed. */
  label: number
  /** Labels of what decided that the program is where it is. */
  pc: number
  /** Labels joined to every shared heap read from now on, after a write whose target is unknown. */
  heapFloor: number
  /** Labels of the arguments that built-ins give to functions. */
  callbackLabel: number
  /** Whether any label has come in. */
  isLabelled: boolean
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
  label: 0,
  pc: 0,
  heapFloor: 0,
  callbackLabel: 0,
  isLabelled: false,
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

/** Takes the bytes and the fuel of a string of exactly this length that an operation is about to make. */
export function chargeString(length: number): void {
  chargeText(length)
  if (length > SHORT_TEXT) noteText(length)
}

/** The same for a text that is no value of the program by itself: a part of one, or one that is given up again. */
export function chargeText(length: number): void {
  if (length > live.machine.limits.stringLength) throw limitStop('stringLength', live.machine.limits.stringLength)
  if ((live.memory -= length + 24) < 0) outOfMemory()
  burnCopy(length)
}

/** Texts of this length and more are given memory of their own by the platform, which takes longer. */
const LARGE_TEXT = 65_536

/** Spends what copying so many characters costs. */
export function burnCopy(length: number): void {
  if ((live.fuel -= length < LARGE_TEXT ? length >> 2 : length >> 1) < 0) live.machine.refuel()
}

/** Notes that a long text of this length is made. */
export function noteText(length: number): void {
  const grown = live.texts.noteMade(length)
  if (grown > 0) charge(grown)
}

/** Takes the bytes and the fuel of a list that an operation is about to make. */
export function chargeList(length: number): void {
  if (length > live.machine.limits.arrayLength) throw limitStop('arrayLength', live.machine.limits.arrayLength)
  if ((live.memory -= 48 + length * 16) < 0) outOfMemory()
  if ((live.fuel -= length << 4) < 0) live.machine.refuel()
}
