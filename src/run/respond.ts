import { MandateError } from '../core/index.ts'
import { checkResponse } from '../gate/index.ts'
import type { ApprovalRecord, ApprovalResponseData, Identity } from '../journal/index.ts'
import type { ActiveRun } from './active-run.ts'
import type { ApprovalResponse } from './host.ts'

/** Folds a person's answer into the journal and lets the parked call go on. Refuses answers that are late, stale or not theirs to give. */
export function respond(
  run: ActiveRun,
  record: ApprovalRecord | undefined,
  response: ApprovalResponse & { by: Identity },
  signalId?: string,
): void {
  const checked = checkResponse(record, response, run.mandates, run.host.clock.now())
  if (!checked.ok) {
    if (signalId === undefined) throw new MandateError(checked.code, checked.message)
    // A signal cannot be answered with an error any more; the refusal is kept where everybody can read it.
    run.writer.add(
      'note',
      undefined,
      { name: 'signal-refused', value: { code: checked.code, message: checked.message, by: response.by.id } },
      [signalId],
    )
    return
  }
  settle(run, record!, checked.data, signalId)
}

/** Nobody answered in time. */
export function expire(run: ActiveRun, record: ApprovalRecord): void {
  if (run.ended || record.response !== undefined) return
  settle(run, record, { request: record.seq, answer: 'expire', by: { id: 'clock', roles: [] } })
}

function settle(run: ActiveRun, record: ApprovalRecord, data: ApprovalResponseData, signalId?: string): void {
  // The fold sees the entry as it is written, so the record has its response from here on.
  run.writer.add('approval-response', record.key, data, signalId === undefined ? undefined : [signalId])
  run.parked.get(record.key)?.release()
}
