import type { Json, Outcome } from '../../core/index.ts'
import type { AgentOutput } from './output-types.ts'

/** Of what another agent came to, its answer: what the model that asked is told, and what its conversation keeps. */
export function answerOf(outcome: Outcome<AgentOutput>): Outcome<Json> {
  return outcome.status === 'ok' ? { ...outcome, value: outcome.value.result ?? outcome.value.text } : outcome
}
