import { kernelOf, serviceAgent } from '../../../agent/index.ts'
import type { AgentService, AgentSpec, AiSdkMessage, AiSdkStreamed } from '../../../agent/index.ts'
import { MandateError, isRecord } from '../../../core/index.ts'
import type { Json } from '../../../core/index.ts'
import type { RunSummary } from '../../../journal/index.ts'
import type { Call, Route } from '../../http/route.ts'
import { textBody } from '../../streams/iterable-stream.ts'
import { SSE_HEADERS } from '../../streams/sse.ts'
import { conversationFrom } from '../client-messages.ts'
import { eventTexts } from '../event-texts.ts'
import { agentSpec, openAgent } from '../face.ts'
import { Answer } from './answer.ts'
import { chatChunks, chatCompletion } from './chat-completions.ts'
import { BadRequest, UnknownModel, errorResponse } from './errors.ts'
import {
  chatTurns,
  checkSupported,
  clientTools,
  fieldsOf,
  messagesOf,
  offeredTools,
  responseTurns,
  sessionOf,
  textField,
  toolChoiceOf,
} from './request.ts'
import { ResponseFold } from './responses.ts'

interface OpenAiFace {
  readonly service: AgentService
}

type Handling = (face: OpenAiFace, call: Call) => Promise<Response | Json>

/** Returns routes that serve agents as models of the OpenAI API, for clients that support no other API. The model name is the agent id. */
export function openAiRoutes(face: OpenAiFace): Route[] {
  const post = (path: string, summary: string, handle: Handling): Route => ({
    method: 'POST',
    path,
    summary,
    tag: 'openai',
    access: 'identity',
    body: { type: 'object' },
    answer: { status: 200, stream: true },
    // OpenAI clients expect errors in the format of its API.
    handle: (call) => handle(face, call).catch(errorResponse),
  })
  return [
    {
      method: 'GET',
      path: '/v1/models',
      summary: 'The agents that the caller may run, as models.',
      tag: 'openai',
      access: 'identity',
      answer: { status: 200, schema: { type: 'object' } },
      handle: async ({ service }) => ({
        object: 'list',
        data: service.agents().map(modelOf),
      }),
    },
    {
      method: 'GET',
      path: '/v1/models/{model}',
      summary: 'An agent that the caller may run, as a model.',
      tag: 'openai',
      access: 'identity',
      answer: { status: 200, schema: { type: 'object' } },
      handle: async (call) => modelOf(modelNamed(call, call.params['model']!)),
    },
    post('/v1/chat/completions', 'Runs an agent by the Chat Completions API of OpenAI.', complete),
    post('/v1/responses', 'Runs an agent by the Responses API of OpenAI.', respond),
    {
      method: 'GET',
      path: '/v1/responses/{responseId}',
      summary: 'A response as it stands: all that its run has said until now.',
      tag: 'openai',
      access: 'identity',
      answer: { status: 200, schema: { type: 'object' } },
      handle: (call) => retrieve(face, call).catch(errorResponse),
    },
  ]
}

function modelOf({ id }: AgentSpec): { readonly [field: string]: Json } {
  return { id, object: 'model', created: 0, owned_by: 'mandate' }
}

/** The agent that a client names as its model. */
function modelNamed(call: Call, model: string): AgentSpec {
  try {
    return agentSpec(call, model)
  } catch (error) {
    throw MandateError.isInstance(error) && error.code === 'NOT_FOUND' ? new UnknownModel(error.message) : error
  }
}

interface Opened {
  readonly streamed: AiSdkStreamed
  readonly answer: Answer
  readonly created: number
}

async function open(
  face: OpenAiFace,
  call: Call,
  {
    spec,
    ...asked
  }: { readonly spec: AgentSpec; readonly messages: readonly AiSdkMessage[]; readonly sessionId: string | undefined },
): Promise<Opened> {
  const fields = fieldsOf(call.body)
  checkSupported(fields)
  const offered = offeredTools(fields, spec)
  const toolChoice = toolChoiceOf(fields)
  const streamed = await openAgent(face, call, { agentId: spec.id, ...asked, toolChoice, abortSignal: call.signal })
  const { runId } = streamed
  const answer = new Answer({ runId, offered, pending: () => call.service.approvals(runId) })
  return { streamed, answer, created: Math.floor(kernelOf(face.service).clock.now() / 1_000) }
}

