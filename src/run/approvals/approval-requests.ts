import { MandateError, isSame, toPlain } from '../../core/index.ts'
import type { Json } from '../../core/index.ts'
import { checkResponse, parseApprovalId } from '../../gate/index.ts'
import type { Mandate } from '../../gate/index.ts'
import { foldRun, isEnded, isErased, readAll } from '../../journal/index.ts'
import type { ApprovalRecord, Entry, Identity, RunSummary, Signal } from '../../journal/index.ts'
import { mandatesOver } from './authority.ts'
import { checkEdit } from './edit-check.ts'
import { vaultKeyOf } from '../vault/vault.ts'
import type { ApprovalResponse, KernelHost } from '../kernel/host.ts'
import { provenanceOf } from '../history/provenance.ts'
import { priorInterruptions } from '../lifecycle/prior-interruptions.ts'
import { answerId } from './respond.ts'
import { startedBy } from './read-rights.ts'
import { signalProblem } from '../inbox/signals.ts'

/** The request that an answer is for, and the signal that will carry the answer. */
interface AnswerTarget {
  readonly run: string
  readonly seq: number
  readonly record: ApprovalRecord
  readonly mandates: readonly Mandate[]
  /** The id of the one signal that answers this request. */
  readonly signalId: string
  /** The same identity has already given the same answer, and the run has not read it yet. */
  readonly isDuplicate: boolean
}

/** Throws at once if an answer is invalid, with the reason. The owner of the run checks it again. */
export async function checkAnswer(
  host: KernelHost,
  id: string,
  response: ApprovalResponse & { by: Identity },
): Promise<AnswerTarget> {
  const target = parseApprovalId(id)
  const summary = target === undefined ? undefined : await host.journal.summary(target.run)
  if (target === undefined || summary === undefined) {
    throw new MandateError(
      'NOT_FOUND',
      `There is no approval "${id}". List the open ones: \`mandate inbox\`, or \`service.approvals()\`.`,
    )
  }
  // Read before the entries: a cancel signal that has been consumed by then is found as an entry instead.
  const signals = await validSignals(host, summary)
  const entries = await readAll(host.journal, target.run)
  const { approvals } = foldRun(entries, (await provenanceOf(host, summary.imported, entries)).voided)
  const mind = host.registry.mind(summary.mind, summary.name, summary.sessionId)
  const mandates = [mind?.mandate, host.mandate].filter((mandate) => mandate !== undefined)
  const record = approvals.get(target.seq)
  const checked = checkResponse(record, response, mandates, host.clock.now())
  if (!checked.ok) throw new MandateError(checked.code, checked.message)
  const isRunCancelled = isCancelled(signals, entries) || (await isCancelledAbove(host, summary.parent))
  // The answer would never be read.
  if (isRunCancelled || isEnded(summary.state))
    throw new MandateError(
      'APPROVAL_STALE',
      `Run "${target.run}" is ${isRunCancelled ? 'cancelled' : 'over'}: there is nothing left to answer in it.`,
    )
  const pending = signals.find(
    (signal) => answerIn(signal)?.request === target.seq && isTaken(signal, record, mandates),
  )
  if (pending !== undefined && !isSameAnswer(pending, response)) throw alreadyAnswered(id, pending)
  if (pending === undefined)
    await checkEdit(host, {
      request: record!.data,
      edit: response.edit,
      resources: mind?.resources,
      isVaulted: hasVault(entries),
      mandates,
    })
  return { ...target, record: record!, mandates, signalId: answerId(record!), isDuplicate: pending !== undefined }
}

function hasVault([start]: readonly Entry[]): boolean {
  return start?.type === 'run-start' && !isErased(start) && vaultKeyOf(start.data) !== undefined
}

/** Whether the run will take this answer to a request. One that it will refuse does not count. */
function isTaken(signal: Signal, record: ApprovalRecord | undefined, mandates: readonly Mandate[]): boolean {
  const given = { ...(answerIn(signal)?.response as object), by: signal.by } as ApprovalResponse & { by: Identity }
  return checkResponse(record, given, mandates, signal.at).ok
}

/**
 * The open requests of a run, by the numbers of their entries, that need no person any more: their answer, or the cancellation of the run, is in the inbox of
 * the run, which has not read it yet.
 */
export async function answeredIn(host: KernelHost, summary: RunSummary): Promise<ReadonlySet<number>> {
  const signals = await validSignals(host, summary)
  const open = summary.waiting ?? []
  if (signals.some(({ type }) => type === 'cancel')) return new Set(open.map(({ seq }) => seq))
  const answers = signals.filter((signal) => answerIn(signal) !== undefined)
  if (answers.length === 0) return new Set()
  const entries = await readAll(host.journal, summary.run)
  const { approvals } = foldRun(entries, (await provenanceOf(host, summary.imported, entries)).voided)
  const mandates = mandatesOver(host, summary)
  const isAnswered = (seq: number): boolean =>
    answers.some((signal) => answerIn(signal)!.request === seq && isTaken(signal, approvals.get(seq), mandates))
  return new Set(open.map(({ seq }) => seq).filter(isAnswered))
}

function alreadyAnswered(id: string, pending: Signal): MandateError {
  const { answer } = (answerIn(pending)?.response ?? {}) as { readonly answer?: Json }
  const said = typeof answer === 'string' ? ` with "${answer}"` : ''
  return new MandateError(
    'APPROVAL_STALE',
    `"${id}" was already answered${said} by "${pending.by.id}"; the run is about to read it. Only the first answer counts.`,
  )
}

/** Whether a cancellation was requested: by a signal that is still pending, or by one that the owner has consumed. */
function isCancelled(signals: readonly Signal[], entries: readonly Entry[]): boolean {
  return signals.some(({ type }) => type === 'cancel') || priorInterruptions(entries).takedown?.code === 'CANCELLED'
}

/** Whether a run above this one was cancelled, which cancels this one too. */
async function isCancelledAbove(host: KernelHost, parent: string | undefined): Promise<boolean> {
  const summary = parent === undefined ? undefined : await host.journal.summary(parent)
  if (summary === undefined) return false
  const signals = await validSignals(host, summary)
  if (isCancelled(signals, await readAll(host.journal, summary.run))) return true
  return isCancelledAbove(host, summary.parent)
}

/** The signals in a run's inbox that the run will accept when it reads them. */
async function validSignals(host: KernelHost, run: RunSummary): Promise<readonly Signal[]> {
  const signals = await host.journal.signals(run.run)
  if (signals.length === 0) return signals
  const mandates = mandatesOver(host, run)
  const owner = (await startedBy(host, run.run))?.id
  return signals.filter((signal) => signalProblem(signal, mandates, owner) === undefined)
}

/** Idempotent: the same answer again is accepted, for callers that lost the first reply. */
function isSameAnswer(signal: Signal, { by, ...response }: ApprovalResponse & { by: Identity }): boolean {
  const { signature: _, ...pending } = (answerIn(signal)?.response ?? {}) as { readonly [name: string]: Json }
  // A signed answer contains its reach even where only the scope was given.
  const { standing: __, ...without } = pending
  return signal.by.id === by.id && isSame(response.standing === undefined ? without : pending, toPlain(response).value)
}

interface PendingAnswer {
  readonly request?: Json
  readonly response?: Json
}

/** The answer in a signal; `undefined` for other signals. A signal that carries sealed values has its answer in `data`, beside them. */
function answerIn({ type, data }: Signal): PendingAnswer | undefined {
  const said = data as (PendingAnswer & { readonly data?: PendingAnswer }) | null
  return type !== 'respond' ? undefined : said?.request === undefined ? said?.data : said
}
