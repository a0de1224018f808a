import type { BudgetLimits, EffectLabels, Json, Label } from '../core/index.ts'
import type { EffectKind, MandateEvent, Spend } from '../journal/index.ts'
import type { Risk } from '../tool/index.ts'

export { hashEffect, hashEffectText } from '../journal/index.ts'

/** The declared intent of a call: what the model wants to do, and why. */
export interface Intent {
  readonly toolName: string
  readonly purpose: string
  readonly expectedOutcome: string
  readonly riskLevel: Risk
}

/** A request to the outside world. A mind makes it; only the kernel performs it, after the gate. */
export interface Effect {
  readonly kind: EffectKind
  /** The registered name of the tool, model, agent, … */
  readonly name: string
  /** The arguments. They are hashed, journaled and shown to approvers, so they must contain everything relevant. */
  readonly input: Json
  /** The last part of the effect's key; the kernel numbers repeated ones. Defaults to the kind. */
  readonly key?: string | undefined
  /** The labels of the input: one list for all of it, or one for each part. Absent: the labels of everything that the run has been shown so far. */
  readonly labels?: EffectLabels | undefined
  readonly intent?: Intent | undefined
  /** Why a declared intent was not accepted. */
  readonly intentProblem?: string | undefined
  /** An outcome with an untrusted label is withheld from the mind (which gets a handle), so that later effects do not depend on it. */
  readonly isWithheld?: boolean | undefined
  /** The source of the request: `model`, `planner`, `fallback`, `program`, … */
  readonly origin?: string | undefined
  /** Passed to the performer beside the input and not journaled: it must be reproducible from the journal, like the messages behind a transcript hash. */
  readonly carry?: unknown
  /** Converts the answer to a question into the result; throws if the answer does not fit. Not journaled, but its result is. */
  readonly answered?: ((answer: Json) => unknown) | undefined
  /** The allotment of a child run that does not draw on this run's budget. */
  readonly allot?: BudgetLimits | undefined
  /** For a model call: its text is not an answer, and listeners get all of it as reasoning. Not journaled. */
  readonly isThought?: boolean | undefined
  /** Called with the events of a child run while it runs, if the text of this run has a listener. Not journaled. */
  readonly onEvent?: ((event: MandateEvent) => void) | undefined
}

/** The result of validating an input: the value to use, or the issues, one sentence each. */
export type Validation =
  | { readonly ok: true; readonly value: Json }
  | { readonly ok: false; readonly issues: readonly string[] }

/** Information about the target of an effect, which the kernel collects before the gate decides. Guards only read it. */
export interface EffectFacts {
  /** Whether something is registered under that kind and name. */
  readonly known: boolean
  /** The registered names, for the error message. */
  readonly alternatives?: readonly string[] | undefined
  readonly risk?: Risk | undefined
  /** It comes from a foreign source (an MCP server), whose declaration cannot lower the risk that its name suggests. */
  readonly isForeign?: boolean | undefined
  /** The risk of the call that this effect is part of: the profile decided about risks up to this one with the call. */
  readonly decidedRisk?: Risk | undefined
  /** The target's own description. */
  readonly description?: string | undefined
  readonly safeByDefault?: boolean | undefined
  readonly needsApproval?: boolean | ((input: Json) => boolean) | undefined
  /** The labels of personal data that it needs in plain text, if a vault has it. */
  readonly reveals?: readonly Label[] | undefined
  /** It takes the tokens of redacted values as they are. */
  readonly takesTokens?: boolean | undefined
  readonly validate?: ((input: Json) => Validation | Promise<Validation>) | undefined
  /** The most that it can take from the budget. */
  readonly worst: Spend
  /** Set if its price is unknown: a money limit then refuses it. */
  readonly unpriced?: string | undefined
}