const complete: Handling = async (face, call) => {
  const fields = fieldsOf(call.body)
  const model = textField(fields, 'model')
  const spec = modelNamed(call, model)
  const messages = conversationFrom(chatTurns(fields['messages']))
  const { streamed, ...opened } = await open(face, call, { spec, messages, sessionId: sessionOf(fields) })
  const completion = { ...opened, model }
  if (fields['stream'] !== true) return Response.json(await chatCompletion(completion, streamed.stream))
  const options = fields['stream_options']
  const includesUsage = isRecord(options) && options['include_usage'] === true
  return events(chatChunks(completion, streamed.stream, includesUsage))
}

const respond: Handling = async (face, call) => {
  const fields = fieldsOf(call.body)
  const model = textField(fields, 'model')
  const spec = modelNamed(call, model)
  const { previous_response_id: previous, instructions, metadata } = fields
  const turns = responseTurns(fields['input'])
  const told =
    typeof instructions === 'string' ? [{ role: 'instructions' as const, text: instructions }, ...turns] : turns
  const before = typeof previous === 'string' ? await earlier(call, previous) : undefined
  const messages = [...(before?.messages ?? []), ...conversationFrom(told)]
  const opened = await open(face, call, { spec, messages, sessionId: before?.sessionId ?? sessionOf(fields) })
  const { answer, streamed, created } = opened
  const { runId } = streamed
  // A resumed run gets another response id each time.
  const id = before?.run === runId ? `resp_${runId}~${before.seq}` : `resp_${runId}`
  const asked = {
    metadata,
    toolChoice: fields['tool_choice'],
    previous: typeof previous === 'string' ? previous : null,
  }
  const setup = { answer, id, model, created, ...asked }
  const fold = new ResponseFold(setup)
  if (fields['stream'] === true)
    return events(
      eventTexts(fold, streamed.stream, {
        textOf: (event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`,
        onFailure: (error) => fold.fail(error),
      }),
    )
  for await (const part of streamed.stream) fold.add(part)
  await fold.end()
  if (answer.failure !== undefined) throw answer.failure.error
  return Response.json(fold.response(fold.status()))
}

/** Returns the response of an earlier request, rebuilt from the journal of its run. */
const retrieve: Handling = async (face, call) => {
  const id = call.params['responseId']!
  const summary = await runBehind(call, id)
  const spec = face.service.agents().find((agent) => agent.id === summary?.name)
  if (summary === undefined || spec === undefined)
    throw new MandateError('NOT_FOUND', `There is no response ${JSON.stringify(id)}.`)
  const { run } = summary
  const offered = new Set(clientTools(spec))
  const answer = new Answer({ runId: run, offered, pending: () => call.service.approvals(run) })
  const created = Math.floor(summary.createdAt / 1_000)
  const fold = new ResponseFold({ answer, id, model: spec.id, created, metadata: {}, previous: null })
  for await (const part of await serviceAgent(face.service, spec.id).recorded(run)) fold.add(part)
  if (summary.state === 'running') return Response.json(fold.response('in_progress'))
  await fold.end()
  return Response.json(fold.response(fold.status()))
}

/** Returns the run id that a response id contains. */
function runOf(id: string): string | undefined {
  return /^resp_([^~]+)(?:~\d+)?$/.exec(id)?.[1]
}

/** Returns the run of a response. A run that the caller may not read is treated as one that does not exist. */
async function runBehind({ service }: Call, id: string): Promise<RunSummary | undefined> {
  const run = runOf(id)
  if (run === undefined) return undefined
  try {
    return await service.summary(run)
  } catch (error) {
    if (MandateError.isInstance(error) && UNKNOWN.has(error.code)) return undefined
    throw error
  }
}

const UNKNOWN: ReadonlySet<string> = new Set(['DENIED', 'NOT_FOUND', 'ID_INVALID'])

/** Returns the conversation up to and including an earlier response. */
async function earlier(
  call: Call,
  id: string,
): Promise<{
  readonly run: string
  readonly seq: number
  readonly sessionId: string
  readonly messages: AiSdkMessage[]
}> {
  const summary = await runBehind(call, id)
  if (summary === undefined) throw new BadRequest('previous_response_id', `There is no response ${JSON.stringify(id)}.`)
  const { run, head, sessionId } = summary
  return { run, seq: head.seq, sessionId, messages: messagesOf(await call.service.messages(run)) }
}

function events(texts: AsyncGenerator<string>): Response {
  return new Response(textBody(texts), { headers: SSE_HEADERS })
}
