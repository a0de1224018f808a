import { canonical } from '../../core/index.ts'
import type { Json, Outcome } from '../../core/index.ts'
import { toolMessage, userMessage } from '../../model/index.ts'
import type { Message, ModelReply, ToolResultPart } from '../../model/index.ts'
import type { RunContext } from '../../run/index.ts'
import { toolResult } from './transcript.ts'

/** A message as journaled. Results of effects are in the journal already, so the message only refers to them. */
export type LoggedMessage = Message | { readonly reply: string } | { readonly results: readonly LoggedResult[] }

/** The result of a call: the key of its effect, or the full result if there was no effect. */
export type LoggedResult =
  | { readonly toolCallId: string; readonly name: string; readonly ref: string; readonly note?: string }
  | ToolResultPart

type OutcomeOf = (key: string) => Outcome<Json> | undefined

/** Appends the model's reply to the conversation. */
export function appendReply(context: RunContext, key: string): void {
  context.append({ reply: key } satisfies LoggedMessage)
}

/** Appends the results of one turn to the conversation, in the order of the calls. */
export function appendResults(
  context: RunContext,
  results: readonly LoggedResult[],
  outcomes: ReadonlyMap<string, Outcome<Json>> = new Map(),
): Message {
  context.append({ results } satisfies LoggedMessage)
  return toolMessage(results.map((result) => resolve(result, (key) => outcomes.get(key))))
}

function resolve(result: LoggedResult, outcomeOf: OutcomeOf): ToolResultPart {
  if (!('ref' in result)) return result
  const outcome = outcomeOf(result.ref) ?? { status: 'unknown', reason: 'its outcome is not in the journal' }
  return toolResult(result, outcome, result.note)
}

/** The messages that one journal entry adds to the conversation, given the outcomes of the effects to which it refers. A list is steering messages. */
export function expandMessage(logged: LoggedMessage | readonly Json[], outcomeOf: OutcomeOf): readonly Message[] {
  if (Array.isArray(logged)) return (logged as readonly Json[]).map(steeringMessage)
  const message = logged as LoggedMessage
  if ('reply' in message) {
    const outcome = outcomeOf(message.reply)
    return outcome?.status === 'ok' ? [(outcome.value as unknown as ModelReply).message] : []
  }
  if ('results' in message) return [toolMessage(message.results.map((result) => resolve(result, outcomeOf)))]
  return [message]
}

/** A steering message. A person may send a text or a user message; anything else is shown to the model as JSON. */
export function steeringMessage(said: Json): Message {
  if (typeof said === 'string') return userMessage(said)
  const { role, content } = (said ?? {}) as { role?: Json; content?: Json }
  const isMessage = role === 'user' && Array.isArray(content) && content.every((part) => isPart(part as Json))
  return isMessage ? (said as unknown as Message) : userMessage(canonical(said))
}

/** Tool calls and results come from the model and its tools only; messages given by the host must not contain them. */
function isPart(part: Json): boolean {
  const { type, text } = (part ?? {}) as { type?: Json; text?: Json }
  return type === 'text' ? typeof text === 'string' : type === 'image' || type === 'file'
}
