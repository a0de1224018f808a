import { MandateError, isSame, toPlain } from '../../core/index.ts'
import type { Json } from '../../core/index.ts'
import { checkResponse, parseApprovalId } from '../../gate/index.ts'
import type { Mandate } from '../../gate/index.ts'
import { foldRun, isEnded, readAll } from '../../journal/index.ts'
import type { ApprovalRecord, Entry, Identity, RunSummary, Signal } from '../../journal/index.ts'
import { mandatesOver } from './authority.ts'
import { checkEdit } from './edit-check.ts'
import type { ApprovalResponse, KernelHost } from '../kernel/host.ts'
import { provenanceOf } from '../history/provenance.ts'
import { recall } from '../lifecycle/prior-interruptions.ts'
import { answerId } from './respond.ts'
import { startedBy } from './read-rights.ts'
import { signalProblem } from '../inbox/signals.ts'

/** What an answer is for, and how it is given. */
interface AnswerTarget {
  readonly run: string
  readonly seq: number
  readonly record: ApprovalRecord
  readonly mandates: readonly Mandate[]
  /** The id of the one signal that answers this request. */
  readonly signalId: string
  /** The same identity has given the same answer already, and the run has not read it yet. */
  readonly isSaid: boolean
}

/** Refuses an invalid answer at once, with the reason. The owner of the run checks again. */
export async function checkAnswer(
  host: KernelHost,
  id: string,
  response: ApprovalResponse & { by: Identity },
): Promise<AnswerTarget> {
  const target = parseApprovalId(id)
  const summary = target === undefined ? undefined : await host.journal.summary(target.run)
  if (target === undefined || summary === undefined) {
    throw new MandateError('NOT_FOUND', `There is no approval "${id}". List the open ones to see what can be answered.`)
  }
  // Before the entries: a cancellation that is no longer here stands there by then.
  const signals = await obeyed(host, summary)
  const entries = await readAll(host.journal, target.run)
  const { approvals } = foldRun(entries, (await provenanceOf(host, summary.imported, entries)).voided)
  const mind = host.registry.mind(summary.mind, summary.name)
  const mandates = [mind?.mandate, host.mandate].filter((mandate) => mandate !== undefined)
  const record = approvals.get(target.seq)
  const checked = checkResponse(record, response, mandates, host.clock.now())
  if (!checked.ok) throw new MandateError(checked.code, checked.message)
  const isCut = isCancelled(signals, entries) || (await isCutAbove(host, summary.parent))
  // It would never be read.
  if (isCut || isEnded(summary.state))
    throw new MandateError(
      'APPROVAL_STALE',
      `Run "${target.run}" is ${isCut ? 'cancelled' : 'over'}: there is nothing left to answer in it.`,
    )
  const lying = signals.find((signal) => {
    const said = answerIn(signal)
    if (said?.request !== target.seq) return false
    const given = { ...(said.response as object), by: signal.by } as ApprovalResponse & { by: Identity }
    // One that the run will refuse answers nothing.
    return checkResponse(record, given, mandates, signal.at).ok
  })
  if (lying !== undefined && !isRepeated(lying, response)) throw alreadyAnswered(id, lying)
  if (lying === undefined)
    await checkEdit(host, { request: record!.data, edit: response.edit, resources: mind?.resources })
  return { ...target, record: record!, mandates, signalId: answerId(record!), isSaid: lying !== undefined }
}

function alreadyAnswered(id: string, lying: Signal): MandateError {
  const { answer } = (answerIn(lying)?.response ?? {}) as { readonly answer?: Json }
  const said = typeof answer === 'string' ? ` with "${answer}"` : ''
  return new MandateError(
    'APPROVAL_STALE',
    `"${id}" was already answered${said} by "${lying.by.id}"; the run is about to read it. Only the first answer counts.`,
  )
}

/** Whether a cancel is pending for a run: its owner has read it already, or will before any answer. */
function isCancelled(signals: readonly Signal[], entries: readonly Entry[]): boolean {
  return signals.some(({ type }) => type === 'cancel') || recall(entries).takenDown?.code === 'CANCELLED'
}

/** A run ends with those it works for. */
async function isCutAbove(host: KernelHost, parent: string | undefined): Promise<boolean> {
  const summary = parent === undefined ? undefined : await host.journal.summary(parent)
  if (summary === undefined) return false
  const signals = await obeyed(host, summary)
  if (isCancelled(signals, await readAll(host.journal, summary.run))) return true
  return isCutAbove(host, summary.parent)
}

/** The signals that lie in a run's inbox and will be obeyed when it reads them. */
async function obeyed(host: KernelHost, run: RunSummary): Promise<readonly Signal[]> {
  const signals = await host.journal.signals(run.run)
  if (signals.length === 0) return signals
  const mandates = mandatesOver(host, run)
  const owner = (await startedBy(host, run.run))?.id
  return signals.filter((signal) => signalProblem(signal, mandates, owner) === undefined)
}

/** Idempotent: the same answer again is accepted, for callers that lost the first reply. */
function isRepeated(signal: Signal, { by, ...response }: ApprovalResponse & { by: Identity }): boolean {
  const { signature: _, ...lying } = (answerIn(signal)?.response ?? {}) as { readonly [name: string]: Json }
  // Signed, it also says how far it reaches, where the scope alone would.
  const { standing: __, ...without } = lying
  return signal.by.id === by.id && isSame(response.standing === undefined ? without : lying, toPlain(response).value)
}

interface LyingAnswer {
  readonly request?: Json
  readonly response?: Json
}

/** What a signal answers, if it is an answer. One that brings sealed values has what it says beside them. */
function answerIn({ type, data }: Signal): LyingAnswer | undefined {
  const said = data as (LyingAnswer & { readonly data?: LyingAnswer }) | null
  return type !== 'respond' ? undefined : said?.request === undefined ? said?.data : said
}
