import { kernelOf } from '../../../agent/index.ts'
import type { AgentService } from '../../../agent/index.ts'
import type {
  AtlasStream,
  Conversations,
  ConversationsAs,
  SendOptions,
  StoredConversation,
} from '../../../chat/index.ts'
import { MandateError, errorInfo, onAbort, systemClock } from '../../../core/index.ts'
import type { Json, JsonObject } from '../../../core/index.ts'
import { AnswerEvents } from '../../streams/answer-events.ts'
import { EventStreams } from '../../streams/sse.ts'
import { Refusal } from '../error-answers.ts'
import { idempotencyKey, keyOfAnother } from '../idempotency-key.ts'
import type { Call, JsonSchema, Part, Route } from '../route.ts'
import { limitsSchema, plain } from './run-schemas.ts'
import { WAITING } from './run-wait.ts'
import { anything, count, list, object, oneOf, openObject, text, texts } from './schemas.ts'

const PATH = '/api/conversations/{conversationId}'

const message = openObject({ id: text, role: text, createdAt: { type: 'number' }, content: list(openObject({})) })
const summaryMembers = {
  id: text,
  owner: text,
  agentId: { anyOf: [text, { type: 'null' }] },
  createdAt: { type: 'number' },
  updatedAt: { type: 'number' },
  status: oneOf('idle', 'running', 'suspended'),
  'streamId?': text,
  'metadata?': anything,
  pending: list(openObject({})),
}
const summary = object(summaryMembers)
const conversation = object({ ...summaryMembers, messages: list(message), runs: texts })
/** The schema of a turn that has ended or waits. */
const turn = object({
  streamId: text,
  status: oneOf('completed', 'suspended', 'cancelled', 'failed'),
  'message?': message,
  pending: list(openObject({})),
  'error?': openObject({ code: text, message: text }),
})
const accepted = object({ streamId: text })
const given: JsonSchema = { anyOf: [text, openObject({ content: {} })] }
const sendBody = object({
  message: given,
  'agentId?': text,
  'toolChoice?': text,
  'instructions?': text,
  'budget?': limitsSchema,
})

type Sent = Omit<SendOptions, 'signal' | 'queue' | 'idempotencyKey'> & {
  readonly message: Parameters<ConversationsAs['send']>[1]
}

interface Talking {
  readonly service: AgentService
  readonly conversations: Conversations
  readonly streams: EventStreams
}

/**
 * Returns the routes for conversations over HTTP, for the `parts` of a server. A conversation belongs to the identity that created it.
 *
 * @example
 * ```ts
 * import { AgentService } from 'mandate'
 * import { Conversations } from 'mandate/chat'
 * import { scripted } from 'mandate/model'
 * import { conversationPart, httpServer, newToken } from 'mandate/server'
 * const service = new AgentService({ agents: [{ id: 'helper', model: scripted(['Hello.']) }] })
 * const server = httpServer(service, {
 *   tokens: [{ token: newToken(), identity: { id: 'ana', roles: ['owner'] } }],
 *   parts: [conversationPart(service, new Conversations(service))],
 * })
 * ```
 */
export function conversationPart(service: AgentService, conversations: Conversations): Part {
  const streams = new EventStreams(kernelOf(service).clock)
  const talking = { service, conversations, streams }
  return { routes: [...keepingRoutes(talking), ...turnRoutes(talking)], close: () => streams.close() }
}

/** Returns the conversations in the name of the caller. */
function of({ conversations }: Talking, { identity }: Call): ConversationsAs {
  return conversations.as(identity)
}

function idOf({ params }: Call): string {
  return params['conversationId']!
}

