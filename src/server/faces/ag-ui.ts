import type { AgentService } from '../../agent/index.ts'
import { MandateError, isRecord } from '../../core/index.ts'
import type { JsonObject } from '../../core/index.ts'
import type { ApprovalRequest } from '../../run/index.ts'
import type { Call, Route } from '../http/route.ts'
import { textBody } from '../streams/iterable-stream.ts'
import { eventText } from '../streams/run-reader.ts'
import { SSE_HEADERS } from '../streams/sse.ts'
import { AgUiFold } from './ag-ui-events.ts'
import type { AgUiEvent } from './ag-ui-events.ts'
import { claimConversation } from './claim.ts'
import { conversationFrom } from './client-messages.ts'
import type { ClientTurn } from './client-messages.ts'
import { eventTexts } from './event-texts.ts'
import { openAgent, toldMessage } from './face.ts'
import { wireCallId } from './wire-calls.ts'

interface RunAgentInput {
  readonly threadId: string
  readonly runId: string
  readonly state?: unknown
  readonly messages: readonly AgUiMessage[]
  readonly tools?: readonly { readonly name: string }[]
  readonly resume?: readonly ResumeEntry[]
}

interface AgUiMessage {
  readonly role: string
  readonly content?: unknown
  readonly toolCalls?:
    | readonly {
        readonly id: string
        readonly function: { readonly name: string; readonly arguments: string }
      }[]
    | null
  readonly toolCallId?: string | null
  readonly error?: string | null
}

interface ResumeEntry {
  readonly interruptId: string
  readonly status: 'resolved' | 'cancelled'
  readonly payload?: unknown
}

const NAME = { type: 'string', minLength: 1, maxLength: 128 }
/** An optional text; some clients send null instead of omitting the field. */
const MAYBE_TEXT = { type: ['string', 'null'] }
const record = (properties: JsonObject, ...required: string[]): JsonObject => ({
  type: 'object',
  properties,
  required,
})

const CALLED = record({ name: { type: 'string' }, arguments: { type: 'string' } }, 'name', 'arguments')
const MESSAGE = record(
  {
    role: { type: 'string' },
    content: { type: ['string', 'array', 'object', 'null'], items: { type: 'object' } },
    toolCalls: {
      type: ['array', 'null'],
      items: record({ id: { type: 'string' }, function: CALLED }, 'id', 'function'),
    },
    toolCallId: MAYBE_TEXT,
    error: MAYBE_TEXT,
  },
  'role',
)
const ANSWER = record({ interruptId: NAME, status: { enum: ['resolved', 'cancelled'] } }, 'interruptId', 'status')

/** Returns the AG-UI route: runs an agent and streams its calls, its state and what it waits for as events of the protocol. */
export function agUiRoute(face: { readonly service: AgentService }): Route {
  return {
    method: 'POST',
    path: '/api/ag-ui/{agentId}',
    summary: 'Runs an agent by the AG-UI protocol (1.0) and streams its events.',
    tag: 'chat',
    access: 'identity',
    body: record(
      {
        threadId: NAME,
        runId: NAME,
        messages: { type: 'array', items: MESSAGE },
        tools: { type: 'array', items: record({ name: { type: 'string' } }, 'name') },
        resume: { type: 'array', items: ANSWER },
      },
      'threadId',
      'runId',
      'messages',
    ),
    answer: { status: 200, stream: true },
    handle: (call) => runAgent(face, call),
  }
}

async function runAgent(face: { readonly service: AgentService }, call: Call): Promise<Response> {
  const input = call.body as unknown as RunAgentInput
  const agentId = call.params['agentId']!
  const resumed = await Promise.all((input.resume ?? []).map((entry) => answersOf(call, entry)))
  const messages = conversationFrom([...input.messages.flatMap(turnOf), ...resumed.flat()])
  const isMessage = resumed.length === 0 && input.messages.at(-1)?.role === 'user'
  const stopping = 'POST /api/runs/{runId}/cancel'
  const sessionId = input.threadId
  const claim = await claimConversation(face, call, { agentId, sessionId, isMessage, stopping })
  const asking = { agentId, messages, sessionId, runId: claim.runId, abortSignal: call.signal }
  const streamed = await openAgent(face, call, asking).catch((error: unknown) => {
    claim.release()
    throw error
  })
  await claim.begun(streamed)
  const { threadId, runId, tools = [] } = input
  const fold = new AgUiFold({
    threadId,
    runId,
    run: streamed.runId,
    state: isRecord(input.state) ? input.state : {},
    offered: new Set(tools.map(({ name }) => name)),
    pending: () => call.service.approvals(streamed.runId),
  })
  return new Response(
    textBody(
      eventTexts(fold, streamed.stream, {
        textOf: (event: AgUiEvent) => eventText(event),
        onFailure: (error) => [{ type: 'RUN_ERROR', message: toldMessage(error) }],
      }),
    ),
    {
      headers: { ...SSE_HEADERS, 'x-mandate-run': streamed.runId },
    },
  )
}

