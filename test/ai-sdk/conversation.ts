import { type Message, type Model, type ModelReply, type ModelRequest, collectReply, userMessage } from 'mandate/model'
import { toolCallsOf, toolMessage } from '../../src/model/index.ts'

/** Asks a model once, as the kernel does. */
export function ask(
  model: Model,
  request: ModelRequest | readonly Message[],
  signal?: AbortSignal,
): Promise<ModelReply> {
  const asked = 'messages' in request ? request : { messages: request }
  const call = { signal: signal ?? new AbortController().signal, attempt: 1, idempotencyKey: 'k' }
  return collectReply(model.stream(asked, call), undefined, asked)
}

/** The conversation after a reply: its calls answered, or something new said. */
export function goOn(reply: ModelReply): readonly Message[] {
  const results = toolCallsOf(reply.message).map(
    ({ toolCallId, name }) => ({ type: 'tool-result', toolCallId, name, status: 'ok', value: { done: true } }) as const,
  )
  return [userMessage('Begin.'), reply.message, results.length > 0 ? toolMessage(results) : userMessage('Go on.')]
}
