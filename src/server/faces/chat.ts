import type { AgentService } from '../../agent/index.ts'
import { MandateError, messageOf } from '../../core/index.ts'
import type { Json } from '../../core/index.ts'
import { readStart } from '../../journal/index.ts'
import type { MandateEvent } from '../../journal/index.ts'
import type { Message } from '../../model/index.ts'
import { refuseKey } from '../http/idempotency-key.ts'
import type { Call, Route } from '../http/route.ts'
import { streamOf } from '../streams/iterable-stream.ts'
import { RunCursor } from '../streams/run-cursor.ts'
import type { RunFeeds } from '../streams/run-feeds.ts'
import { STREAM_TIMES } from '../streams/sse.ts'
import { loadAi } from './ai-package.ts'
import type { AiPackage, UIMessageChunk } from './ai-package.ts'
import { claimConversation } from './claim.ts'
import { uiMessages } from './chat-history.ts'
import type { UiMessage } from './chat-history.ts'
import { agentFor, driven, labelsOf, lastRun, toldMessage } from './face.ts'

interface ChatFace {
  readonly service: AgentService
  readonly feeds: RunFeeds
  /**
   * Runs that were still running when a client read the messages of their conversation, by client and conversation. The client gets the answer as a stream
   * even if the run has ended in the meantime.
   */
  readonly owed: Map<string, string>
}

/** The maximum number of characters of an AI SDK error message that are passed on. */
const WHY_CHARS = 1_000
/** The maximum number of clients in `owed`; the oldest are evicted. */
const OWED_MAX = 10_000

/**
 * Returns the routes for `useChat`: POST sends messages and streams the answer as a UI message stream; GET returns the rest of that stream after a page
 * reload.
 */
export function chatRoutes(parts: Omit<ChatFace, 'owed'>): Route[] {
  const face: ChatFace = { ...parts, owed: new Map() }
  const path = '/api/chat/{agentId}'
  const tag = 'chat'
  return [
    {
      method: 'POST',
      path,
      summary: 'Sends a conversation to an agent, as `useChat` of the AI SDK does, and streams its answer.',
      tag,
      access: 'identity',
      body: {
        type: 'object',
        properties: { id: { type: 'string', maxLength: 128 }, messages: { type: 'array', items: { type: 'object' } } },
        required: ['messages'],
      },
      answer: { status: 200, stream: true },
      handle: (call) => send(face, call),
    },
    {
      method: 'GET',
      path: `${path}/{chatId}`,
      summary: 'The messages of a conversation, as `useChat` takes them, without an answer that is under way.',
      tag,
      access: 'identity',
      answer: { status: 200, schema: MESSAGES },
      handle: async (call) => ({ messages: (await messagesOf(face, call)) as unknown as Json }),
    },
    {
      method: 'GET',
      path: `${path}/{chatId}/stream`,
      summary: 'The rest of the answer that is under way in a conversation, or 204 where there is none.',
      tag,
      access: 'identity',
      answer: { status: 200, stream: true },
      handle: (call) => resume(face, call),
    },
    {
      method: 'DELETE',
      path: `${path}/{chatId}/stream`,
      summary: 'Cancels the run that is under way in a conversation.',
      tag,
      access: 'identity',
      answer: { status: 204 },
      handle: (call) => cancelRun(call),
    },
  ]
}

const MESSAGES = {
  type: 'object',
  properties: { messages: { type: 'array', items: { type: 'object' } } },
  required: ['messages'],
}

/** Returns the messages of a conversation: the input of its last run, and the answer of that run so far. */
async function messagesOf(face: ChatFace, call: Call): Promise<readonly UiMessage[]> {
  const agentId = call.params['agentId']!
  const run = await lastRun(call, agentId, call.params['chatId'])
  const start = run === undefined ? undefined : await readStart(face.service.journal, run.run)
  if (run === undefined || start === undefined) return []
  if (run.state === 'running') owe(face, call, run.run)
  const ai = await loadAi()
  const agent = agentFor(face, call, agentId)
  const stream = ai.toUIMessageStream({
    stream: streamOf(await agent.recorded(run.run)) as never,
    tools: agent.tools as never,
    onError: toldMessage,
  })
  const { history, prompt } = start.input as unknown as { history: readonly Message[]; prompt: Message | null }
  const before = uiMessages(prompt === null ? history : [...history, prompt])
  const answer = { id: run.run, role: 'assistant' as const, parts: [] }
  let last: UiMessage = answer
  for await (const message of ai.readUIMessageStream({ stream, message: answer, onError: () => {} })) last = message
  return last.parts.length === 0 ? before : [...before, last]
}

