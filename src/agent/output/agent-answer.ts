import type { Json, Outcome } from '../../core/index.ts'
import type { AgentOutput } from './output-types.ts'

/** The answer in another agent's result: what the calling model sees, and what its conversation keeps. */
export function answerOf(outcome: Outcome<AgentOutput>): Outcome<Json> {
  return outcome.status === 'ok' ? { ...outcome, value: outcome.value.result ?? outcome.value.text } : outcome
}
