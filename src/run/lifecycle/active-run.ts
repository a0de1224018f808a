import { MandateError } from '../../core/index.ts'
import { redactJson } from '../../redact/index.ts'
import type { ErrorInfo, Json, RunLimits } from '../../core/index.ts'
import type { Redactor } from '../../redact/index.ts'
import type { Budget, Effect, Gate, Mandate, Oversight, Reservation } from '../../gate/index.ts'
import type { EmittedData, JournalWriter, Lease, RunFold, RunStartData } from '../../journal/index.ts'
import type { ActiveRunParts } from './active-run-parts.ts'
import { OneShotEvent } from './one-shot.ts'
import { Calls } from './calls-in-flight.ts'
import { Computed } from '../mind/fuel.ts'
import { DeliveryQueue } from '../mind/delivery.ts'
import type { Place } from '../mind/delivery.ts'
import { EndOrder } from '../mind/end-order.ts'
import type { KernelHost } from '../kernel/host.ts'
import type { Mind } from '../mind/mind.ts'
import type { PriorInterruptions } from './prior-interruptions.ts'
import type { Resources } from '../kernel/resources.ts'
import { requestedDeliveries } from '../nested/nested-keys.ts'
import type { ParkedEffect, RunOutcome } from './run-outcome.ts'
import { RunTime } from './run-time.ts'
import { ShownLabels } from '../mind/shown-labels.ts'
import { PendingEntries } from '../mind/pending-entries.ts'
import { Slots } from '../effect/slots.ts'
import type { Vault } from '../vault/vault.ts'