async function send(face: ChatFace, call: Call): Promise<Response> {
  const agentId = call.params['agentId']!
  const { messages, id: sessionId } = call.body as unknown as { readonly messages: object[]; readonly id?: string }
  refuseKey(call.request)
  const ai = await loadAi()
  const agent = agentFor(face, call, agentId)
  const historyLabels = await labelsOf(face, call, { agentId, sessionId })
  // A request with approvals or results of the page's tools ends with a message of the agent.
  const last: { readonly role?: unknown } | undefined = messages.at(-1)
  const isMessage = last?.role === 'user'
  const claim = await claimConversation(face, call, { agentId, sessionId, isMessage, stopping: 'DELETE …/stream' })
  let runId = ''
  const tracked = {
    ...agent,
    stream: async (asked: Parameters<typeof agent.stream>[0]) => {
      const streamed = await driven(face, call, await agent.stream(asked))
      runId = streamed.runId
      await claim.begun(streamed)
      return streamed
    },
  }
  const options = {
    identity: call.identity,
    runId: claim.runId,
    ...(sessionId === undefined ? {} : { sessionId }),
    ...(historyLabels.length === 0 ? {} : { historyLabels }),
  }
  const stream = await badMessages(() =>
    ai.createAgentUIStream({
      agent: tracked as never,
      uiMessages: messages,
      options: options as never,
      onError: toldMessage,
      messageMetadata: ({ part }: { part: { type: string } }) => (part.type === 'start' ? { runId } : undefined),
    }),
  ).catch((error: unknown) => {
    claim.release()
    throw error
  })
  return respond(ai, stream as ReadableStream<UIMessageChunk>, runId)
}

/** Reports messages that the AI SDK cannot read, or that contain an invalid URL, as INPUT_INVALID. */
async function badMessages<T>(open: () => Promise<T>): Promise<T> {
  try {
    return await open()
  } catch (error) {
    const { name, code } = (error ?? {}) as { readonly name?: string; readonly code?: unknown }
    const isTheirs = name?.startsWith('AI_') === true || code === 'ERR_INVALID_URL'
    if (MandateError.isInstance(error) || !isTheirs) throw error
    // The full error message repeats all messages of the request.
    const why = messageOf(error)
      .replace(/Value: [^]*?\.\nError message: /, '')
      .slice(0, WHY_CHARS)
    throw new MandateError('INPUT_INVALID', `The messages cannot be read: ${why}`, { cause: error })
  }
}

async function resume(face: ChatFace, call: Call): Promise<Response> {
  const agentId = call.params['agentId']!
  const run = await lastRun(call, agentId, call.params['chatId'])
  const client = clientOf(call)
  const isOwed = run !== undefined && face.owed.get(client) === run.run
  face.owed.delete(client)
  if (run === undefined || (run.state !== 'running' && !isOwed)) return new Response(null, { status: 204 })
  const ai = await loadAi()
  const agent = agentFor(face, call, agentId)
  const parts = await agent.follow(run.run, eventsOf(face, call, run.run))
  const stream = ai.toUIMessageStream({
    stream: streamOf(parts) as never,
    tools: agent.tools as never,
    onError: toldMessage,
    messageMetadata: ({ part }: { part: { type: string } }) => (part.type === 'start' ? { runId: run.run } : undefined),
  })
  return respond(ai, stream, run.run)
}

function owe({ owed }: ChatFace, call: Call, run: string): void {
  owed.set(clientOf(call), run)
  if (owed.size > OWED_MAX) owed.delete(owed.keys().next().value!)
}

function clientOf({ identity, params }: Call): string {
  return JSON.stringify([identity.id, params['agentId'], params['chatId']])
}

async function cancelRun(call: Call): Promise<Response> {
  const run = await lastRun(call, call.params['agentId'], call.params['chatId'])
  if (run?.state === 'running' || run?.state === 'suspended') await call.service.cancel(run.run, 'stopped by the user')
  return new Response(null, { status: 204 })
}

function respond(ai: AiPackage, stream: ReadableStream<UIMessageChunk>, runId: string): Response {
  const headers = runId === '' ? {} : { 'x-mandate-run': runId }
  return ai.createUIMessageStreamResponse({ stream, headers, keepAliveMs: STREAM_TIMES.heartbeatMs })
}

/** Yields all events of a run: its stored entries first, then live events. */
async function* eventsOf({ feeds }: ChatFace, { service, signal }: Call, runId: string): AsyncGenerator<MandateEvent> {
  const { feed, leave } = feeds.join(runId)
  let wake = Promise.withResolvers<void>()
  const changed = (): void => wake.resolve()
  const stop = feed.onChange(changed)
  signal.addEventListener('abort', changed)
  const cursor = new RunCursor(feed, 0, { read: (fromSeq) => service.entries(runId, { fromSeq }), leave })
  try {
    await feed.ready
    while (!signal.aborted) {
      const step = await cursor.next()
      if (step !== undefined) yield step.event as unknown as MandateEvent
      else if (feed.failure !== undefined) throw new MandateError('STORE_FAILED', feed.failure)
      else if (feed.isOver) return
      else {
        await wake.promise
        wake = Promise.withResolvers<void>()
      }
    }
  } finally {
    stop()
    signal.removeEventListener('abort', changed)
    cursor.close()
  }
}
