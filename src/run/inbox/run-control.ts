import { MandateError, checkCount, checkName, newId, tellOfHost, within } from '../../core/index.ts'
import type { BudgetLimits, Json } from '../../core/index.ts'
import { foldOversight, may } from '../../gate/index.ts'
import type { OverseerStats, Permission } from '../../gate/index.ts'
import {
  EVAL_REPORT,
  checkIdentity,
  checkRunFilter,
  isEnded,
  isServiceJournal,
  listedAt,
  readAll,
  readStart,
} from '../../journal/index.ts'
import type { Identity, RunFilter, RunSummary, Signal, StoreTransaction } from '../../journal/index.ts'
import { checkAnswer } from '../approvals/approval-requests.ts'
import { signSignal } from '../approvals/answer-signature.ts'
import { checkAuthority, mandatesOver } from '../approvals/authority.ts'
import { checkChangeable, checkWithinMandates, readBudgetChange } from './budget-change.ts'
import type { RunSpec } from '../lifecycle/create-run.ts'
import type { PlacedRuns } from '../engine/placed-runs.ts'
import { isKept } from '../engine/engine.ts'
import type { Engine } from '../engine/engine.ts'
import type { ApprovalResponse, KernelHost } from '../kernel/host.ts'
import type { LiveRuns } from '../kernel/live-runs.ts'
import { readInbox } from './open-requests.ts'
import type { InboxOptions, InboxPage } from './open-requests.ts'
import { isOwn, mayRead, readable } from '../approvals/read-rights.ts'
import { withoutSecrets } from './signals.ts'

/** The operations on runs from outside: reading them and sending them signals. */
export interface RunControl {
  readonly host: KernelHost
  readonly engine: Engine
  readonly live: LiveRuns
  attach(): Promise<void>
  /** The placement of a run, where the engine decides who drives it. Runs with durability `exit` and cells of sessions cannot be handed over. */
  placedFor(spec: Pick<RunSpec, 'durability' | 'kind'>): PlacedRuns | undefined
}

export async function listRuns({ host }: RunControl, filter: RunFilter, by?: Identity): Promise<readonly RunSummary[]> {
  if (by !== undefined) checkIdentity(by, '`by`')
  checkRunFilter(filter)
  const limit = checkCount(filter.limit, '`limit`') ?? LIST_MAX
  const visible: RunSummary[] = []
  // The limit applies to visible runs, so pages are read until there are enough.
  for (let after = filter.after, most = limit; ; most = Math.max(limit - visible.length, PAGE)) {
    const page = await host.journal.list({ ...filter, after, limit: most })
    visible.push(...(await visibleTo(host, by, page, filter)))
    const last = page.at(-1)
    if (last === undefined || page.length < most || visible.length >= limit) return visible.slice(0, limit)
    after = { at: listedAt(last, filter.order), run: last.run }
  }
}

const LIST_MAX = 1_000
const PAGE = 100

/** Filters runs to those that an identity may see. Journals of the service itself are left out, and reports of evals unless they are asked for. */
async function visibleTo(
  host: KernelHost,
  by: Identity | undefined,
  found: readonly RunSummary[],
  { name: asked }: RunFilter,
): Promise<readonly RunSummary[]> {
  const runs = found.filter(
    ({ run, name }) => !isServiceJournal(run) && (name !== EVAL_REPORT || asked === EVAL_REPORT),
  )
  return by === undefined ? runs : readable(host, by, runs)
}

export async function authorize(
  control: RunControl,
  by: Identity,
  permission: Permission,
  runId: string,
): Promise<void> {
  checkIdentity(by, '`by`')
  const run = await requireRun(control, runId)
  if (permission !== 'read-journal' || !(await mayRead(control.host, by, run)))
    checkAuthority(control.host, by, permission, run)
}

/** A page of the inbox. A run that cannot be read is listed as such and does not affect others. */
export async function openInbox({ host }: RunControl, options: InboxOptions = {}, by?: Identity): Promise<InboxPage> {
  if (by !== undefined) checkIdentity(by, '`by`')
  const page = await readInbox(host, options, by)
  for (const { run, problem } of page.unreadable) tellOfHost(host, 'run-unreadable', run, { problem })
  return page
}

