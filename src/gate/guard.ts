import type { ErrorCode, Json } from '../core/index.ts'
import type { Identity } from '../journal/index.ts'
import type { Risk } from '../tool/index.ts'
import type { Budget } from './budget/budget.ts'
import type { ContentFilters } from './content/content-filters.ts'
import type { Effect, EffectFacts } from './effect.ts'
import type { Mandate } from './mandate/mandate.ts'
import type { OversightView } from './oversight/oversight.ts'
import type { Counts } from './budget/rates.ts'

/** Everything a guard may look at. Guards change nothing and commit nothing: the same view gives the same answer. */
export interface GateView {
  readonly effect: Effect
  /** Stands for `effect.input` after earlier modifications. */
  readonly input: Json
  /** The hash of the call with `effect.input`, if the caller has computed it. */
  readonly hash?: string | undefined
  readonly facts: EffectFacts
  readonly mandate: Mandate
  readonly identity: Identity
  readonly risk: Risk
  readonly budget: Budget
  readonly depth: number
  /** Tool calls this run has started so far, those in flight included. */
  readonly toolCalls: number
  readonly now: number
  readonly runId?: string | undefined
  /** What rate limits are counted with. */
  readonly counts?: Counts | undefined
  /** Filters that content rules name. */
  readonly filters?: ContentFilters | undefined
  /** What has happened in this run so far, as the overseer counts it. */
  readonly oversight?: OversightView | undefined
  /** The run has a vault: tokens in the input may be turned back, so they count as what they stand for. */
  readonly vaulted?: boolean | undefined
  /** Set by the kernel alone, for the overseer's own model call. */
  readonly isOverseer?: boolean | undefined
}

/** `undefined` means the guard has nothing against it; `allow` says the same and names what permits it, for the record. */
export type GuardVerdict =
  | undefined
  | { readonly verdict: 'allow'; readonly reason: string; readonly rule?: string | undefined }
  | {
      readonly verdict: 'modify'
      readonly input: Json
      readonly reason: string
      readonly rule?: string | undefined
      /** What the performer gets beside the input from now on, where that is what changes. */
      readonly carry?: unknown
    }
  | {
      readonly verdict: 'ask' | 'deny' | 'kill'
      readonly reason: string
      readonly rule?: string | undefined
      readonly code?: ErrorCode | undefined
      /** Of an `ask`: an approval given ahead, for calls like this one, does not lift it. */
      readonly once?: boolean | undefined
      /** Of an `ask`: it is about what this run has done so far, so an approval given in another run does not lift it. */
      readonly ofRun?: boolean | undefined
    }

/** One question about an effect. A guard that throws is a denial. */
export interface Guard {
  readonly name: string
  /** Set when the answer does not depend on the mandate: it is then asked once, however many mandates lie above each other. */
  readonly ignoresMandate?: boolean | undefined
  /** Whether a mandate says anything that concerns this guard; where none does it is not asked at all. Absent: it is always asked. */
  appliesTo?(mandate: Mandate): boolean
  check(view: GateView): GuardVerdict | Promise<GuardVerdict>
}
