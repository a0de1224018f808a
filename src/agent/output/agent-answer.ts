import type { Json, Outcome } from '../../core/index.ts'

/** The answer in the result of another agent, or of a program: what the calling model sees, and what its conversation keeps. */
export function answerOf(outcome: Outcome<{ readonly result?: Json; readonly text?: Json }>): Outcome<Json> {
  return outcome.status === 'ok' ? { ...outcome, value: outcome.value.result ?? outcome.value.text ?? null } : outcome
}
