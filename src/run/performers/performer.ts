import type { ErrorInfo, Json, Label, RunLimits } from '../../core/index.ts'
import type { Effect, EffectFacts } from '../../gate/index.ts'
import type { EffectKind, EmittedData, Identity, PendingItem, Spend, SuspendReason } from '../../journal/index.ts'
import type { ActiveRun } from '../lifecycle/active-run.ts'

/** What a performer of the host may know of the run it works for. It is a frozen copy: nothing of the run can be changed through it. */
export interface PerformerRun {
  readonly id: string
  /** The run that the whole tree began with. */
  readonly rootId: string
  readonly sessionId: string | undefined
  readonly identity: Identity
  /** How many runs are above this one. */
  readonly depth: number
  readonly limits: Readonly<RunLimits>
}

/** One attempt at carrying out an allowed effect, for a performer that sees the run as `R`. */
interface PerformCallOf<R> {
  readonly run: R
  readonly key: string
  readonly effect: Effect
  /** What shall really be done: the input after guards and approvers. */
  readonly input: Json
  readonly signal: AbortSignal
  /** The same for every attempt, also in another process after a crash. */
  readonly idempotencyKey: string
  /** From 1 up. */
  readonly attempt: number
  readonly deadline: number
  /** Tells listeners; nothing of it is stored. Text passes the run's redaction. */
  emit<T extends string>(type: T, data: EmittedData<T>): void
}

/** What a performer gives: the value of an effect, and what it used. */
export interface Performed {
  readonly value: unknown
  /** What a model reads instead of the value. */
  readonly shown?: unknown
  readonly spent?: Spend | undefined
  readonly labels?: readonly Label[] | undefined
  readonly meta?: Json | undefined
  /** The spend is already counted in the budget tree, by a child run that draws on it. */
  readonly counted?: boolean | undefined
  /** It was carried out and came to nothing: the outcome is a failure, with what it spent. */
  readonly failure?: ErrorInfo | undefined
}

/** It cannot go on now: the effect is parked until something else happens. */
export interface Parked {
  readonly parked: SuspendReason
  readonly pending: readonly PendingItem[]
  readonly wakeAt?: number | undefined
  /** Calls back when it may be worth trying again. */
  readonly wake: (again: () => void) => () => void
}

export type Reconciliation =
  | { readonly status: 'done'; readonly value: unknown }
  | { readonly status: 'not-done' }
  | { readonly status: 'unknown' }

export interface RetryDecision {
  readonly again: boolean
  readonly waitMs: number
}

/** An attempt that failed, took too long or was cut. */
interface CutAttemptOf<R> {
  readonly call: PerformCallOf<R>
  readonly error: unknown
}

/** Carries out effects of one kind and sees the run as `R`. Only the kernel calls it, and only after the gate has allowed. */
interface PerformerOf<R> {
  readonly kind: EffectKind
  /** What it carries out is a run of its own: it is taken down with its parent, which waits for it. */
  readonly isRun?: boolean | undefined
  /** What is known about the target before anything is decided. */
  facts(effect: Effect, run: R): EffectFacts
  /** May be performed again after a crash without asking anyone. */
  repeatable(effect: Effect, run: R): boolean
  timeoutMs(effect: Effect, run: R): number | undefined
  perform(call: PerformCallOf<R>): Promise<Performed | Parked>
  /** Asks the outside world whether a call that was cut by a crash has happened. Absent: it cannot be determined. */
  reconcile?(call: PerformCallOf<R>): Promise<Reconciliation> | undefined
  /** Whether a failed attempt is worth another. */
  retry?(error: unknown, attempt: number, call: PerformCallOf<R>): RetryDecision | Promise<RetryDecision>
  /**
   * What an attempt took that gave no result: the one of `cut`, as far as it got; without it, one of which nothing is known because its process
   * ended. Absent: one call of its kind.
   */
  unfinished?(effect: Effect, run: R, cut?: CutAttemptOf<R>): Spend
  /** Whether the failure ends the run instead of going back to the mind. */
  fatal?(error: unknown, call: PerformCallOf<R>): boolean
  /** What a failure of this effect is made from; a success says so itself. */
  labels?(effect: Effect, run: R): readonly Label[] | undefined
  resultBytes?(effect: Effect, run: R): number | undefined
}

/** One attempt at carrying out an allowed effect. */
export type PerformCall = PerformCallOf<PerformerRun>

/** Carries out effects of one kind. Only the kernel calls it, and only after the gate has allowed. */
export type Performer = PerformerOf<PerformerRun>

/** The same inside the kernel, whose own performers work on the run itself. */
export type KernelCall = PerformCallOf<ActiveRun>
export type KernelCut = CutAttemptOf<ActiveRun>
export type KernelPerformer = PerformerOf<ActiveRun>
