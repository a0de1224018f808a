import type { ErrorCode, Json } from '../core/index.ts'
import type { Identity } from '../journal/index.ts'
import type { Risk } from '../tool/index.ts'
import type { Budget } from './budget.ts'
import type { Effect, EffectFacts } from './effect.ts'
import type { Mandate } from './mandate.ts'

/** Everything a guard may look at. Guards change nothing and commit nothing: the same view gives the same answer. */
export interface GateView {
  readonly effect: Effect
  /** Stands for `effect.input` after earlier modifications. */
  readonly input: Json
  readonly facts: EffectFacts
  readonly mandate: Mandate
  readonly identity: Identity
  readonly risk: Risk
  readonly budget: Budget
  readonly depth: number
  /** Tool calls this run has started so far, those in flight included. */
  readonly toolCalls: number
  readonly now: number
}

/** `undefined` means the guard has nothing against it; `allow` says the same and names what permits it, for the record. */
export type GuardVerdict =
  | undefined
  | { readonly verdict: 'allow'; readonly reason: string; readonly rule?: string | undefined }
  | { readonly verdict: 'modify'; readonly input: Json; readonly reason: string; readonly rule?: string | undefined }
  | {
      readonly verdict: 'ask' | 'deny' | 'kill'
      readonly reason: string
      readonly rule?: string | undefined
      readonly code?: ErrorCode | undefined
    }

/**
 * One question about an effect. A guard that throws is a denial.
 *
 * @example
 * ```ts
 * import { DEFAULT_GUARDS, createGate, type Guard } from 'mandate/gate'
 * const night: Guard = {
 *   name: 'night',
 *   check: (view) =>
 *     new Date(view.now).getUTCHours() < 6 ? { verdict: 'ask', reason: 'It is night; someone must be awake.' } : undefined,
 * }
 * const gate = createGate({ mandate: {}, guards: [...DEFAULT_GUARDS, night] })
 * ```
 */
export interface Guard {
  readonly name: string
  /** Set when the answer does not depend on the mandate: it is then asked once, however many mandates lie above each other. */
  readonly ignoresMandate?: boolean | undefined
  check(view: GateView): GuardVerdict | Promise<GuardVerdict>
}
