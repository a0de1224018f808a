// What `mandate/gate` offers: mandates and policies.
export { Budget, checkMandate, definePolicy, explainDecision, may } from './index.ts'
export type {
  Condition,
  ContentFilter,
  Explanation,
  FlowRule,
  Mandate,
  OverseerPolicy,
  Policy,
  Profile,
  RateLimit,
  RevealRule,
  Rule,
} from './index.ts'
