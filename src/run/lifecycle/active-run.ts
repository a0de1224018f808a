import { MandateError } from '../../core/index.ts'
import { redactJson } from '../../redact/index.ts'
import type { ErrorInfo, Json, RunLimits } from '../../core/index.ts'
import type { Redactor } from '../../redact/index.ts'
import type { Budget, Effect, Gate, Mandate, Oversight, Reservation } from '../../gate/index.ts'
import type { EmittedData, JournalWriter, Lease, RunFold, RunStartData } from '../../journal/index.ts'
import type { ActiveRunParts } from './active-run-parts.ts'
import { Alarm } from './alarm.ts'
import { Calls } from './calls-in-flight.ts'
import { Computed } from '../mind/computed.ts'
import { DeliveryQueue } from '../mind/delivery.ts'
import type { Place } from '../mind/delivery.ts'
import { EndOrder } from '../mind/end-order.ts'
import type { KernelHost } from '../kernel/host.ts'
import type { Mind } from '../mind/mind.ts'
import type { Recalled } from './prior-interruptions.ts'
import type { Resources } from '../kernel/resources.ts'
import { owedBy } from '../nested/due-checks.ts'
import type { ParkedEffect, RunOutcome } from './run-outcome.ts'
import { RunTime } from './run-time.ts'
import { ShownLabels } from '../mind/shown-labels.ts'
import { PendingEntries } from '../mind/pending-entries.ts'
import { Slots } from '../effect/slots.ts'
import type { Vault } from '../vault/vault.ts'

/** One run while it is in this process: what its parts share. It sequences nothing and decides nothing. */
export class ActiveRun {
  readonly id: string
  readonly host: KernelHost
  readonly mind: Mind
  readonly fold: RunFold
  readonly start: RunStartData
  /** The run that started this one, when it is in this process. */
  readonly parent: ActiveRun | undefined
  readonly rootId: string
  /** The child runs that count in this one's budget, as this process last knew them. */
  readonly children: Map<string, ActiveRun>
  readonly oversight: Oversight | undefined
  readonly performAside: (key: string, effect: Effect) => Promise<void>
  readonly budget: Budget
  readonly gate: Gate
  readonly mandates: readonly Mandate[]
  readonly limits: RunLimits
  readonly redactor: Redactor
  readonly vault: Vault | undefined
  readonly recalled: Recalled
  readonly resources: { -readonly [R in keyof Resources]: Resources[R] }
  readonly delivery: DeliveryQueue
  readonly slots: Slots
  readonly pendingEntries: PendingEntries = new PendingEntries(this)
  readonly shown: ShownLabels
  readonly calls: Calls = new Calls()
  readonly parked: Map<string, ParkedEffect> = new Map()
  /** Every key the mind has asked for. */
  readonly asked: Set<string> = new Set()
  /** Claims on the budget by effects that have started and not ended, those of an earlier process included. */
  readonly reservations: Map<string, Reservation>
  readonly done: Promise<RunOutcome>
  /** Pending steering messages, with their signals. */
  readonly steers: { readonly id: string; readonly message: Json }[] = []
  /** The order in which parallel calls end, where that shall not depend on how long they take. */
  readonly order: EndOrder | undefined
  #active = 0
  toolCalls = 0
  /** Steps of this run, counted again by every re-execution; `stepsCounted` of them are in the budget already. */
  steps = 0
  readonly stepsCounted: number
  readonly computed: Computed
  /** New effects are held back: the process wants to stop. */
  interrupted = false
  /** Rings when what is in flight shall not be waited for either, beyond its grace. */
  readonly interruption: Alarm = new Alarm()
  /** Why the run cannot go on here, once what is in flight has ended. */
  broken: unknown
  /** Why the journal of a child cannot be written. */
  diskError: ErrorInfo | undefined
  /** The keys of what calls have written to stores by themselves, by the keys of the calls. */
  writes: Map<string, string[]> | undefined
  ended = false
  readonly time: RunTime
  readonly #writer: JournalWriter | undefined
  readonly #lease: Lease | undefined
  readonly #closers = new Set<() => void>()
  readonly #abort = new AbortController()
  readonly #cuts = new Alarm()
  #dropped = false
  #queued = 0
  #quiet: PromiseWithResolvers<void> | undefined
  readonly #outcome: PromiseWithResolvers<RunOutcome> = Promise.withResolvers()
  onIdle: () => void = () => {}
  /** Takes what lies in the inbox. */
  readInbox: () => Promise<void> = async () => {}
  /** The requests that this owner takes back, because their calls need no answer any more. */
  withdrawn: Set<number> | undefined
  /** Approvals of other runs under which this one has made calls, by their ids. */
  cited: Set<string> | undefined
  onStall: (key: string) => void = () => {}
  /** A replayed mind asks for something that its journal does not have. */
  onExtra: (key: string, what: Effect | string) => void = () => {}
  /** A replayed mind consults a strategy whose decision its journal does not have. */
  onUndecided: (key: string) => void = () => {}

