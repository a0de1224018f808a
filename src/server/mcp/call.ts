import { kernelOf } from '../../agent/index.ts'
import type { AgentService } from '../../agent/index.ts'
import { errorInfo } from '../../core/index.ts'
import type { Identity } from '../../journal/index.ts'
import { failure, resultOf } from './content.ts'
import type { Begin, Offer, Progress } from './offer.ts'
import { protocol } from './protocol.ts'
import type { CallToolResult, InputRequiredResult, RequestStateCodec, ServerContext } from './protocol.ts'
import { formOf, openQuestions, takeAnswer } from './questions.ts'
import { tellProgress } from './result-text.ts'
import { CONTINUE } from './tool-names.ts'

/** The state that a client sends back with its answers. It is sealed, because it comes from outside. */
interface CallState {
  readonly run: string
  readonly tool: string
}

export interface Caller {
  readonly service: AgentService
  readonly identity: Identity
  readonly codec: RequestStateCodec
  /** Whether the client can show forms to its user. */
  readonly canAsk: boolean
  /** Returns whether the client has disconnected. Absent where an abort always means that the call was cancelled. */
  readonly isGone?: (() => boolean) | undefined
}

/** The run that a call is about, and the function that starts or resumes it. */
export interface Work {
  /** The tool that was called; answers that the client sends back must be for the same tool. */
  readonly tool: string
  readonly offer: Offer
  readonly runId: string
  begin(begin: Begin): Promise<Progress>
}

/**
 * Carries out one call of a client as a run: starts the run, or resumes one that waited for an answer. If the client can show forms, its user is asked what
 * the run waits for; otherwise the result describes who must answer, and how to continue.
 */
export async function carryOut(
  work: Work,
  caller: Caller,
  context: ServerContext,
): Promise<CallToolResult | InputRequiredResult> {
  const { _meta: meta } = context.mcpReq
  const state = context.mcpReq.requestState<CallState>()
  if (state !== undefined && state.tool !== work.tool) return failure('The state of this request is of another tool.')
  const runId = state?.run ?? work.runId
  const signal = cancelSignal(caller, runId, context.mcpReq.signal)
  const begin: Begin = { runId, identity: caller.identity, signal }
  const stop = tellProgress(caller.service.events, runId, context)
  try {
    const progress = await caller.service.events.inTrace(meta?.['traceparent'], () =>
      state === undefined ? work.begin(begin) : answerAndResume(work.offer, begin, caller, context),
    )
    return await conclude(progress, { tool: work.tool, runId, caller, context })
  } catch (error) {
    return failure(describe(error))
  } finally {
    stop()
  }
}

/**
 * Returns a signal that is aborted when the client cancels the call. A client that disconnects cancels nothing: its run is suspended, and can be continued by
 * its id.
 */
function cancelSignal({ service, isGone }: Caller, runId: string, aborted: AbortSignal): AbortSignal {
  if (isGone === undefined) return aborted
  const cancelled = new AbortController()
  const onAbort = (): void => {
    if (isGone())
      kernelOf(service)
        .interrupt(runId)
        .catch(() => {})
    else cancelled.abort(aborted.reason)
  }
  aborted.addEventListener('abort', onAbort, { once: true })
  if (aborted.aborted) onAbort()
  return cancelled.signal
}

/** Formats an error as text for the model of the client. */
export function describe(error: unknown): string {
  const { code, message } = errorInfo(error)
  return `${code}: ${message}`
}

async function answerAndResume(offer: Offer, begin: Begin, caller: Caller, context: ServerContext): Promise<Progress> {
  const service = caller.service.as(caller.identity)
  const answers = context.mcpReq.inputResponses ?? {}
  // A call can answer requests of its own run only.
  for (const [id, request] of await openQuestions(service, begin.runId))
    if (answers[id] !== undefined) await takeAnswer(service, request, answers[id])
  return offer.resume(begin)
}

interface Ending {
  readonly tool: string
  readonly runId: string
  readonly caller: Caller
  readonly context: ServerContext
}

async function conclude(
  progress: Progress,
  { tool, runId, caller, context }: Ending,
): Promise<CallToolResult | InputRequiredResult> {
  const named = { _meta: { 'mandate/run': runId } }
  if (progress.state === 'done') return { ...resultOf(progress.value), ...named }
  if (progress.state === 'failed') return { ...failure(progress.message), ...named }
  const questions = await openQuestions(caller.service.as(caller.identity), runId)
  // A closed form decided nothing; showing it again would never end.
  const isClosed = Object.values(context.mcpReq.inputResponses ?? {}).some(
    (answer) => (answer as { action?: unknown } | null)?.action === 'cancel',
  )
  if (!caller.canAsk || questions.size === 0 || isClosed) return { ...waiting(runId, progress.pending), ...named }
  const state: CallState = { run: runId, tool }
  return protocol.inputRequired({
    inputRequests: Object.fromEntries([...questions].map(([id, request]) => [id, formOf(request)])),
    requestState: await caller.codec.mint(state, context),
  })
}

function waiting(runId: string, pending: Extract<Progress, { state: 'waiting' }>['pending']): CallToolResult {
  const asked = pending.filter(({ approvalId }) => approvalId !== undefined)
  const how =
    asked.length === 0
      ? 'It goes on by itself later.'
      : `Someone with the right to must answer: ${asked.map(answeredBy).join(', ')}.`
  return failure(
    `APPROVAL_REQUIRED: Run ${runId} waits (${[...new Set(pending.map(({ reason }) => reason))].join(', ')}). ${how} ` +
      `Then call \`${CONTINUE}\` with { "runId": "${runId}" }; calling this tool again would begin anew.`,
  )
}

/** Returns the command that answers a pending request. */
function answeredBy({ approvalId: id, reason }: Extract<Progress, { state: 'waiting' }>['pending'][number]): string {
  return reason === 'approval'
    ? `\`mandate approve ${id}\` or \`mandate deny ${id}\``
    : `\`mandate answer ${id} <value>\``
}
