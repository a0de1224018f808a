import { MandateError } from '../../core/index.ts'
import { redactJson } from '../../redact/index.ts'
import type { Json } from '../../core/index.ts'
import { checkResponse } from '../../gate/index.ts'
import type { ResponseCheck } from '../../gate/index.ts'
import { SIGNAL_REFUSED } from '../../journal/index.ts'
import type { ApprovalRecord, Identity, Signal } from '../../journal/index.ts'
import type { ActiveRun } from '../lifecycle/active-run.ts'
import { signSignal } from './answer-signature.ts'
import type { ApprovalResponse } from '../kernel/host.ts'

/** The author of expiries. It has no roles: that the time is over is checked instead. */
const CLOCK: Identity = { id: 'clock', roles: [] }

/** The author of withdrawals. It has no roles: only the process that owns the run accepts them. */
const KERNEL: Identity = { id: 'kernel', roles: [] }

/**
 * The id of the signal that answers a request. There is one id per request, so that the store's unique insert decides between concurrent answers, in
 * any process. An answer that the owner of the run refused does not use up the request: the next answer gets the next id.
 */
export function answerId({ seq, refusals = 0 }: ApprovalRecord): string {
  return refusals === 0 ? `respond:${seq}` : `respond:${seq}:${refusals}`
}

/** Folds an answer from the inbox into the journal and resumes the parked call. Answers that are late, stale or not permitted are recorded as refused. */
export function respond(
  run: ActiveRun,
  record: ApprovalRecord | undefined,
  response: ApprovalResponse & { by: Identity },
  signal: Pick<Signal, 'id' | 'at'>,
): void {
  const checked = check(run, record, response, signal.at)
  if (!checked.ok) return refuseSignal(run, signal.id, { ...checked, by: response.by.id })
  // The fold is updated by the write, so the record has its response from here on.
  run.writer.add('approval-response', record!.key, checked.data, [signal.id])
  run.parked.get(record!.key)?.release()
}

/** Checks an answer against the time when it was given, not when it is read. */
function check(
  run: ActiveRun,
  record: ApprovalRecord | undefined,
  response: ApprovalResponse & { by: Identity },
  givenAt: number,
): ResponseCheck {
  const { answer, by } = response
  if (record === undefined || record.response !== undefined || (answer !== 'expire' && answer !== 'withdraw'))
    return checkResponse(record, response, run.mandates, givenAt)
  const isTrue =
    answer === 'expire' ? record.data.expiresAt <= run.host.clock.now() : run.withdrawn?.has(record.seq) === true
  if (isTrue) return { ok: true, data: { request: record.seq, answer, by: { id: by.id, roles: [] } } }
  const message =
    answer === 'expire' ? 'This request has not expired.' : 'Only the owner of the run withdraws a request.'
  return { ok: false, code: 'APPROVAL_REFUSED', message }
}

/** Why a signal is refused, and who sent it. */
export interface SignalProblem {
  readonly code: string
  readonly message: string
  readonly by: string
}

/** Records a refused signal in the journal and consumes it: its sender is no longer waiting, so no error can be returned. */
export function refuseSignal(run: ActiveRun, id: string, problem: SignalProblem): void {
  const { code, message, by } = problem
  // Only a signal that used the request's id frees the request for another answer.
  const record = run.fold.pending().find((open) => answerId(open) === id)
  const value = { code, message, by, ...(record === undefined ? {} : { request: record.seq }) }
  run.writer.add('note', undefined, { name: SIGNAL_REFUSED, value }, [id])
}

/**
 * Answers a request from within its own run, through the inbox like any other sender. Returns false if another answer came first. In both cases the
 * request is answered, or its answer refused, when this returns.
 */
async function answerWithin(
  run: ActiveRun,
  record: ApprovalRecord,
  { by, ...response }: ApprovalResponse & { by: Identity },
): Promise<boolean> {
  const { journal, clock } = run.host
  const data = redactJson({ request: record.seq, response } as unknown as Json, run.redactor)
  const signal: Signal = { id: answerId(record), type: 'respond', at: clock.now(), by, data }
  try {
    const answered = { run: run.id, record, mandates: run.mandates }
    const isFirst = await journal.signal(run.id, await signSignal(run.host, answered, signal))
    await run.readInbox()
    return isFirst
  } catch (error) {
    run.writer.fail(error)
    throw error
  }
}

/** Ends an expired request, unless it was answered before. */
export async function expire(run: ActiveRun, record: ApprovalRecord): Promise<void> {
  if (!run.ended && record.response === undefined) await answerWithin(run, record, { answer: 'expire', by: CLOCK })
}

/** Withdraws a request that is no longer needed, unless it was answered before. */
export async function withdraw(run: ActiveRun, record: ApprovalRecord): Promise<void> {
  const withdrawn = (run.withdrawn ??= new Set())
  withdrawn.add(record.seq)
  await answerWithin(run, record, { answer: 'withdraw', by: KERNEL })
}

/** Records the answer of the host's `onApproval` handler. The answer is checked first, so that a refusal is thrown back to the handler. */
export async function answerFromHandler(
  run: ActiveRun,
  record: ApprovalRecord,
  response: ApprovalResponse,
): Promise<void> {
  const by = run.host.identity
  const checked = checkResponse(record, { ...response, by }, run.mandates, run.host.clock.now())
  if (!checked.ok) throw new MandateError(checked.code, checked.message)
  if (await answerWithin(run, record, { ...response, by })) return
  throw new MandateError('APPROVAL_STALE', 'This was already answered by someone else.')
}