/** Returns the routes that create, list, read, change, copy and delete conversations. */
function keepingRoutes(talking: Talking): readonly Route[] {
  const base = { tag: 'conversations', access: 'identity' } as const
  return [
    {
      ...base,
      method: 'POST',
      path: '/api/conversations',
      summary: 'Begins a conversation. It belongs to the caller.',
      permission: 'run-agent',
      body: object({ 'id?': text, 'agentId?': text, 'metadata?': openObject({}) }),
      answer: { status: 201, schema: conversation },
      handle: async (call) => plain(await of(talking, call).create(call.body as object)),
    },
    {
      ...base,
      method: 'GET',
      path: '/api/conversations',
      summary: 'The conversations of the caller, the last one spoken in first.',
      query: object({ 'limit?': { type: 'integer', minimum: 1, maximum: 500 }, 'offset?': count }),
      answer: { status: 200, schema: object({ conversations: list(summary) }) },
      handle: async (call) => plain({ conversations: await of(talking, call).list(call.query) }),
    },
    {
      ...base,
      method: 'GET',
      path: PATH,
      summary: 'A conversation with its messages; those of a turn that is under way as far as it is.',
      answer: { status: 200, schema: conversation },
      handle: async (call) => plain(await of(talking, call).get(idOf(call))),
    },
    {
      ...base,
      method: 'PATCH',
      path: PATH,
      summary: 'Says which agent answers from now on, or replaces the metadata. What is not given stays.',
      permission: 'run-agent',
      body: object({ 'agentId?': text, 'metadata?': openObject({}) }),
      answer: { status: 200, schema: conversation },
      handle: async (call) => plain(await changed(talking, call)),
    },
    {
      ...base,
      method: 'DELETE',
      path: PATH,
      summary: 'Deletes a conversation with its messages. The journals of its runs stay.',
      answer: { status: 200, schema: object({ id: text }) },
      async handle(call) {
        await of(talking, call).delete(idOf(call))
        return { id: idOf(call) }
      },
    },
    {
      ...base,
      method: 'POST',
      path: `${PATH}/fork`,
      summary:
        'A copy of a conversation: with all turns, the first ones, or without the last ones (a negative number).',
      permission: 'run-agent',
      body: object({ 'id?': text, 'turns?': { type: 'integer' } }),
      answer: { status: 201, schema: conversation },
      handle: async (call) => plain(await of(talking, call).fork(idOf(call), call.body as object)),
    },
  ]
}

async function changed(talking: Talking, call: Call): Promise<StoredConversation> {
  const [as, id] = [of(talking, call), idOf(call)]
  const { agentId, metadata } = call.body as { readonly agentId?: string; readonly metadata?: JsonObject }
  if (agentId !== undefined) await as.setAgent(id, agentId)
  if (metadata !== undefined) await as.setMetadata(id, metadata)
  return as.get(id)
}

/** Returns the routes that send messages and control turns. */
function turnRoutes(talking: Talking): readonly Route[] {
  const base = { method: 'POST', tag: 'conversations', access: 'identity', permission: 'run-agent' } as const
  return [
    {
      ...base,
      path: `${PATH}/messages`,
      summary:
        'Sends a message. With `wait` the answer if it comes in time; otherwise 202 with the run of the turn, once it has begun. 409 where earlier turns are not over in time.',
      query: WAITING,
      body: sendBody,
      answer: { status: 201, schema: turn, also: { 202: accepted } },
      handle: async (call) => sendAndWait(talking, call),
    },
    {
      ...base,
      path: `${PATH}/stream`,
      summary:
        'Sends a message and streams the answer: `start` once its turn has begun, `text`, then `end` or `error`. After `start` it goes on without its client.',
      body: sendBody,
      answer: { status: 200, stream: true },
      async handle(call) {
        const stream = await send(talking, call, { queue: true })
        const stop = onAbort(call.closing, () => void stream.withdraw())
        void stream.started.then((hasStarted) => {
          stop()
          if (hasStarted) drive(call, stream)
        })
        return talking.streams.response(new AnswerEvents(stream, idOf(call)))
      },
    },
    {
      ...base,
      path: `${PATH}/append`,
      summary: 'Adds a message that nobody is to answer.',
      body: object({ message: given }),
      answer: { status: 201, schema: message },
      handle: async (call) => plain(await of(talking, call).append(idOf(call), (call.body as unknown as Sent).message)),
    },
    {
      ...base,
      path: `${PATH}/continue`,
      summary: 'Goes on with a turn that waited for a person.',
      query: WAITING,
      body: object({}),
      answer: { status: 201, schema: turn, also: { 202: accepted } },
      handle: async (call) => answerFor(talking, call, await of(talking, call).continue(idOf(call))),
    },
    {
      ...base,
      path: `${PATH}/cancel`,
      summary: 'Ends the turn that is under way or waits. What was said stays.',
      body: object({ 'reason?': text }),
      answer: { status: 200, schema: object({ id: text }) },
      async handle(call) {
        await of(talking, call).cancel(idOf(call), (call.body as { readonly reason?: string }).reason)
        return { id: idOf(call) }
      },
    },
  ]
}