/** The result of an answer: recorded, or a duplicate of the same answer by the same person. Any other second answer is refused. */
export interface AnswerReceipt {
  readonly status: 'recorded' | 'already-answered'
}

/** Answers a request. The insert of the signal decides between concurrent answers: the second one is refused with the first one named. */
export async function answer(
  control: RunControl,
  approvalId: string,
  response: ApprovalResponse,
  by: Identity,
): Promise<AnswerReceipt> {
  checkName(approvalId, 'The approval id', 'INPUT_INVALID')
  for (let round = 0; round < ANSWER_ROUNDS; round++) {
    const target = await checkAnswer(control.host, approvalId, { ...response, by })
    if (target.isDuplicate) return { status: 'already-answered' }
    const data = { request: target.seq, response } as unknown as Json
    const said = { id: target.signalId, type: 'respond', by, data } as const
    if (await put(control, target.run, said, (signal) => signSignal(control.host, target, signal)))
      return { status: 'recorded' }
    // Another answer was inserted between the check and this one: the next check sees it, or that it was refused.
  }
  throw new MandateError(
    'APPROVAL_STALE',
    `"${approvalId}" was already answered. Resume its run, which reads the answer, and look at the request again.`,
  )
}

/** The retry limit, should every round lose to another answer that is then refused. */
const ANSWER_ROUNDS = 8

/** Cancels a run. A store that does not respond within `limits.stopTimeoutMs` is reported, and everything that can be aborted without it is. */
export function cancelRun(control: RunControl, runId: string, reason: string, by: Identity): Promise<void> {
  const { clock, limits } = control.host
  return within(clock, limits.stopTimeoutMs, recordCancel(control, runId, reason, by), () => {
    const start = control.live.startOf(runId)
    const isAllowed = start !== undefined && may(by, 'cancel', mandatesOver(control.host, start))
    const isCut = isAllowed && control.live.abort(runId, reason)
    const rest = isCut ? 'What it has in flight in this process was cut.' : 'Cancel it again when the store answers.'
    const message = `The store did not answer within ${limits.stopTimeoutMs} ms (\`limits.stopTimeoutMs\`), so it is not recorded that run "${runId}" was cancelled. ${rest}`
    throw new MandateError('STORE_FAILED', message)
  })
}

async function recordCancel(control: RunControl, runId: string, reason: string, by: Identity): Promise<void> {
  const { host, live } = control
  // A run that was started here a moment ago, or that is written only at its end, has no inbox yet.
  if ((await host.journal.summary(runId)) === undefined) {
    checkAuthority(host, by, 'cancel')
    if (live.abort(runId, reason)) return
  }
  const summary = await requireRun(control, runId)
  if (!(await isOwn(host, by, summary))) checkAuthority(host, by, 'cancel', summary)
  if (!isEnded(summary.state)) await put(control, runId, { type: 'cancel', by, data: { reason } })
}

/** A steering message. One with an `id` is delivered once, however often it is sent. */
export interface SteerMessage {
  readonly message: Json
  readonly by: Identity
  readonly id?: string | undefined
}

export async function steerRun(control: RunControl, runId: string, { message, by, id }: SteerMessage): Promise<void> {
  if (id !== undefined) checkName(id, '`id`', 'INPUT_INVALID')
  const run = await requireRun(control, runId)
  checkAuthority(control.host, by, 'run-agent', run)
  // An identity that may run agents may steer its own runs; to steer those of others it must be able to read them.
  if (!(await isOwn(control.host, by, run))) checkAuthority(control.host, by, 'read-journal', run)
  // A repeated message with an id may have been read before the run ended.
  if (id === undefined && isEnded(run.state))
    throw new MandateError(
      'RUN_STATE',
      `Run "${runId}" is ${run.state}, so it reads no more messages. Start a new run with the message, or fork("${runId}") and resume the fork.`,
    )
  await put(control, runId, { type: 'steer', by, data: message, ...(id === undefined ? {} : { id: `steer-${id}` }) })
}

