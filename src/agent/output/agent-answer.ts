import type { Json, Outcome } from '../../core/index.ts'

/** Extracts the answer from the result of another agent or a program: the part that the calling model and its conversation receive. */
export function answerOf(outcome: Outcome<{ readonly result?: Json; readonly text?: Json }>): Outcome<Json> {
  return outcome.status === 'ok' ? { ...outcome, value: outcome.value.result ?? outcome.value.text ?? null } : outcome
}
