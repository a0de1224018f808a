import { MandateError, canonical, errorInfo } from '../../core/index.ts'
import type { Json } from '../../core/index.ts'
import { answerShapeProblem, approvalId } from '../../gate/index.ts'
import type { GateDecision } from '../../gate/index.ts'
import type { ApprovalRecord, ApprovalRequestData, PendingItem } from '../../journal/index.ts'
import { labelsOf } from '../effect/effect-labels.ts'
import { checkEdit } from './edit-check.ts'
import { bindingOf } from './rule-scope.ts'
import type { Request } from '../effect/perform.ts'
import { answerFromHandler, expire } from './respond.ts'

interface Question {
  readonly decision: GateDecision
  readonly hash: string
  /** The same request, if an earlier segment has already asked it. */
  readonly known?: ApprovalRecord | undefined
  readonly reason?: ApprovalRequestData['reason'] | undefined
}

/**
 * Step 4: asks a human about the call and parks it. The call holds no reservation while it waits, and the mind only sees a promise that has not
 * settled. The request is durable before it is announced, so that no answered question is lost in a crash.
 */
export async function ask(request: Request, question: Question): Promise<ApprovalRecord | 'cancelled'> {
  const { run, key } = request
  if (run.signal.aborted) return 'cancelled'
  const record = question.known ?? (await put(request, question))
  // If the request expired while the run was suspended, it expires now: waiting for its timer would only suspend the run again.
  if (record.data.expiresAt <= run.host.clock.now()) await expire(run, record)
  if (record.response !== undefined) return record
  const item = pendingItem(request, record)
  let stopTimer: () => void = () => {}
  const answered = new Promise<'cancelled' | undefined>((resolve) => {
    const parked = {
      key,
      reason: record.data.reason,
      pending: [item],
      wakeAt: record.data.expiresAt,
      live: run.host.onApproval !== undefined,
      release: resolve,
    }
    run.park(parked)
    stopTimer = run.onClose(
      run.host.clock.timer(
        record.data.expiresAt - run.host.clock.now(),
        () => void expire(run, record).catch(() => {}),
      ),
    )
    answeredBy(request, record).then(
      () => {
        parked.live = false
        run.delivery.pump()
      },
      () => {},
    )
  })
  const why = await answered
  stopTimer()
  run.unpark(key)
  return why ?? record
}

async function put(request: Request, { decision, hash, reason }: Question): Promise<ApprovalRecord> {
  const { run, key, effect, asked } = request
  const binding = reason === undefined ? bindingOf(request, decision) : undefined
  const data: ApprovalRequestData = {
    kind: effect.kind,
    name: effect.name,
    input: decision.input,
    hash,
    ...labelsOf(effect),
    asked,
    reason: reason ?? (effect.kind === 'question' ? 'question' : 'approval'),
    rule: decision.rule,
    text: effect.kind === 'question' ? questionText(decision.input) : decision.reason,
    ...(decision.risk === undefined ? {} : { risk: decision.risk }),
    expiresAt: run.host.clock.now() + run.limits.approvalTtlMs,
    ...(binding === undefined ? {} : { binding }),
  }
  const entry = run.writer.add('approval-request', key, data)
  await run.writer.flush()
  return run.fold.approvals.get(entry.seq)!
}

function questionText(input: Json): string {
  const text = typeof input === 'object' && input !== null ? (input as { text?: Json }).text : input
  return typeof text === 'string' ? text : canonical(input)
}

/** Lets the host's handler answer, if there is one. If it fails or returns no answer, the question stays open, and the run says why; that never approves. */
async function answeredBy({ run }: Request, record: ApprovalRecord): Promise<void> {
  const { onApproval } = run.host
  if (onApproval === undefined) return
  try {
    const response = await onApproval({
      ...record.data,
      id: approvalId(run.id, record.seq),
      run: run.id,
      key: record.key,
      at: record.at,
    })
    if (response !== undefined) {
      const problem = answerShapeProblem(response, record.data)
      if (problem !== undefined) throw new MandateError('INPUT_INVALID', problem)
      const { resources, vault } = run
      await checkEdit(run.host, {
        request: record.data,
        edit: response.edit,
        resources,
        isVaulted: vault !== undefined,
        mandates: run.mandates,
      })
      await run.vault?.keep(response as unknown as Json, run)
    }
    if (response !== undefined && !run.ended) await answerFromHandler(run, record, response)
  } catch (error) {
    const { code, message } = errorInfo(error, 'MIND_FAILED')
    const told = { where: 'onApproval', message, code }
    run.emit('handler-error', told)
    // Kept with the run, because otherwise it would only look as if nobody had answered.
    if (!run.ended) run.writer.add('note', undefined, { name: 'handler-error', value: told })
  }
}

function pendingItem({ run }: Request, { key, seq, data }: ApprovalRecord): PendingItem {
  return { key, reason: data.reason, approvalId: approvalId(run.id, seq), run: run.id, wakeAt: data.expiresAt }
}
