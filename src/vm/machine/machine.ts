import { afterTurn, systemClock, utf8Bytes } from '../../core/index.ts'
import type { Clock, Json, Outcome } from '../../core/index.ts'
import { exportResult, exportWithText } from '../border/export.ts'
import { importValue } from '../border/import.ts'
import type { FunctionCode } from '../compile/code.ts'
import type { Compiled } from '../compile/compile.ts'
import type { BuiltinTable } from '../value/builtin-table.ts'
import { COST } from '../meter/cost.ts'
import { NO_WALL_MS, vmLimits } from '../meter/limits.ts'
import type { FuelPool, VmLimits } from '../meter/limits.ts'
import { burn, live } from '../meter/live.ts'
import type { LabelTracking, Live, MachinePart } from '../meter/live.ts'
import { Stop, limitStop } from '../meter/stop.ts'
import type { RequestPort, SendingPort, VmRequest } from '../port.ts'
import type { Guest } from '../value/guest.ts'
import type { Box } from '../value/guest-function.ts'
import { GuestPromise, PENDING, REJECTED } from '../value/guest-promise.ts'
import { SymbolRegistry } from '../value/symbols.ts'
import { carry } from '../value/thrown.ts'
import { Activation } from './activation.ts'
import { MachineState } from './machine-state.ts'
import { newFrame } from './frame.ts'
import { drawsFrom, seededNumbers } from './random-draws.ts'
import type { Draw } from './random-draws.ts'
import { drive } from './driver.ts'
import { invoke } from './invoke.ts'
import { liveBytes } from './heap-size.ts'
import { toVmError } from './result.ts'
import type { VmError, VmResult } from './result.ts'
import type { TraceLog } from './trace-log.ts'
import { PendingWork } from './waits.ts'

export interface MachineOptions {
  /** Plain data; it is copied, so the program cannot change it. */
  readonly args?: unknown
  readonly limits?: Partial<VmLimits> | undefined
  /** A shared fuel pool, used within the machine's own limit. */
  readonly pool?: FuelPool | undefined
  readonly port?: RequestPort | SendingPort | undefined
  readonly clock?: Clock | undefined
  /** The time that programs see; the clock by default. */
  readonly now?: (() => number) | undefined
  /** Numbers from 0 up to 1; from a fixed seed by default, so that executions are equal. */
  readonly random?: (() => number) | undefined
  /** Replaces `random` when several machines share one source. */
  readonly draw?: Draw | undefined
  readonly onPrint?: ((level: string, text: string) => void) | undefined
  /** Labels of the arguments, for a program compiled to track labels. */
  readonly argsLabels?: readonly string[] | undefined
  /** State that the program shares with others in a session. */
  readonly session?: MachineSession | undefined
}

/** State of a session: taken over from earlier executions and left to later ones. */
interface MachineSession {
  /** The boxes of the shared variables that the program uses, in the order of `Compiled.captured`. */
  readonly boxes: readonly Box[]
  /** The functions of all programs whose values may be met. */
  readonly codes: readonly FunctionCode[]
  /** Labels that were met before, and those of unknown writes. */
  readonly labelNames: readonly string[]
  readonly floor: number
  readonly symbols: SymbolRegistry
  /** Performs synchronous functions of the host. */
  call(name: string, args: Guest[]): Guest
}

const WARNINGS_MAX = 100
/** Time after which a computing program yields to the event loop. */
const TURN_MS = 4

/** Maximum computing time where the program cannot yield. */
const UNBROKEN_MS = 5_000
const GAP_MS = 250
const UNBROKEN = `A constructor, a getter, an iterator or a conversion to text has computed for ${UNBROKEN_MS / 1000} s, and nothing can interrupt these. Look for an endless loop there, or move the work into a function that is called.`

/** One execution of a program. */
export class Machine implements MachinePart {
  readonly compiled: Compiled
  readonly limits: VmLimits
  readonly builtins: BuiltinTable
  readonly scratch: Map<string, Guest> = new Map()
  readonly warnings: string[] = []
  readonly symbols: SymbolRegistry
  readonly callUnits: Map<number, number> = new Map()
  args: Guest = undefined
  nativeDepth = 0
  /** @internal The state of the execution. */
  readonly state: MachineState
  readonly flow: LabelTracking | undefined
  /** @internal Pending requests and jobs. */
  readonly waiting: PendingWork
  readonly #options: MachineOptions
  readonly #clock: Clock
  #draw: Draw | undefined
  readonly traceLog: TraceLog | undefined
  #yields = 0
  #printed = 0
  /** Undefined until the first check of the clock: most turns are too short for one. */
  #turnStart: number | undefined
  /** The last check of the clock in this turn, and how long the program has computed since the turn began. */
  #checkedAt: number | undefined
  #unbrokenMs = 0
  #deadline = Number.POSITIVE_INFINITY
  /** When the first outcome arrived in this turn of the event loop. */
  #arrivals: number | undefined
  #isResting = false
  #isRunning = false
  #isStarted = false
  #aborted: () => boolean = () => false
  #result: VmResult | undefined
  #onEnd: ((result: VmResult) => void)[] = []
  #cancelTimer: (() => void) | undefined

