import { toPlain } from '../../core/index.ts'
import type { Json, Outcome } from '../../core/index.ts'
import type { Effect } from '../../gate/index.ts'
import { plainError } from '../lifecycle/failure.ts'
import type { ApprovalRecord, EffectRecord } from '../../journal/index.ts'

/** The effect of the recorded answers on a call: the outcome that ends it, or the input it continues with. */
type Answered =
  | { readonly outcome: Outcome<Json> }
  | {
      readonly input: Json
      /** A person replaced the mind's input. */
      readonly isEdited: boolean
    }

/**
 * Step 2: applies the recorded answers to a call that has not started. They are applied before the gate is asked again, so that no later change
 * (another approval, an upgrade, the clock) can void them: a rejection or an expiry ends the call, an edit replaces its input.
 */
export function answersTo(record: EffectRecord | undefined, asked: Json): Answered {
  let input = asked
  let isEdited = false
  for (const { data, response } of record?.approvals ?? []) {
    // An answer to an in-doubt request is about an attempt that had started; `recover` reads it.
    if (data.reason === 'in-doubt' || response === undefined) continue
    const { answer, edit, value, text, by } = response
    if (answer === 'reject') return denied('DENIED', text ?? `${by.id} rejected it`)
    if (answer === 'expire') return denied('APPROVAL_STALE', 'nobody answered before the approval expired')
    if (answer === 'answer') return { outcome: { status: 'ok', value: value ?? text ?? null } }
    if (answer === 'approve' && edit !== undefined) {
      input = edit
      isEdited = true
    }
  }
  return { input, isEdited }
}

/**
 * The outcome of an answered question: the answer itself, or the value that `answered` of the effect makes of it. If that function throws, the call
 * fails.
 */
export async function settledAnswer(
  outcome: Outcome<Json>,
  answered: Effect['answered'],
): Promise<{ readonly outcome: Outcome<Json> }> {
  if (outcome.status !== 'ok' || answered === undefined) return { outcome }
  try {
    return { outcome: { ...outcome, value: toPlain(await answered(outcome.value), true).value } }
  } catch (error) {
    return { outcome: { status: 'failed', error: plainError(error, 'OUTPUT_INVALID') } }
  }
}

/** The unanswered requests about a call that has not started. */
export function openRequests(record: EffectRecord | undefined): readonly ApprovalRecord[] {
  return (record?.approvals ?? []).filter(({ data, response }) => data.reason !== 'in-doubt' && response === undefined)
}

function denied(code: 'DENIED' | 'APPROVAL_STALE', reason: string): Answered {
  return { outcome: { status: 'denied', code, rule: 'approval', reason } }
}
