import { messageOf } from '../../core/index.ts'
import type { PendingItem, RunOutline, RunSuspendData } from '../../journal/index.ts'
import type { ApprovalRequest, RunOutcome } from '../../run/index.ts'
import type { PendingCall } from './result-types.ts'

/** Reads a request by its id; `undefined` if the caller may not see it. */
type ReadRequest = (approvalId: string) => Promise<ApprovalRequest | undefined>

/** Returns the requests that a suspended run waits for, from the outcome in this process or from its journal. */
export function waitsOf(
  outline: RunOutline,
  outcome: RunOutcome | undefined,
): Pick<RunSuspendData, 'reason' | 'pending'> | undefined {
  return outcome?.state === 'suspended' ? outcome : outline.suspend
}

/**
 * Returns the requests that a run waits for, each with its call. The `run-suspend` entry only refers to requests, so their entries are read here: those of
 * this run and of the runs below it.
 */
export async function pendingCalls(
  run: string,
  { outline }: { readonly outline: RunOutline },
  outcome: RunOutcome | undefined,
  read: ReadRequest,
): Promise<readonly PendingCall[]> {
  if (outcome?.state === 'suspended' && outcome.error !== undefined) {
    const { code, message } = outcome.error
    return [{ reason: outcome.reason, run, text: `${code}: ${message}` }]
  }
  const items = waitsOf(outline, outcome)?.pending ?? []
  return Promise.all(items.map((item) => pendingCall(run, item, read)))
}

async function pendingCall(run: string, item: PendingItem, read: ReadRequest): Promise<PendingCall> {
  const { key, reason, approvalId, wakeAt } = item
  const place = { reason, run: item.run ?? run, key, ...(wakeAt === undefined ? {} : { wakeAt }) }
  if (approvalId === undefined) return { ...place, text: WITHOUT_REQUEST[reason] ?? reason }
  try {
    const request = await read(approvalId)
    if (request === undefined) return { ...place, approvalId, text: HIDDEN }
    const { kind, name, input, hash, risk, text } = request
    return { ...place, approvalId, kind, name, input, hash, ...(risk === undefined ? {} : { risk }), text }
  } catch (error) {
    // A request that cannot be read does not fail the whole result.
    return { ...place, approvalId, text: messageOf(error) }
  }
}

const HIDDEN = 'It waits for an answer; the call is only shown to those who may answer it or read its run.'

const WITHOUT_REQUEST: { readonly [reason: string]: string } = {
  timer: 'The run sleeps until `wakeAt`.',
  interrupt: 'The run was interrupted. Resume it.',
}