  constructor(compiled: Compiled, options: MachineOptions = {}) {
    this.compiled = compiled
    this.builtins = compiled.builtins
    this.limits = vmLimits(options.limits)
    this.symbols = options.session?.symbols ?? new SymbolRegistry()
    this.flow = compiled.labels?.track(options.session?.codes ?? compiled.codes)
    this.#options = options
    this.#clock = options.clock ?? systemClock
    this.state = new MachineState(this.limits, options.pool)
    this.waiting = new PendingWork(this, options.port, () => this.#arrived())
    this.traceLog = compiled.tracing?.log(this.limits.traceEntries, this.limits.outputBytes)
    if (options.session !== undefined) this.#takeOver(options.session)
  }

  #takeOver({ labelNames, floor }: MachineSession): void {
    this.state.floor = floor
    this.state.isLabelled = labelNames.length > 0
    this.flow?.names.push(...labelNames)
  }

  get result(): VmResult | undefined {
    return this.#result
  }

  /** Requests that wait for an outcome, in the order of issue. */
  get pending(): readonly VmRequest[] {
    return this.waiting.pending.all().map(({ request }) => request)
  }

  /** Runs the program to its end, performing its requests through the port. */
  run(signal?: AbortSignal): Promise<VmResult> {
    const ended = this.ended()
    this.#listen(signal)
    this.start()
    return ended
  }

