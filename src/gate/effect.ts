import type { BudgetLimits, EffectLabels, Json, Label } from '../core/index.ts'
import type { EffectKind, Spend } from '../journal/index.ts'
import type { Risk } from '../tool/index.ts'

export { hashEffect, hashEffectText } from '../journal/index.ts'

/** The declared intent of a call: what the model is about to do, and why. */
export interface Intent {
  readonly toolName: string
  readonly purpose: string
  readonly expectedOutcome: string
  readonly riskLevel: Risk
}

/** A request to touch the world. A mind makes it; only the kernel, after the gate, carries it out. */
export interface Effect {
  readonly kind: EffectKind
  /** The tool, model, agent, … by its registered name. */
  readonly name: string
  /** What is asked for. It is hashed, journaled and shown to approvers, so it holds everything that matters. */
  readonly input: Json
  /** Last part of the effect's key; the kernel numbers equal ones. Defaults to the kind. */
  readonly key?: string | undefined
  /** What its input was made from: one set of labels for all of it, or one for each part. Absent: everything that its run has been told so far. */
  readonly labels?: EffectLabels | undefined
  readonly intent?: Intent | undefined
  /** Why a declared intent was not accepted. */
  readonly intentProblem?: string | undefined
  /** An outcome with an untrusted label is hidden from the mind (it gets a handle), so later effects do not depend on it. */
  readonly isWithheld?: boolean | undefined
  /** Who came up with it: `model`, `planner`, `fallback`, `program`, … */
  readonly origin?: string | undefined
  /** Handed to the performer beside the input and never journaled: it must follow from the journal, like the messages behind a transcript hash. */
  readonly carry?: unknown
  /** Makes the result of the answer to a question; throws where it does not fit. Not journaled: its result is. */
  readonly answered?: ((answer: Json) => unknown) | undefined
  /** For child runs that get their own allotment instead of drawing on this run's budget. */
  readonly allot?: BudgetLimits | undefined
}

/** What a target says of an input: what to use, or what is wrong with it, one sentence each. */
export type Validation =
  | { readonly ok: true; readonly value: Json }
  | { readonly ok: false; readonly issues: readonly string[] }

/** What is known about the target of an effect before anything is decided. The kernel looks it up; guards only read it. */
export interface EffectFacts {
  /** Whether something is registered under that kind and name. */
  readonly known: boolean
  /** The registered names, for the error message. */
  readonly alternatives?: readonly string[] | undefined
  readonly risk?: Risk | undefined
  /** It comes from a foreign source (an MCP server), which is not believed when it declares a lower risk than its name suggests. */
  readonly isForeign?: boolean | undefined
  /** The risk of the call that it is part of: what the profile makes of risks up to this one was decided with the call. */
  readonly decidedRisk?: Risk | undefined
  /** What the target says of itself, in words. */
  readonly description?: string | undefined
  readonly safeByDefault?: boolean | undefined
  readonly needsApproval?: boolean | ((input: Json) => boolean) | undefined
  /** Personal data that it needs as it is, where a vault has it. */
  readonly reveals?: readonly Label[] | undefined
  readonly validate?: ((input: Json) => Validation | Promise<Validation>) | undefined
  /** The worst that it can take from the budget. */
  readonly worst: Spend
  /** Set when its price is not known: a money limit then refuses it. */
  readonly unpriced?: string | undefined
}
