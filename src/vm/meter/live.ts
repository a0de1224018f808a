import type { TraceLog } from '../machine/trace-log.ts'
import type { BuiltinTable } from '../value/builtin-table.ts'
import type { Activation } from '../machine/activation.ts'
import type { Guest } from '../value/guest.ts'
import type { GuestArray } from '../value/guest-array.ts'
import type { GuestNative } from '../value/native/guest-native.ts'
import type { GuestPromise, Waiter } from '../value/guest-promise.ts'
import { SHORT_TEXT } from '../value/text/text-ledger.ts'
import type { SymbolRegistry } from '../value/symbols.ts'
import type { TextLedger } from '../value/text/text-ledger.ts'
import type { Shape } from '../value/shape.ts'
import { limitStop } from './stop.ts'
import type { VmLimits } from './limits.ts'

/** Internal integer units per fuel. */
export const UNITS_PER_FUEL = 10_000

/** Flag in `pc`: inside a `try`, so labels of what could throw stay in `pc` until the end of the `try`. */
export const IN_TRY: number = 1 << 29

/** Label tracking at the borders of an execution; present in runs that track labels. */
export interface LabelTracking {
  /** The labels met so far; the index of a label is its bit. */
  readonly names: string[]
  /** The labels of the current control flow. */
  pcLabels(): readonly string[]
  /** Joins the labels of everything reachable: a reference is converted to text or number. */
  readContents(value: Guest): void
  /** The label of one part of an object. */
  partBits(value: Guest, key: string): number
  /** The join of the labels of an object and its parts. */
  contentBits(value: Guest): number
  /** Records the use of an iterator under the current control flow, by a reference with the current label. */
  noteUse(iterator: GuestNative): void
  /** Records an iteration over a value by a reference of this label: another iterator may have been advanced instead. */
  noteIteration(bits: number): void
  /** The labels of a value that leaves, by JSON pointer, and of the control flow (`pc`). */
  exportLabels(input: Guest, bits: number): Readonly<Record<string, readonly string[]>>
  /** Labels a value that enters through a promise. */
  importLabels(promise: GuestPromise | undefined, labels: readonly string[], value: Guest): void
  /** Raises the effects of a callback that may or may not have been called, depending on this label; `isLater`: at any later time. */
  noteSkippedCallback(callback: Guest, bits: number, isLater?: boolean): void
  /** Raises the effects of the waiters of a promise that may have settled in another execution, depending on this label. */
  noteUnsettledWaiter(waiter: Waiter, bits: number): void
  /** Starts the result list of `Promise.all` with the labels of the input list. */
  beginGather(list: GuestArray, source: Guest): void
  /** Labels one item of the result list of `Promise.all`; returns its label. */
  gatherItem(list: GuestArray, index: number, bits: number): number
  /** The label of the fact that a promise was fulfilled: that of all parts of a gathered list. */
  settlementLabel(promise: GuestPromise): number
}

/** Promises, jobs, and requests to the host. */
export interface RequestQueuePart {
  /** Queues a job for a waiter of a settled promise. */
  enqueue(waiter: Waiter, promise: GuestPromise): void
  /** Makes a request to the host; the promise settles with the outcome. */
  request(kind: string, name: string, input: Guest): GuestPromise
  /** Resolves a promise; with a promise as value, it follows that one. */
  resolve(promise: GuestPromise, value: Guest): void
  /** Notes a rejection without a handler; becomes a warning if none is added. */
  noteRejection(promise: GuestPromise): void
  /** Suspends an activation until its promise settles, and returns the activation that continues meanwhile. */
  park(active: Activation): Activation | null
}