  /** Resolves with the result. */
  ended(): Promise<VmResult> {
    if (this.#result !== undefined) return Promise.resolve(this.#result)
    return new Promise((resolve) => this.#onEnd.push(resolve))
  }

  /** Whether the program only waits for outcomes. */
  get isWaiting(): boolean {
    if (!this.#isStarted || this.#isRunning || this.#result !== undefined || this.state.current !== null) return false
    return !this.waiting.hasJobs && !this.waiting.hasNews
  }

  /** Resolves when the program waits for outcomes, or has ended. */
  async idle(): Promise<void> {
    while (this.#isStarted && this.#result === undefined && !this.isWaiting)
      await new Promise<void>((resolve) => afterTurn(resolve))
  }

  /** Starts the execution. */
  start(): void {
    if (this.#isStarted) return
    this.#isStarted = true
    this.#deadline = this.#clock.now() + this.limits.wallMs
    if (this.#result !== undefined) return
    this.#pump()
  }

  /** Ends the execution from outside. No code of the program runs afterwards. */
  stop(error: Stop): void {
    if (this.#result === undefined) this.#end(undefined, error.reason)
  }

  /** Delivers the outcome of a request. Outcomes reach the program one at a time, when it is idle; unknown ids and late outcomes are ignored. */
  resolve(id: number, outcome: Outcome): void {
    if (this.#result === undefined) this.waiting.arrive(id, outcome)
  }

  #listen(signal: AbortSignal | undefined): void {
    if (signal === undefined) return
    const cancel = (): void => this.stop(new Stop({ code: 'CANCELLED', message: 'The run was cancelled.' }))
    if (signal.aborted) return cancel()
    signal.addEventListener('abort', cancel, { once: true })
    this.#onEnd.push(() => signal.removeEventListener('abort', cancel))
    this.#aborted = () => signal.aborted
  }

  #begin(): void {
    const { main } = this.compiled
    this.args = importValue(this.#options.args ?? {})
    this.flow?.importLabels(undefined, this.#options.argsLabels ?? [], this.args)
    main.resumable()
    const promise = new GuestPromise()
    promise.isHandled = true
    this.state.main = promise
    burn(main.cost)
    this.state.current = new Activation(
      main,
      newFrame(main.resumableSlots, this.#options.session?.boxes ?? []),
      null,
      promise,
    )
  }

  /** @internal Runs work on values of this machine with its counters in the registers, then restores the previous machine. */
  within<T>(work: () => T): T {
    const before = this.#enter()
    try {
      return work()
    } finally {
      this.#leave(before)
    }
  }

  #enter(): Live | undefined {
    const before: Live | undefined = live.machine === undefined ? undefined : { ...live }
    this.state.load(this)
    return before
  }

  #leave(before: Live | undefined): void {
    this.state.store()
    if (before === undefined) live.machine = undefined as never
    else Object.assign(live, before)
  }

  /** Runs the program until it waits, yields or ends. */
  #pump(): void {
    if (this.#isRunning || this.#result !== undefined || !this.#isStarted) return
    this.#isRunning = true
    this.#turnStart = undefined
    this.#checkedAt = undefined
    this.#unbrokenMs = 0
    let isIdle = false
    let failure: unknown
    const before = this.#enter()
    try {
      isIdle = this.#advance()
    } catch (error) {
      failure = error
    }
    this.#leave(before)
    this.#isRunning = false
    if (failure !== undefined) return this.#end(undefined, this.#told(failure))
    if (this.#result !== undefined) return
    if (isIdle) return this.#settleIdle()
    this.#yields += 1
    afterTurn(() => this.#pump())
  }

  /**
   * Called when an outcome arrives. Outcomes in microtasks can follow each other without a turn of the event loop, so after
   * `TURN_MS` the program yields, to let timers and aborts run.
   */
  #arrived(): void {
    if (this.#isRunning || this.#isResting) return
    const now = this.#clock.now()
    if (this.#arrivals === undefined) {
      this.#arrivals = now
      afterTurn(() => (this.#arrivals = undefined))
    } else if (now - this.#arrivals >= TURN_MS) {
      this.#isResting = true
      afterTurn(() => {
        this.#isResting = false
        this.#pump()
      })
      return
    }
    this.#pump()
  }

  #advance(): boolean {
    if (this.state.main === undefined) this.#begin()
    let isIdle = false
    do isIdle = this.#turn()
    while (isIdle && this.#result === undefined && this.waiting.goOn())
    return isIdle
  }

  /** Runs activations and jobs; `false` to yield to the event loop first. */
  #turn(): boolean {
    const { state } = this
    for (;;) {
      if (state.current !== null) {
        state.current = drive(state.current)
        if (this.#isLow()) this.#reclaim()
        if (state.current !== null) return false
      }
      const job = this.waiting.nextJob()
      if (job === undefined) return true
      burn(COST.call)
      job.waiter.settled(job.promise)
      if (job.waiter instanceof Activation) state.current = job.waiter
      else if (job.waiter.begun !== undefined) state.current = job.waiter.begun
      if (live.overdue && this.shouldYield()) return false
    }
  }

  /** Whether calls of a cell are unfinished. They must end before the cell does, because its variables may hold their results. */
  get #isOwed(): boolean {
    return this.#options.session !== undefined && this.waiting.unfinished().length > 0
  }

  #settleIdle(): void {
    const { main } = this.state
    if (main !== undefined && main.state !== PENDING && !this.#isOwed) return this.#finish(main)
    if (this.waiting.pending.size > 0) this.#armTimer()
    else this.#end(undefined, this.waiting.stuck())
  }

  /** Only a waiting program needs a timer: computing checks the clock itself. */
  #armTimer(): void {
    if (this.#cancelTimer !== undefined) return
    const left = Math.max(0, this.#deadline - this.#clock.now())
    this.#cancelTimer = this.#clock.timer(left, () => this.stop(limitStop('wallMs', this.limits.wallMs)))
  }

  #finish(main: GuestPromise): void {
    let ended: { readonly value?: Json | undefined; readonly shown?: string }
    let labels: VmResult['labels']
    try {
      ended = this.within(() => {
        if (this.state.reserve + live.fuel < 0) throw limitStop('fuel', this.limits.fuel)
        if (main.state === REJECTED) throw carry(main.value)
        if (this.flow !== undefined) labels = this.flow.exportLabels(main.value, main.label)
        if (main.value === undefined) return {}
        return this.#options.session === undefined ? { value: exportResult(main.value) } : exportWithText(main.value)
      })
    } catch (error) {
      return this.#end(undefined, this.#told(error))
    }
    for (const message of this.waiting.leftovers()) this.warn(message)
    this.#end(ended.value, undefined, { labels, shown: ended.shown })
  }

  #told(error: unknown): VmError {
    if (error instanceof RangeError && /call stack/i.test(error.message))
      return limitStop('callDepth', 0, 'The host stack is too small').reason
    return this.within(() => toVmError(error))
  }

  #end(value: Json | undefined, error: VmError | undefined, more: Pick<VmResult, 'labels' | 'shown'> = {}): void {
    const { state } = this
    const { labels, shown } = more
    // Stopped from outside while running: the counters are still in the registers.
    if (live.machine === this) state.store()
    state.settlePool()
    this.#cancelTimer?.()
    this.#result = Object.freeze({
      result: value,
      ...(error !== undefined && { error }),
      ...(labels !== undefined && { labels }),
      ...(shown !== undefined && { shown }),
      fuelUsed: state.fuelUsed,
      memoryPeak: state.memoryPeak,
      stats: Object.freeze({
        requests: state.nextId - 1,
        jobs: state.jobCount,
        yields: this.#yields,
        traceDropped: this.traceLog?.dropped ?? 0,
      }),
      ...(this.traceLog !== undefined && { trace: this.traceLog.entries }),
      warnings: this.warnings,
    })
    state.clear()
    this.waiting.close()
    for (const tell of this.#onEnd.splice(0)) tell(this.#result)
  }

  refuel(): void {
    this.state.refuel()
    this.#check()
    live.overdue = true
  }

  #check(): void {
    const now = this.#clock.now()
    if (now >= this.#deadline) throw limitStop('wallMs', this.limits.wallMs)
    this.#checkUnbroken(now)
    if (this.#aborted()) throw new Stop({ code: 'CANCELLED', message: 'The run was cancelled.' })
  }

  /**
   * Stops a program that computes too long without yielding. Without a wall time only a signal ends it, and the process receives signals only when the
   * program yields. A long gap between two checks means that the process was paused.
   */
  #checkUnbroken(now: number): void {
    if (this.limits.wallMs < NO_WALL_MS) return
    this.#unbrokenMs += Math.min(now - (this.#checkedAt ?? now), GAP_MS)
    this.#checkedAt = now
    if (this.#unbrokenMs >= UNBROKEN_MS) throw new Stop({ code: 'TIMEOUT', message: UNBROKEN })
  }

  shouldYield(): boolean {
    live.overdue = false
    if (this.nativeDepth > 0) return false
    const now = this.#clock.now()
    this.#turnStart ??= now
    return now - this.#turnStart >= TURN_MS || this.#isLow()
  }

  #isLow(): boolean {
    return live.memory < this.limits.memoryBytes / 2 && live.memory < this.state.reclaimAt
  }

  /** Recounts the live heap when memory runs low. */
  #reclaim(): void {
    const { limits, state } = this
    state.notePeak(limits.memoryBytes - live.memory)
    const held = liveBytes(state.roots(this), { texts: state.texts, spend: (visits) => this.#spendOnCount(visits) })
    burn(held >> 4)
    live.memory = limits.memoryBytes - held
    // A recount costs time proportional to the heap, so the next one waits until memory is low again.
    state.reclaimAt = live.memory - Math.max(limits.memoryBytes / 16, Math.min(live.memory * 0.75, held / 2))
    if (live.memory < 0) throw limitStop('memoryBytes', limits.memoryBytes)
  }

  /** Charges fuel for a recount as it proceeds, and checks the deadline. */
  #spendOnCount(visits: number): void {
    burn(visits)
    this.#check()
  }

  invoke(target: Guest, args: Guest[], self?: Guest): Guest {
    return invoke(target, args, self)
  }

  print(level: string, text: string): void {
    this.#printed += utf8Bytes(text)
    if (this.#printed > this.limits.outputBytes) throw limitStop('outputBytes', this.limits.outputBytes)
    this.#options.onPrint?.(level, text)
  }

  callHost(name: string, args: Guest[]): Guest {
    return this.#options.session?.call(name, args)
  }

  warn(message: string): void {
    if (this.warnings.length < WARNINGS_MAX) this.warnings.push(message)
  }

  now(): number {
    return this.#options.now?.() ?? this.#clock.now()
  }

  random(): number {
    const { draw, random } = this.#options
    this.#draw ??= draw ?? drawsFrom(random ?? seededNumbers(this.compiled.program.name ?? 'program'))
    return this.#draw(this.flow?.pcLabels() ?? [])
  }

  unitsUsedNow(): number {
    return this.state.unitsUsedNow
  }
}

/** Creates an execution of a program. It runs once. */
export function createMachine(compiled: Compiled, options: MachineOptions = {}): Machine {
  return new Machine(compiled, options)
}