function turnOf(message: AgUiMessage): ClientTurn[] {
  const { role, content, toolCalls, toolCallId, error } = message
  switch (role) {
    case 'system':
    case 'developer':
      return [{ role: 'instructions', text: textIn(content) }]
    case 'user':
      return [{ role: 'user', parts: userParts(content) }]
    case 'assistant': {
      const calls = (toolCalls ?? []).map(({ id, function: { name, arguments: written } }) => ({
        id,
        name,
        arguments: written,
      }))
      return [{ role: 'assistant', text: textIn(content), calls }]
    }
    case 'tool':
      return [
        { role: 'tool', id: toolCallId ?? '', text: error ?? textIn(content), isError: typeof error === 'string' },
      ]
    default:
      // Reasoning and activity messages are for display only; they are not sent to models again.
      return []
  }
}

function textIn(content: unknown): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content
    .map((part: { type?: unknown; text?: unknown }) => (part?.type === 'text' ? String(part.text) : ''))
    .join('')
}

interface MediaSource {
  readonly type?: unknown
  readonly value?: unknown
  readonly mimeType?: unknown
}

function userParts(content: unknown): object[] {
  if (!Array.isArray(content)) return [{ type: 'text', text: textIn(content) }]
  return content.flatMap((part: { type?: unknown; text?: unknown; source?: MediaSource }): object[] => {
    if (part?.type === 'text') return [{ type: 'text', text: String(part.text) }]
    const { type, value, mimeType } = part?.source ?? {}
    if (typeof value !== 'string') return []
    const mediaType =
      typeof mimeType === 'string' ? mimeType : part.type === 'image' ? 'image/*' : 'application/octet-stream'
    return [{ type: 'file', mediaType, data: type === 'url' ? addressOf(value) : value }]
  })
}

function addressOf(text: string): URL {
  const address = URL.parse(text)
  if (address !== null) return address
  throw new MandateError(
    'INPUT_INVALID',
    `The address of an attachment is not valid: ${JSON.stringify(text.slice(0, 80))}.`,
  )
}

/** Converts an answer to an interrupt to turns: the decision for an approval, the value for a question. */
async function answersOf({ service }: Call, { interruptId, status, payload }: ResumeEntry): Promise<ClientTurn[]> {
  const run = interruptId.replace(/-ap\d+$/, '')
  const asked = (await service.approvals(run)).find(({ id }) => id === interruptId)
  const isGiven = status === 'resolved'
  if (asked?.reason === 'question') return questionTurns(asked, isGiven, payload)
  const { approved, reason } = isRecord(payload) ? payload : { approved: payload, reason: undefined }
  if (isGiven && typeof approved !== 'boolean')
    throw new MandateError(
      'INPUT_INVALID',
      `The payload for the interrupt "${interruptId}" says not whether the call is approved. Send { "approved": true } or { "approved": false }.`,
    )
  const text = typeof reason === 'string' ? { reason } : {}
  return [{ role: 'approval', id: interruptId, approved: isGiven && approved === true, ...text }]
}

function questionTurns({ id, run, key, name }: ApprovalRequest, isGiven: boolean, payload: unknown): ClientTurn[] {
  const callId = wireCallId(id, { run, key })
  const text = isGiven ? JSON.stringify(payload ?? null) : 'The question was not answered.'
  return [
    { role: 'assistant', text: '', calls: [{ id: callId, name, arguments: '{}', nested: true }] },
    { role: 'tool', id: callId, text, isError: !isGiven },
  ]
}
