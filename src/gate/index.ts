export { APPROVAL_RESPONSE } from './approvals/approval-responses.ts'
export { STANDING_WISH } from './approvals/standing-approvals.ts'
export { approvalId, checkResponse, parseApprovalId } from './approvals/approval-responses.ts'
export { answerProblem, answerSchema } from './approvals/question-answers.ts'
export type { ApprovalResponse, ResponseCheck, ResponseProblem } from './approvals/approval-responses.ts'
export { Budget, describeLimit, lowestLimits } from './budget/budget.ts'
export type { Allotment, BudgetOptions, LimitHit, Reservation } from './budget/budget.ts'
export type { GateDecision } from './evaluate-guards.ts'
export { CONTENT_PLACES } from './mandate/guard-fields.ts'
export type {
  ContentPlace,
  ContentRule,
  DriftCheck,
  GuardFields,
  OverseerPolicy,
  RateLimit,
} from './mandate/guard-fields.ts'
export { filterContent, rulesAt } from './content/content-filters.ts'
export type {
  Content,
  ContentChange,
  ContentFilter,
  ContentFilters,
  FilterAnswer,
  Filtered,
} from './content/content-filters.ts'
export { driftRequest } from './oversight/drift.ts'
export { hashEffect, hashEffectText } from './effect.ts'
export type { Effect, EffectFacts, Intent, Validation } from './effect.ts'
export { explainDecision } from './explain-decision.ts'
export type { Explanation, Opinion } from './explain-decision.ts'
export type { FlowException, FlowRule } from './content/flow-rules.ts'
export { definePolicy } from './mandate/define-policy.ts'
export { DEFAULT_GUARDS, createGate } from './gate.ts'
export type { Gate, GateOptions, GateRequest } from './gate.ts'
export type { GateView, Guard, GuardVerdict } from './guard.ts'
export { DEFAULT_PROFILE } from './guards/profile.ts'
export { may } from './guards/role.ts'
export { invalidInput } from './guards/schema.ts'
export { intentFilter, withoutIntents } from './content/intent-text.ts'
export type { IntentFilter } from './content/intent-text.ts'
export { INTENT_INSTRUCTIONS, matchIntents, parseIntents, readIntent } from './content/intents.ts'
export type { IntentProblem, MatchedIntent, ParsedIntents } from './content/intents.ts'
export { checkMandate, mandateHash } from './mandate/check-mandate.ts'
export { PERMISSIONS, PROFILES } from './mandate/mandate.ts'
export type { Condition, ConditionTests, Mandate, Permission, Profile, Rule } from './mandate/mandate.ts'
export { OVERSEER_KEY, OVERSEER_RESET } from './oversight/overseer-names.ts'
export { Oversight, foldOversight } from './oversight/oversight.ts'
export type { OverseenCall, OverseerStats, OversightView } from './oversight/oversight.ts'
export { PRESETS, readPolicy } from './mandate/presets.ts'
export type { Policy, PresetName } from './mandate/presets.ts'
export { countersFor, describeRate, firstRateHit } from './budget/rates.ts'
export type { Counts, RateCounter, RateHit, RatedCall } from './budget/rates.ts'
export { revealChoices, revealGuard } from './content/reveal-rules.ts'
export type { Reveal, RevealChoice, RevealRule } from './content/reveal-rules.ts'
export { coversByRule, matchStanding } from './approvals/standing-approvals.ts'
export type { StandingWish } from './approvals/standing-approvals.ts'
export { explainRisk, isStoreWrite, maxRisk, resolveRisk } from './risk/risk.ts'
export { EFFECT_KINDS } from './rules/targets.ts'
export { RISKS } from '../tool/index.ts'
export type { Risk } from '../tool/index.ts'
