import { kernelOf } from '../../run/index.ts'
import { MandateError, messageOf } from '../../core/index.ts'
import { parseApprovalId } from '../../gate/index.ts'
import { isErased, readAll } from '../../journal/index.ts'
import { AgentRun } from '../session/agent-run.ts'
import type { AgentSpec } from '../config/config-types.ts'
import type { AgentResult } from '../output/result-types.ts'
import type { ServiceAs } from '../service/service-as.ts'
import type { AgentService } from '../service/service.ts'
import type { AgentCall, AgentCallOptions } from './agent-shapes.ts'
import { giveOutputs, ownOutputs, ownTop, refuseStale, sortOutputs } from './client-outputs.ts'
import type { Brought, OwnOutput, Owner } from './client-outputs.ts'
import { PartFold } from './part-fold.ts'
import type { AiSdkStreamPart } from './part-shapes.ts'
import { readCall } from './question.ts'
import type { Answer, Asked } from './question.ts'
import { aiSdkUsage } from './usage.ts'
import { callableNames } from '../config/callable.ts'

/** An agent with its service. */
export interface Called {
  readonly spec: AgentSpec
  readonly service: AgentService
}

/** A started call: its run, its stream and its result. */
export interface Calling {
  readonly runId: string
  readonly parts: AsyncGenerator<AiSdkStreamPart>
  readonly result: Promise<AgentResult>
}

/** Starts a run, or resumes the one that waits for the caller's answers. Validates everything before anything is changed. */
export async function openCall(called: Called, call: AgentCall): Promise<Calling> {
  const asked = readCall(call)
  const signal = signalOf(called, call)
  try {
    const waiting = await waitingRun(called, asked, call.options ?? {})
    return waiting === undefined
      ? startCall(called, asked, { options: call.options, signal })
      : await resumeCall(called, waiting, { options: call.options ?? {}, signal })
  } catch (error) {
    signal.done()
    throw error
  }
}

/** A waiting run, and what the client sends for it. */
interface Waiting extends Brought {
  readonly runId: string
  readonly answers: readonly Answer[]
  readonly nested: Asked['nested']
}

/** The run that waits for the client's answers; `undefined` for a plain conversation. */
async function waitingRun(called: Called, asked: Asked, options: AgentCallOptions): Promise<Waiting | undefined> {
  const { service } = called
  const { nested } = asked
  const outputs = await ownOutputs(service, asked.outputs, ownerOf(called, options))
  const answers = [...asked.answers, ...(await stillOpen(service, asked.earlier, outputs))]
  if (answers.length + outputs.length === 0) return undefined
  const roots = new Set([...(await runsBehind(called, answers, options)), ...outputs.map(({ root }) => root)])
  const [runId] = roots
  if (roots.size > 1)
    throw new MandateError('INPUT_INVALID', 'The answers belong to several runs. Send those of one run at a time.')
  const brought = await sortOutputs(service, runId!, outputs)
  if (answers.length + brought.fitting.length + brought.misfits.length > 0)
    return { runId: runId!, answers, nested, ...brought }
  await refuseStale(service, outputs)
  return undefined
}

/** Answers in earlier messages that the run of the results waits for. */
async function stillOpen(
  service: AgentService,
  earlier: Asked['earlier'],
  outputs: readonly OwnOutput[],
): Promise<readonly Answer[]> {
  if (earlier.length === 0 || outputs[0] === undefined) return []
  const open = new Set((await service.approvals(outputs[0].root)).map(({ id }) => id))
  return earlier.filter(({ approvalId }) => open.has(approvalId))
}

function startCall(
  called: Called,
  { prompt, history }: Asked,
  { options, signal }: { options: AgentCallOptions | undefined; signal: Cut },
): Calling {
  const run = called.service.run(called.spec.id, prompt, { ...options, history, signal: signal.signal })
  return { runId: run.id, result: run, parts: partsOf(called, { run, fold: foldFor(called, run.id), cut: signal }) }
}

interface Cut {
  readonly signal: AbortSignal | undefined
  /** Stops the timer. */
  done(): void
}

function signalOf({ service }: Called, { abortSignal, timeout }: AgentCall): Cut {
  const ms = typeof timeout === 'number' ? timeout : timeout?.totalMs
  if (ms === undefined) return { signal: abortSignal, done: () => {} }
  const late = new AbortController()
  const done = kernelOf(service).clock.timer(ms, () =>
    late.abort(new MandateError('TIMEOUT', `The call took longer than ${ms} ms.`)),
  )
  return { signal: abortSignal === undefined ? late.signal : AbortSignal.any([abortSignal, late.signal]), done }
}

/** The fold of a run of this agent. */
export function foldFor({ spec }: Called, runId: string): PartFold {
  const tools = new Set([...spec.tools.map(({ name }) => name), ...callableNames(spec)])
  const asking = new Set(spec.tools.filter((tool) => tool.standsFor !== undefined).map(({ name }) => name))
  return new PartFold({ runId, tools, asking, mayRecover: spec.fallbackTool !== undefined })
}

async function resumeCall(
  called: Called,
  waiting: Waiting,
  { options, signal }: { options: AgentCallOptions; signal: Cut },
): Promise<Calling> {
  const { service } = called
  const { runId, misfits, nested } = waiting
  const fold = foldFor(called, runId)
  // What the client has received already; it has the keys of the waiting calls.
  for (const entry of await readAll(service.journal, runId)) if (!isErased(entry)) fold.add(entry)
  fold.begin()
  const cancel = (reason = 'aborted by the caller'): Promise<void> => inNameOf(service, options).cancel(runId, reason)
  const cut = (): void => void cancel().catch(() => {})
  const result = answerAll(called, waiting, options)
  const run = new AgentRun(runId, {
    events: service.events,
    result,
    // It has begun before: it waits.
    begun: async () => {},
    agent: () => called.spec,
    abort: (reason) => void cancel(reason).catch(() => {}),
    cancel,
  })
  if (signal.signal?.aborted === true) cut()
  signal.signal?.addEventListener('abort', cut, { once: true })
  const done = (): void => {
    signal.done()
    signal.signal?.removeEventListener('abort', cut)
  }
  return { runId, result: run, parts: partsOf(called, { run, fold, misfits, nested, cut: { ...signal, done } }) }
}

