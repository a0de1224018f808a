import type { BudgetLimits, Json } from '../../core/index.ts'
import type { ExprNode } from '../../expr/index.ts'
import type { Risk } from '../../tool/index.ts'
import type { GuardFields } from './guard-fields.ts'

/** How careful the gate is, loosest first. */
export const PROFILES = ['local-permissive', 'strict', 'managed'] as const
/** A table from risk to verdict, by name. */
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

/** Tests on one value; all that are given must hold. `ne` and `notIn` hold for a value that is missing, all others but `exists: false` do not. */
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
  /** The value is a list that holds this. */
  readonly has?: Json | undefined
  /** The value is there at all. */
  readonly exists?: boolean | undefined
}

/** One condition: a value it must equal, or an object of tests. (To ask for equality with an object, write `{ eq: … }`.) */
export type Condition = null | boolean | number | string | readonly Json[] | ConditionTests

/**
 * Rules are data, tried in order; the first whose conditions all hold decides. An `allow` only ends the search: it lifts nothing that another guard says.
 * A rule applies to effects of every kind, models included, unless its conditions say otherwise; one that names `tool` applies to tool calls only.
 */
export interface Rule {
  readonly id: string
  /**
   * Dotted paths, each with its condition, over `tool` and `name` (these may end in `*`), `kind`, `risk`, `input`, `identity`; or an expression of
   * `mandate/expr`, as text or node, that may also see `labels`, `intent`, `origin`, `depth`, `toolCalls` and `spent`, as in
   * `tool == "pay" && input.amount > 100`. Only own members are read. A value an expression cannot work with, such as a missing one, is a denial.
   */
  readonly when: string | ExprNode | { readonly [path: string]: Condition }
  readonly then: 'allow' | 'ask' | 'deny' | 'kill'
  readonly reason?: string | undefined
}

/**
 * What an agent may do. Plain data: its hash is pinned at the start of a run.
 * Lists name tools; a name may end in `*`. Other targets are named with their kind, as in `agent:writer`, `database:*`, `model:small-*`.
 */
export interface Mandate extends GuardFields {
  /** When present, only these tools may be used. Other kinds are restricted once the list names one of that kind. */
  readonly allow?: readonly string[] | undefined
  /** Beats everything. */
  readonly deny?: readonly string[] | undefined
  /** Connectors that are not safe by default work only when named here. */
  readonly grant?: readonly string[] | undefined
  /** `local-permissive` when absent. */
  readonly profile?: Profile | undefined
  /** Tool calls of one run before every further one must be approved; the profile has its own otherwise. */
  readonly callCap?: number | undefined
  /** The host's word on a tool's risk beats everyone else's. The longest matching name counts. */
  readonly risks?: { readonly [tool: string]: Risk } | undefined
  /** Rules over tool, input, risk, labels, identity and what was spent; the first that matches decides. */
  readonly rules?: readonly Rule[] | undefined
  /** What each role may do. `owner` may do everything unless it is redefined; a role that is not listed may do nothing. */
  readonly roles?: { readonly [role: string]: readonly Permission[] } | undefined
  /** `false`: an identity cannot approve in runs that it started itself (four-eyes principle). It can still reject. */
  readonly selfApproval?: boolean | undefined
  /** What a run and everything below it may use. */
  readonly budget?: BudgetLimits | undefined
}