/** The running machine, as seen by values, built-ins and compiled code. */
export interface MachinePart {
  readonly limits: VmLimits
  readonly builtins: BuiltinTable
  readonly symbols: SymbolRegistry
  /** The arguments of the program, copied in. */
  readonly args: Guest
  /** Hands out the next slice of fuel, checks the clock and the abort signal, or stops the program. */
  refuel(): void
  /** At the back edge of a suspendable loop: whether to yield. */
  shouldYield(): boolean
  readonly waiting: RequestQueuePart
  /** Calls a guest function or built-in from host code. */
  invoke(target: Guest, args: Guest[], self?: Guest): Guest
  print(level: string, text: string): void
  warn(message: string): void
  /** Units used so far. */
  unitsUsedNow(): number
  /** Cost of the last call of a function at a stack level, in units. */
  readonly callUnits: Map<number, number>
  /** The trace, if tracing is on. */
  readonly traceLog: TraceLog | undefined
  now(): number
  random(): number
  /** Scratch values of built-ins and atoms during one execution. */
  readonly scratch: Map<string, Guest>
  /** Label tracking, if enabled for the run. */
  readonly flow: LabelTracking | undefined
  /** Calls a synchronous function of the host; only programs of a session have any. */
  callHost(name: string, args: Guest[]): Guest
  /** If above 0, code that cannot be suspended is on the native stack, so the program cannot be suspended. */
  nativeDepth: number
}

/**
 * The registers of the running machine: its counters and labels while it runs. A machine loads them when it enters and restores
 * the previous contents when it leaves, so machines can nest.
 */
export interface Live {
  /** Units left in this slice; below zero, `refuel` decides. */
  fuel: number
  /** Bytes left. */
  memory: number
  /** Nesting of native frames under guest calls. */
  depth: number
  depthMax: number
  /** A slice ran out where the program could not be suspended; the next suspension point yields. */
  overdue: boolean
  /** The shape of empty objects. */
  root: Shape
  /** The shape of the last imported record. */
  lastShape: Shape | undefined
  /** Accounting of long texts. */
  texts: TextLedger
  machine: MachinePart
  /** Label of the data that the current expression has read so far, as bits. This and the labels below are 0 when labels are off. */
  label: number
  /** The program counter label: of the control flow that led here (implicit flows), with flags. */
  pc: number
  /** Labels joined to every shared heap read from now on, after a write whose target is unknown. */
  heapFloor: number
  /** Labels of work that continues later, started in this or another execution: a part with these labels keeps them when it is overwritten. */
  laterLabel: number
  /** Label of the arguments that a built-in passes to a callback. */
  callbackLabel: number
  /** Whether any label has entered the run. */
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
  laterLabel: 0,
  callbackLabel: 0,
  isLabelled: false,
}

/** Spends units of fuel before the work they pay for. */
export function burn(units: number): void {
  if ((live.fuel -= units) < 0) live.machine.refuel()
}

/** Reserves bytes before they are allocated. */
export function charge(bytes: number): void {
  if ((live.memory -= bytes) < 0) outOfMemory()
}

export function outOfMemory(): never {
  throw limitStop('memoryBytes', live.machine.limits.memoryBytes)
}

/** Charges bytes and fuel for a string of exactly this length that is about to be made. */
export function chargeString(length: number): void {
  chargeText(length)
  if (length > SHORT_TEXT) noteText(length)
}

/** The same for a text that is not itself a guest value: a part of one, or a temporary one. */
export function chargeText(length: number): void {
  if (length > live.machine.limits.stringLength) throw limitStop('stringLength', live.machine.limits.stringLength)
  if ((live.memory -= length + 24) < 0) outOfMemory()
  burnCopy(length)
}

/** V8 allocates texts of this length and more in large-object space, which is slower. */
const LARGE_TEXT = 65_536

/** Spends the cost of copying that many characters. */
export function burnCopy(length: number): void {
  if ((live.fuel -= length < LARGE_TEXT ? length >> 2 : length >> 1) < 0) live.machine.refuel()
}

/** Notes that a long text of this length is made. */
export function noteText(length: number): void {
  const grown = live.texts.noteMade(length)
  if (grown > 0) charge(grown)
}

/** Charges bytes and fuel for a list that is about to be made. */
export function chargeList(length: number): void {
  if (length > live.machine.limits.arrayLength) throw limitStop('arrayLength', live.machine.limits.arrayLength)
  if ((live.memory -= 48 + length * 16) < 0) outOfMemory()
  if ((live.fuel -= length << 4) < 0) live.machine.refuel()
}