function ownerOf({ spec }: Called, { sessionId, identity }: AgentCallOptions): Owner {
  return { agent: spec.id, sessionId, identity }
}

/** Returns the root runs of the answered requests. Throws for a request that is not in a conversation of this client. */
async function runsBehind(
  called: Called,
  answers: readonly Answer[],
  options: AgentCallOptions,
): Promise<ReadonlySet<string>> {
  const { spec, service } = called
  const roots = new Set<string>()
  for (const { approvalId } of answers) {
    const top = await ownTop(service, parseApprovalId(approvalId)?.run, ownerOf(called, options))
    if (top === undefined)
      throw new MandateError('NOT_FOUND', `There is no approval "${approvalId}" in a conversation with "${spec.id}".`)
    roots.add(top.run)
  }
  return roots
}

async function answerAll({ service }: Called, waiting: Waiting, options: AgentCallOptions): Promise<AgentResult> {
  const own = inNameOf(service, options)
  for (const { approvalId, approved, reason } of waiting.answers)
    await (approved ? own.approve(approvalId) : own.reject(approvalId, reason))
  await giveOutputs(own, waiting)
  return service.resume(waiting.runId)
}

function inNameOf(service: AgentService, { identity }: AgentCallOptions): ServiceAs {
  return identity === undefined ? service : service.as(identity)
}

interface Telling {
  readonly run: AgentRun
  readonly fold: PartFold
  readonly cut: Cut
  readonly misfits?: Brought['misfits'] | undefined
  /** Questions from below the agent that the client has in its conversation. */
  readonly nested?: Asked['nested'] | undefined
}

async function* partsOf(called: Called, telling: Telling): AsyncGenerator<AiSdkStreamPart> {
  const { run, fold, cut, misfits = [], nested = new Set() } = telling
  yield { type: 'start' }
  try {
    for (const { request, problem } of misfits) yield fold.misfit(request, problem)
    for await (const event of run) yield* fold.add(event)
    const result = await run
    yield* await endingOf(called, { fold, misfits, nested }, result)
  } catch (error) {
    yield* errorParts(called, fold, error)
  } finally {
    cut.done()
  }
}

/** The end of a stream that cannot continue. */
export function errorParts({ service }: Called, fold: PartFold, error: unknown): AiSdkStreamPart[] {
  const told = error instanceof Error ? error : new MandateError('INTERNAL', messageOf(error))
  return [...fold.close(kernelOf(service).clock.now()), { type: 'error', error: told }]
}

/** The error of a run that failed, or that waits for something its client cannot be asked for. */
function errorOf({ error, suspendReason, pending }: AgentResult): { readonly code: string; readonly message: string } {
  if (error !== undefined) return error
  const code = suspendReason === 'interrupt' || suspendReason === 'timer' ? 'RUN_STATE' : 'APPROVAL_REQUIRED'
  const texts = pending.map(({ text }) => text).join(' ')
  return { code, message: texts === '' ? 'The run was interrupted. Resume it.' : texts }
}

/** The end of the stream: that of the run, or the questions it waits for. */
export async function endingOf(
  { service }: Called,
  { fold, misfits, nested }: { fold: PartFold; misfits: Brought['misfits']; nested: Asked['nested'] },
  result: AgentResult,
): Promise<AiSdkStreamPart[]> {
  const asked = result.status === 'await_user' ? await service.approvals(result.id) : []
  const requests = asked.flatMap((request) => (request.reason === 'approval' ? (fold.approval(request) ?? []) : []))
  const questions = asked.filter(({ reason }) => reason === 'question')
  const isAnswerable = requests.length + questions.length > 0
  const at = kernelOf(service).clock.now()
  const closed = fold.close(at)
  const { code, message } = errorOf(result)
  const errorPart = (of: string, text: string): AiSdkStreamPart => {
    return { type: 'error', error: new MandateError(of as 'INTERNAL', text, { info: { runId: result.id } }) }
  }
  const finish = (finishReason: typeof fold.account.reason): AiSdkStreamPart => {
    return { type: 'finish', finishReason, rawFinishReason: undefined, totalUsage: aiSdkUsage(fold.account.total) }
  }
  // Clients treat a failed call as complete, and would send this one back at once as failed. An error part prevents that.
  const unfit = misfits.length === 0 ? [] : [errorPart('INPUT_INVALID', misfits.map((one) => one.problem).join(' '))]
  switch (result.status) {
    case 'completed':
      return [...closed, finish(fold.account.reason)]
    case 'await_user':
      // A wait for something that no client can answer is reported, so that the client does not wait for it.
      return [
        ...requests,
        ...closed,
        ...fold.nested(questions, nested, at),
        ...(isAnswerable ? unfit : [errorPart(code, message)]),
        finish('tool-calls'),
      ]
    case 'max_turns':
      // A page that sends automatically once all calls are complete would start over immediately, in an endless loop.
      return [...closed, errorPart(code, message), finish('tool-calls')]
    case 'max_tokens':
      return [...closed, finish('length')]
    case 'cancelled':
      return [...closed, { type: 'abort', reason: message }]
    case 'failed':
      return [...closed, errorPart(code, message)]
  }
}
