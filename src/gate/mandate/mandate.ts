import type { BudgetLimits, Json } from '../../core/index.ts'
import type { ExprNode } from '../../expr/index.ts'
import type { Risk } from '../../tool/index.ts'
import type { GuardFields } from './guard-fields.ts'

/** The profiles, from least to most restrictive. */
export const PROFILES = ['local-permissive', 'strict', 'managed'] as const
/** The name of a table from risk to verdict. */
export type Profile = (typeof PROFILES)[number]

export const PERMISSIONS = [
  'register-tool',
  'create-agent',
  'run-agent',
  'approve',
  'cancel',
  'read-journal',
  'change-prompt',
  'change-policy',
] as const
export type Permission = (typeof PERMISSIONS)[number]

/** Tests on one value; all that are given must hold. `ne` and `notIn` hold for a missing value; all others except `exists: false` do not. */
interface ConditionTests {
  readonly eq?: Json | undefined
  readonly ne?: Json | undefined
  /** Numbers; for the path `risk` the name of a risk. A value of another type does not match. */
  readonly gt?: number | Risk | undefined
  readonly gte?: number | Risk | undefined
  readonly lt?: number | Risk | undefined
  readonly lte?: number | Risk | undefined
  readonly in?: readonly Json[] | undefined
  readonly notIn?: readonly Json[] | undefined
  /** The value is a list that contains this. */
  readonly has?: Json | undefined
  /** Whether there is a value. */
  readonly exists?: boolean | undefined
}

/** One condition: a value to be equal to, or an object of tests. (For equality with an object, write `{ eq: … }`.) */
export type Condition = null | boolean | number | string | readonly Json[] | ConditionTests

/**
 * A rule of a mandate. Rules are data, tried in order; the first whose conditions all hold decides. An `allow` only ends the search: it does not
 * override other guards. A rule applies to effects of every kind, including models, unless its conditions restrict it; one that names `tool` applies
 * to tool calls only.
 */
export interface Rule {
  /** The name of the rule in decisions. */
  readonly id: string
  /**
   * Conditions by dotted path over `tool` and `name` (these may end in `*`), `kind`, `risk`, `input`, `identity`; or an expression of `mandate/expr`,
   * as text or node, that can also read `labels`, `intent`, `origin`, `depth`, `toolCalls` and `spent`, as in `tool == "pay" && input.amount > 100`.
   * Only own members are read. An expression that fails, for example on a missing value, denies.
   */
  readonly when: string | ExprNode | { readonly [path: string]: Condition }
  /** The verdict for a matching call. */
  readonly then: 'allow' | 'ask' | 'deny' | 'kill'
  /** Shown to the model and to people. */
  readonly reason?: string | undefined
}

/**
 * What an agent may do. Plain data: its hash is pinned at the start of a run. Lists name tools; a name may end in `*`. Other targets are named with
 * their kind, as in `agent:writer`, `database:*`, `model:small-*`.
 */
export interface Mandate extends GuardFields {
  /** If present, only these tools may be used. Other kinds are restricted once the list names one of that kind. */
  readonly allow?: readonly string[] | undefined
  /** Takes precedence over everything else. */
  readonly deny?: readonly string[] | undefined
  /** Connectors that are not safe by default work only if they are named here. */
  readonly grant?: readonly string[] | undefined
  /** `local-permissive` by default. */
  readonly profile?: Profile | undefined
  /** The number of tool calls in a run after which each further one needs approval; the profile's own by default. */
  readonly callCap?: number | undefined
  /** The risks of tools as set by the host, which override all others. The longest matching name counts. */
  readonly risks?: { readonly [tool: string]: Risk } | undefined
  /** Rules over tool, input, risk, labels, identity and spend; the first that matches decides. */
  readonly rules?: readonly Rule[] | undefined
  /** The permissions of each role. `owner` may do everything unless it is redefined; a role that is not listed may do nothing. */
  readonly roles?: { readonly [role: string]: readonly Permission[] } | undefined
  /** `false`: an identity cannot approve in runs that it started itself (four-eyes principle). It can still reject. */
  readonly selfApproval?: boolean | undefined
  /** The limits of a run and everything below it. */
  readonly budget?: BudgetLimits | undefined
}