/** Sends a message. An invalid message is refused before the response begins. */
async function send(talking: Talking, call: Call, { queue }: Pick<SendOptions, 'queue'>): Promise<AtlasStream> {
  const { message: sent, ...options } = call.body as unknown as Sent
  const as = of(talking, call)
  const { owner } = await as.get(idOf(call))
  if (owner !== call.identity.id)
    throw new MandateError('DENIED', 'Only its owner may speak in a conversation. Begin one, or fork your own.')
  if (options.agentId !== undefined) talking.service.agent(options.agentId)
  const stream = as.send(idOf(call), sent, { ...options, queue, idempotencyKey: idempotencyKey(call.request) })
  if (stream.status === 'failed') await stream.finalMessage
  return stream
}

/**
 * Sends a message and waits for the answer. A message is accepted only when its turn is in the journal: while it waits for earlier turns it exists only in
 * memory, and it is withdrawn when the time is over.
 */
async function sendAndWait(talking: Talking, call: Call): Promise<Response> {
  const seconds = waitOf(call)
  const stream = await send(talking, call, { queue: seconds > 0 })
  const wait = waitFor(call, seconds)
  try {
    const isInTime = seconds === 0 || (await wait.sees(stream.started))
    if (!isInTime && (await stream.withdraw())) throw notBegun(call)
    if (await stream.started) drive(call, stream)
    const isOver = !(await stream.started) || (await wait.sees(stream.finalMessage))
    return await answer(talking, stream, isOver)
  } catch (error) {
    throw idempotencyKey(call.request) !== undefined && errorInfo(error).code === 'DUPLICATE' ? keyOfAnother() : error
  } finally {
    wait.end()
  }
}

function notBegun({ closing }: Call): Refusal {
  return closing.aborted
    ? new Refusal(503, 'CLOSED', 'The server is closing. The message was not sent.', { 'retry-after': '2' })
    : new Refusal(409, 'RUN_STATE', 'Earlier turns of the conversation are not over. The message was not sent.')
}

/** Registers the run of a turn with the server, which suspends it durably when it closes. */
function drive(call: Call, { streamId, finalMessage }: AtlasStream): void {
  call.drives({ id: streamId, then: finalMessage.then.bind(finalMessage) as never })
}

/** Returns the result of an existing turn if it arrives within `?wait` seconds, otherwise 202. */
async function answerFor(talking: Talking, call: Call, stream: AtlasStream): Promise<Response> {
  drive(call, stream)
  const wait = waitFor(call, waitOf(call))
  try {
    return await answer(talking, stream, await wait.sees(stream.finalMessage))
  } finally {
    wait.end()
  }
}

/** Returns the result of a turn, or 202 with the location of its run. */
async function answer({ service }: Talking, stream: AtlasStream, isOver: boolean): Promise<Response> {
  const { streamId } = stream
  const headers = { location: `/api/runs/${encodeURIComponent(streamId)}` }
  if (!isOver) return Response.json({ streamId }, { status: 202, headers })
  return Response.json(await turnOf(service, stream), { status: 201, headers })
}

async function turnOf(service: AgentService, stream: AtlasStream): Promise<Json> {
  const { streamId, finalMessage } = stream
  try {
    const said = await finalMessage
    return plain({ streamId, status: stream.status, message: said, pending: stream.pending })
  } catch (error) {
    // A turn without a run was refused, so the error is thrown. The error of a failed run is returned; the conversation has stored it.
    const { code, message: why } = errorInfo(error)
    const isKeyTaken = code === 'DUPLICATE' && !(await stream.started)
    if (isKeyTaken || (await service.journal.summary(streamId)) === undefined) throw error
    return { streamId, status: 'failed', pending: [], error: { code, message: why } }
  }
}

function waitOf({ query }: Call): number {
  return Number(query['wait'] ?? 0)
}

/** The total time that a request waits: at most the given seconds, and only while its client is connected and the server is open. */
interface Wait {
  /** Returns whether a promise settled in that time. */
  sees(over: Promise<unknown>): Promise<boolean>
  end(): void
}

function waitFor({ signal, closing }: Call, seconds: number): Wait {
  const late = Promise.withResolvers<false>()
  const end = (): void => late.resolve(false)
  const ends = [systemClock.timer(seconds * 1_000, end), onAbort(signal, end), onAbort(closing, end)]
  return {
    async sees(over) {
      if (seconds === 0) return false
      const done = over.then(
        () => true,
        () => true,
      )
      return Promise.race([done, late.promise])
    },
    end() {
      for (const stop of ends) stop()
    },
  }
}