  constructor(id: string, parts: ActiveRunParts) {
    this.id = id
    this.host = parts.host
    this.mind = parts.mind
    this.fold = parts.fold
    this.start = parts.fold.start!
    this.shown = new ShownLabels(this.start.labels)
    this.budget = parts.budget
    this.gate = parts.gate
    this.oversight = parts.oversight
    this.performAside = async (key, effect) => parts.performAside?.(this, key, effect)
    this.mandates = parts.mandates
    this.rootId = parts.parent?.rootId ?? id
    this.parent = parts.parent
    this.limits = parts.limits
    this.redactor = parts.redactor
    this.vault = parts.vault
    this.recalled = parts.recalled
    this.resources = { ...parts.resources }
    this.children = parts.earlier?.children ?? new Map()
    this.reservations = parts.earlier?.reservations ?? new Map()
    this.stepsCounted = parts.earlier?.steps ?? 0
    this.computed = new Computed(parts.earlier?.computed.counted)
    this.#writer = parts.writer
    this.#lease = parts.lease
    this.time = new RunTime(parts.host.clock, parts.fold.activeMs)
    this.order = parts.host.sources === undefined ? undefined : new EndOrder(() => this.#active)
    this.slots = new Slots(parts.limits.parallel, this.order)
    for (const { start, attempts } of parts.fold.effects.values())
      if (start?.data.kind === 'tool') this.toolCalls += 1 + attempts
    this.delivery = new DeliveryQueue(owedBy(parts.fold), parts.fold.startedAt, {
      onIdle: () => this.onIdle(),
      awaitsIdle: () => this.isReplay || this.interrupted || this.parked.size > 0 || this.#quiet !== undefined,
      isWaiting: () => this.active > 0 || this.parked.size > 0,
      onStall: (next) => this.onStall(next.key),
    })
    this.done = this.#outcome.promise
    // It may fail before anyone has come to wait for it.
    this.done.catch(() => {})
  }

  /** Effects between their request and their delivery, those parked apart. */
  get active(): number {
    return this.#active
  }

  set active(count: number) {
    this.#active = count
    this.order?.look()
  }

  get signal(): AbortSignal {
    return this.#abort.signal
  }

  /** Re-executes a journal and performs nothing: there is nothing to write to. */
  get isReplay(): boolean {
    return this.#writer === undefined
  }

  get writer(): JournalWriter {
    if (this.#writer === undefined) throw new MandateError('INTERNAL', 'A replay never writes.')
    return this.#writer
  }

  get lease(): Lease {
    if (this.#lease === undefined) throw new MandateError('INTERNAL', 'A replay holds no lease.')
    return this.#lease
  }

  /** Calls `stop` when the run leaves this process, unless the returned function has been called before. */
  onClose(stop: () => void): () => void {
    this.#closers.add(stop)
    return () => {
      this.#closers.delete(stop)
      stop()
    }
  }

  /** The time of all segments, this one included. */
  activeMs(): number {
    return this.time.activeMs
  }

  /** The same for entries: what a crash would otherwise make forgotten, where a limit depends on it. */
  stamp(): { readonly activeMs?: number } {
    return this.budget.isLimited('timeMs') ? { activeMs: this.activeMs() } : {}
  }

  /** Cuts everything in flight. What is asked for afterwards is answered as cancelled. */
  abort(reason: unknown): void {
    if (this.#abort.signal.aborted) return
    this.#abort.abort(reason)
    this.#cuts.ring()
    for (const parked of [...this.parked.values()]) parked.release('cancelled')
  }

  /** Calls back once when everything is cut, unless the returned function has been called before. The signal says the same, at several times the price. */
  onAbort(cut: () => void): () => void {
    return this.#cuts.on(cut)
  }

  /** Why the run is being taken down, once it is. */
  get abortReason(): MandateError | undefined {
    return this.#abort.signal.aborted ? (this.#abort.signal.reason as MandateError) : undefined
  }

  park(parked: ParkedEffect): void {
    this.active -= 1
    this.parked.set(parked.key, parked)
    if (this.signal.aborted) parked.release('cancelled')
    else this.delivery.pump()
  }

  /** Hands an outcome to the mind in its turn; one that comes after the mind was dropped is only counted. */
  deliver(place: Place, give: () => void): void {
    if (this.#dropped) {
      this.active -= 1
      this.checkQuiet()
      return
    }
    this.#queued += 1
    this.delivery.fill(place, () => {
      this.#queued -= 1
      this.active -= 1
      give()
    })
  }

  /** The mind is over, or shall not hear of anything any more. */
  dropMind(): void {
    this.#dropped = true
    this.delivery.close()
    // What was queued for it will not be given, so it no longer counts as on its way.
    this.active -= this.#queued
    this.#queued = 0
    this.checkQuiet()
  }

  /** Resolves when nothing is in flight or parked: only then may the last entry be written. */
  whenQuiet(): Promise<void> {
    this.#quiet ??= Promise.withResolvers()
    this.checkQuiet()
    return this.#quiet.promise
  }

  checkQuiet(): void {
    if (this.active === 0 && this.parked.size === 0) this.#quiet?.resolve()
  }

  unpark(key: string): void {
    if (this.parked.delete(key)) this.active += 1
  }

  /** Whether anyone listens to events of this type. */
  wants(type: string): boolean {
    return this.host.events.wants(type, this.id)
  }

  emit<T extends string>(type: T, data: EmittedData<T>, key?: string): void {
    if (!this.wants(type)) return
    // Every known event is plain data; interfaces have no index signature by which a compiler could see it.
    this.tell(type, redactJson(data as Json, this.redactor), key)
  }

  /** The same for what has passed the run's redaction already. */
  tell(type: string, data: Json, key?: string): void {
    if (!this.wants(type)) return
    const { events, clock } = this.host
    const { sessionId, name: agentId } = this.start
    const at = this.order === undefined ? clock.now() : this.fold.lastAt
    events.emit({ v: 1, type, at, runId: this.id, sessionId, agentId, key, data })
  }

  finish(outcome: RunOutcome): void {
    this.close()
    this.#outcome.resolve(outcome)
  }

  /** An unexpected internal error. If the journal failed, the writer's failure handling ends the segment already. */
  failUnlessLost(error: unknown): void {
    if (this.writer.failure === undefined) this.fail(error)
  }

  /** The run cannot continue in this process, and nothing more may be written to its journal. */
  fail(error: unknown): void {
    this.close()
    this.#outcome.reject(error)
  }

  /** From here on, requests of the mind are ignored and nothing is written for it. */
  close(): void {
    this.ended = true
    this.delivery.close()
    for (const stop of this.#closers) stop()
    this.#closers.clear()
  }
}
