import type { ErrorCode, Json } from '../core/index.ts'
import type { Identity } from '../journal/index.ts'
import type { Risk } from '../tool/index.ts'
import type { Budget } from './budget/budget.ts'
import type { ContentFilters } from './content/content-filters.ts'
import type { Effect, EffectFacts } from './effect.ts'
import type { Mandate } from './mandate/mandate.ts'
import type { OversightView } from './oversight/oversight.ts'
import type { Counts } from './budget/rates.ts'

/** The input of a guard. Guards have no side effects: the same view gives the same verdict. */
export interface GateView {
  readonly effect: Effect
  /** The effect's input after the modifications so far. */
  readonly input: Json
  /** The hash of the call with `effect.input`, if the caller has computed it. */
  readonly hash?: string | undefined
  readonly facts: EffectFacts
  readonly mandate: Mandate
  /** All mandates that apply, nearest first. */
  readonly mandates: readonly Mandate[]
  readonly identity: Identity
  readonly risk: Risk
  readonly budget: Budget
  readonly depth: number
  /** The tool calls that this run has started so far, including those in flight. */
  readonly toolCalls: number
  readonly now: number
  readonly runId?: string | undefined
  /** The counters of rate limits. */
  readonly counts?: Counts | undefined
  /** The filters that content rules refer to. */
  readonly filters?: ContentFilters | undefined
  /** What the overseer has counted in this run. */
  readonly oversight?: OversightView | undefined
  /** The run has a vault: redaction tokens in the input may be resolved, so they count as the values behind them. */
  readonly vaulted?: boolean | undefined
  /** Set by the kernel alone, for the overseer's own model call. */
  readonly isOverseer?: boolean | undefined
}

/** `undefined` means no objection; `allow` is the same with the name of what permits it, for the record. */
export type GuardVerdict =
  | undefined
  | { readonly verdict: 'allow'; readonly reason: string; readonly rule?: string | undefined }
  | {
      readonly verdict: 'modify'
      readonly input: Json
      readonly reason: string
      readonly rule?: string | undefined
      /** Replaces the effect's `carry` from here on. */
      readonly carry?: unknown
    }
  | {
      readonly verdict: 'ask' | 'deny' | 'kill'
      readonly reason: string
      readonly rule?: string | undefined
      readonly code?: ErrorCode | undefined
      /** Of an `ask`: an approval that was given ahead of time, for calls like this one, does not lift it. */
      readonly once?: boolean | undefined
      /** Of an `ask`: it is about the history of this run, so an approval given in another run does not lift it. */
      readonly ofRun?: boolean | undefined
    }

/** One check of an effect. A guard that throws denies. */
export interface Guard {
  readonly name: string
  /** Set if the verdict does not depend on the mandate: the guard is then evaluated once, however many mandates there are. */
  readonly ignoresMandate?: boolean | undefined
  /** Whether a mandate has anything for this guard; if none has, the guard is not evaluated at all. Absent: always evaluated. */
  appliesTo?(mandate: Mandate): boolean
  check(view: GateView): GuardVerdict | Promise<GuardVerdict>
}
