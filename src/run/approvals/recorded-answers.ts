import { toPlain } from '../../core/index.ts'
import type { Json, Outcome } from '../../core/index.ts'
import type { Effect } from '../../gate/index.ts'
import { plainError } from '../lifecycle/failure.ts'
import type { ApprovalRecord, EffectRecord } from '../../journal/index.ts'

/** The recorded answers about a call: how it ends, or the input it continues with. */
type Answered =
  | { readonly outcome: Outcome<Json> }
  | {
      readonly input: Json
      /** The input is a person's, not the mind's. */
      readonly isEdited: boolean
    }

/**
 * Step 2: the recorded answers to a call that has not started. They come before anything else is asked, so that no later change (another approval,
 * an upgrade, a clock) can make them void: a reject or an expiry ends the call, an edit replaces its input.
 */
export function answersTo(record: EffectRecord | undefined, asked: Json): Answered {
  let input = asked
  let isEdited = false
  for (const { data, response } of record?.approvals ?? []) {
    // An answer about a call in doubt speaks of an attempt that had begun; recovery reads it.
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

/** What the answer to a question comes to: the answer itself, or what the tool behind the question makes of it. One that does not fit there fails the call. */
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

/** The requests about a call that has not started which still wait for an answer. */
export function openRequests(record: EffectRecord | undefined): readonly ApprovalRecord[] {
  return (record?.approvals ?? []).filter(({ data, response }) => data.reason !== 'in-doubt' && response === undefined)
}

function denied(code: 'DENIED' | 'APPROVAL_STALE', reason: string): Answered {
  return { outcome: { status: 'denied', code, rule: 'approval', reason } }
}
