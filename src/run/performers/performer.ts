import type { ErrorInfo, Json, Label, RunLimits } from '../../core/index.ts'
import type { Effect, EffectFacts } from '../../gate/index.ts'
import type { EffectKind, EmittedData, Identity, PendingItem, Spend, SuspendReason } from '../../journal/index.ts'
import type { ActiveRun } from '../lifecycle/active-run.ts'

/** The run as passed to a host's performer: a frozen copy. */
export interface PerformerRun {
  readonly id: string
  /** The root of the run's tree. */
  readonly rootId: string
  readonly sessionId: string | undefined
  readonly identity: Identity
  /** The number of runs above this one. */
  readonly depth: number
  readonly limits: Readonly<RunLimits>
}

/** One attempt to perform an allowed effect, for a performer that receives the run as `R`. */
interface PerformCallOf<R> {
  readonly run: R
  readonly key: string
  readonly effect: Effect
  /** The final input, after guards and approvers. */
  readonly input: Json
  readonly signal: AbortSignal
  /** The same for every attempt, also in another process after a crash. */
  readonly idempotencyKey: string
  /** Starts at 1. */
  readonly attempt: number
  readonly deadline: number
  /** Emits an event that is not stored. Text is redacted like the run's. */
  emit<T extends string>(type: T, data: EmittedData<T>): void
}

/** The result of a performer: the value of an effect, and its spend. */
export interface Performed {
  readonly value: unknown
  /** The text that a model reads instead of the value. */
  readonly shown?: unknown
  readonly spent?: Spend | undefined
  readonly labels?: readonly Label[] | undefined
  readonly meta?: Json | undefined
  /** The spend is already counted in the budget tree, by a child run that draws on it. */
  readonly counted?: boolean | undefined
  /** The effect was performed and failed: the outcome is this failure, with its spend. */
  readonly failure?: ErrorInfo | undefined
}

/** The effect cannot continue now: it is parked until something else happens. */
export interface Parked {
  readonly parked: SuspendReason
  readonly pending: readonly PendingItem[]
  readonly wakeAt?: number | undefined
  /** Calls back when another attempt may succeed. */
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

/** An attempt that failed, timed out or was aborted. */
interface CutAttemptOf<R> {
  readonly call: PerformCallOf<R>
  readonly error: unknown
}

/** Performs effects of one kind and receives the run as `R`. Called only by the kernel, and only after the gate has allowed. */
interface PerformerOf<R> {
  readonly kind: EffectKind
  /** Whether the effect is a child run: it is cancelled together with its parent, which waits for it. */
  readonly isRun?: boolean | undefined
  /** What is known about the target before the gate decides. */
  facts(effect: Effect, run: R): EffectFacts
  /** Whether it may be performed again after a crash without asking anyone. */
  repeatable(effect: Effect, run: R): boolean
  timeoutMs(effect: Effect, run: R): number | undefined
  perform(call: PerformCallOf<R>): Promise<Performed | Parked>
  /** Asks the outside world whether a call that was cut off by a crash has happened. Absent: it cannot be determined. */
  reconcile?(call: PerformCallOf<R>): Promise<Reconciliation> | undefined
  /** Whether to make another attempt after a failure. */
  retry?(error: unknown, attempt: number, call: PerformCallOf<R>): RetryDecision | Promise<RetryDecision>
  /** The spend of an attempt without a result: of `cut`, as far as it got; without `cut`, of an attempt whose process ended. Absent: one call of its kind. */
  unfinished?(effect: Effect, run: R, cut?: CutAttemptOf<R>): Spend
  /** Whether the failure ends the run instead of being returned to the mind. */
  fatal?(error: unknown, call: PerformCallOf<R>): boolean
  /** The labels of a failure; a success declares its own. */
  labels?(effect: Effect, run: R): readonly Label[] | undefined
  resultBytes?(effect: Effect, run: R): number | undefined
}

/** One attempt at performing an allowed effect. */
export type PerformCall = PerformCallOf<PerformerRun>

/** Performs effects of one kind. Called only by the kernel, and only after the gate has allowed. */
export type Performer = PerformerOf<PerformerRun>

/** A call as the kernel's own performers see it, with the run itself. */
export type KernelCall = PerformCallOf<ActiveRun>
export type KernelCut = CutAttemptOf<ActiveRun>
export type KernelPerformer = PerformerOf<ActiveRun>