export async function oversightOf(control: RunControl, runId: string): Promise<OverseerStats> {
  await requireRun(control, runId)
  const { toolCalls, tokens, drift } = foldOversight(await readAll(control.host.journal, runId))
  return { toolCalls, tokens, drift }
}

export async function resetOversight(control: RunControl, runId: string, by: Identity): Promise<void> {
  checkAuthority(control.host, by, 'approve', await requireRun(control, runId))
  await put(control, runId, {
    id: newId('reset', control.host.clock, control.host.random),
    type: 'reset-overseer',
    by,
    data: null,
  })
}

export async function putBudget(control: RunControl, runId: string, given: BudgetLimits, by: Identity): Promise<void> {
  const { host } = control
  const summary = await requireRun(control, runId)
  checkAuthority(host, by, 'approve', summary)
  const change = readBudgetChange(given)
  checkWithinMandates(mandatesOver(host, summary), change)
  checkChangeable(summary)
  await put(control, runId, { type: 'budget', by, data: change as unknown as Json })
}

/** The root of a run's tree: a child is driven by its parent, so its signals go to the root. */
export async function rootOf(control: RunControl, runId: string): Promise<RunSummary> {
  const summary = await requireRun(control, runId)
  return summary.parent === undefined ? summary : rootOf(control, summary.parent)
}

/** The run whose driver drives this one: the run itself if it has no parent or is driven apart from it. */
export async function driverOf(control: RunControl, runId: string): Promise<string> {
  const summary = await requireRun(control, runId)
  if (summary.parent === undefined) return runId
  const start = await readStart(control.host.journal, runId)
  return start?.apart === true ? runId : driverOf(control, summary.parent)
}

async function requireRun({ host }: RunControl, runId: string): Promise<RunSummary> {
  const summary = await host.journal.summary(runId)
  if (summary === undefined)
    throw new MandateError('NOT_FOUND', `There is no run "${runId}". List the runs to see what there is.`)
  return summary
}

/** Stores a signal in the journal even if the run is driven here: there is one path, the same in every process. */
async function put(
  control: RunControl,
  runId: string,
  said: Omit<Signal, 'id' | 'at'> & { readonly id?: string },
  vouch: (signal: Signal) => Promise<Signal> = async (signal) => signal,
): Promise<boolean> {
  const { host, live, engine } = control
  const id = said.id ?? newId(said.type, host.clock, host.random)
  const signal: Signal = { ...said, id, at: host.clock.now() }
  const sealed = await vouch(await withoutSecrets(host, runId, signal))
  const cause = `signal/${id}`
  const placed = engine.placement === undefined ? undefined : await rootOf(control, runId)
  // A cell of a session goes on when its session is resumed; no other process can wake it.
  const hasDriver = placed !== undefined && isKept(placed)
  const wakeUp = placed === undefined || hasDriver ? undefined : await prepareDispatch(control, placed.run, cause)
  const isNew = await host.journal.signal(runId, sealed, wakeUp?.along)
  if (live.notify(runId)) return isNew
  const { run: root } = placed ?? (await rootOf(control, runId))
  if (live.notify(root) || hasDriver) return isNew
  await control.attach()
  if (wakeUp?.isEnlisted() !== true) await engine.dispatch(root, cause)
  return isNew
}

/** Prepares the dispatch of the run in the transaction that stores its signal, so that no answer is recorded without a wake-up. */
async function prepareDispatch(
  control: RunControl,
  root: string,
  cause: string,
): Promise<{ readonly along: (transaction: StoreTransaction) => Promise<void>; readonly isEnlisted: () => boolean }> {
  await control.attach()
  const write = await control.engine.placement!.enlist(root, cause)
  let isEnlisted = false
  return {
    along: async (transaction) => {
      await write(transaction)
      isEnlisted = true
    },
    isEnlisted: () => isEnlisted,
  }
}