/** The shared state of one run in this process. It contains no sequencing and no decisions. */
export class ActiveRun {
  readonly id: string
  readonly host: KernelHost
  readonly mind: Mind
  readonly fold: RunFold
  readonly start: RunStartData
  /** The parent run, if it is in this process. */
  readonly parent: ActiveRun | undefined
  readonly rootId: string
  /** The child runs that draw on this run's budget, as last known to this process. */
  readonly children: Map<string, ActiveRun>
  readonly oversight: Oversight | undefined
  readonly performAside: (key: string, effect: Effect) => Promise<void>
  readonly budget: Budget
  readonly gate: Gate
  readonly mandates: readonly Mandate[]
  readonly limits: RunLimits
  readonly redactor: Redactor
  readonly vault: Vault | undefined
  readonly prior: PriorInterruptions
  readonly resources: { -readonly [R in keyof Resources]: Resources[R] }
  readonly delivery: DeliveryQueue
  readonly slots: Slots
  readonly pendingEntries: PendingEntries = new PendingEntries(this)
  readonly shown: ShownLabels
  readonly calls: Calls = new Calls()
  readonly parked: Map<string, ParkedEffect> = new Map()
  /** Every key that the mind has requested. */
  readonly asked: Set<string> = new Set()
  /** Budget reservations of effects that have started and not ended, including those of an earlier process. */
  readonly reservations: Map<string, Reservation>
  readonly done: Promise<RunOutcome>
  /** Pending steering messages, with the ids of their signals. */
  readonly steers: { readonly id: string; readonly message: Json }[] = []
  /** Fixes the order in which parallel calls end, where it must not depend on their duration. */
  readonly order: EndOrder | undefined
  #active = 0
  toolCalls = 0
  /** The steps of this run, counted again by every re-execution; `stepsCounted` of them are already in the budget. */
  steps = 0
  readonly stepsCounted: number
  readonly computed: Computed
  /** New effects are held back because the process is stopping. */
  interrupted = false
  /** Fires when effects in flight are to be interrupted after their grace period. */
  readonly interruption: OneShotEvent = new OneShotEvent()
  /** The error because of which the run cannot continue here, once effects in flight have ended. */
  broken: unknown
  /** Why the journal of a child cannot be written. */
  diskError: ErrorInfo | undefined
  /** The keys of the writes that calls have made to stores, by the keys of the calls. */
  writes: Map<string, string[]> | undefined
  ended = false
  readonly time: RunTime
  readonly #writer: JournalWriter | undefined
  readonly #lease: Lease | undefined
  readonly #closers = new Set<() => void>()
  readonly #abort = new AbortController()
  readonly #cuts = new OneShotEvent()
  #dropped = false
  #queued = 0
  #quiet: PromiseWithResolvers<void> | undefined
  readonly #outcome: PromiseWithResolvers<RunOutcome> = Promise.withResolvers()
  onIdle: () => void = () => {}
  /** Reads the inbox and folds its signals into the journal. */
  readInbox: () => Promise<void> = async () => {}
  /** The requests that this owner withdraws because their calls no longer need an answer. */
  withdrawn: Set<number> | undefined
  /** The ids of other runs' approvals under which this run has made calls. */
  cited: Set<string> | undefined
  onStall: (key: string) => void = () => {}
  /** Called when a replayed mind requests something that its journal does not have. */
  onExtra: (key: string, what: Effect | string) => void = () => {}
  /** Called when a replayed mind asks a strategy whose decision its journal does not have. */
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
    this.rootId = parts.rootId
    this.parent = parts.parent
    this.limits = parts.limits
    this.redactor = parts.redactor
    this.vault = parts.vault
    this.prior = parts.prior
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
    this.delivery = new DeliveryQueue(requestedDeliveries(parts.fold), parts.fold.startedAt, {
      onIdle: () => this.onIdle(),
      awaitsIdle: () => this.isReplay || this.interrupted || this.parked.size > 0 || this.#quiet !== undefined,
      isWaiting: () => this.active > 0 || this.parked.size > 0,
      onStall: (next) => this.onStall(next.key),
    })
    this.done = this.#outcome.promise
    // It may reject before anything awaits it.
    this.done.catch(() => {})
  }

  /** The number of effects between request and delivery, without those that are parked. */
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

  /** A replay re-executes a journal and performs nothing, so it has no writer. */
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

  /** The active time of all segments, including this one. */
  activeMs(): number {
    return this.time.activeMs
  }

  /** The active time as a member of entries, where a limit depends on it: after a crash it is known only from there. */
  stamp(): { readonly activeMs?: number } {
    return this.budget.isLimited('timeMs') ? { activeMs: this.activeMs() } : {}
  }

  /** Aborts everything in flight. Effects requested afterwards end as cancelled. */
  abort(reason: unknown): void {
    if (this.#abort.signal.aborted) return
    this.#abort.abort(reason)
    this.#cuts.fire()
    for (const parked of [...this.parked.values()]) parked.release('cancelled')
  }

  /** Calls back once when the run is aborted, unless the returned function has been called before. Cheaper than a listener on the `AbortSignal`. */
  onAbort(cut: () => void): () => void {
    return this.#cuts.on(cut)
  }

  /** Why the run was aborted, once it was. */
  get abortReason(): MandateError | undefined {
    return this.#abort.signal.aborted ? (this.#abort.signal.reason as MandateError) : undefined
  }

  park(parked: ParkedEffect): void {
    this.active -= 1
    this.parked.set(parked.key, parked)
    if (this.signal.aborted) parked.release('cancelled')
    else this.delivery.pump()
  }

  /** Delivers an outcome to the mind in its turn; one that arrives after the mind was dropped is only counted. */
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

  /** Stops delivering to the mind, because it has finished or was dropped. */
  dropMind(): void {
    this.#dropped = true
    this.delivery.close()
    // Its queued outcomes will not be delivered, so they no longer count as active.
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

  /** Whether there is a listener for events of this type. */
  wants(type: string): boolean {
    return this.host.events.wants(type, this.id)
  }

  emit<T extends string>(type: T, data: EmittedData<T>, key?: string): void {
    if (!this.wants(type)) return
    // Every known event is plain data, but interfaces have no index signature that would show it to the compiler.
    this.tell(type, redactJson(data as Json, this.redactor), key)
  }

  /** The same for data that is already redacted. */
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

  /** Fails the run after an unexpected internal error. If the journal failed, the writer's failure handling has already ended the segment. */
  failUnlessLost(error: unknown): void {
    if (this.writer.failure === undefined) this.fail(error)
  }

  /** Ends the segment with an error: nothing more is written to the journal. */
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
