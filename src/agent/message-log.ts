import type { Json, Outcome } from '../core/index.ts'
import { toolMessage } from '../model/index.ts'
import type { Message, ModelReply, ToolResultPart } from '../model/index.ts'
import type { RunContext } from '../run/index.ts'
import { toolResult } from './transcript.ts'

/** A message as the journal has it. What an effect gave is already there, so the message only points to it. */
export type LoggedMessage = Message | { readonly reply: string } | { readonly results: readonly LoggedResult[] }

/** The result of a call: by the key of its effect, or in full when there was no effect. */
export type LoggedResult = { readonly toolCallId: string; readonly name: string; readonly ref: string; readonly note?: string } | ToolResultPart

/** The model's reply becomes part of the conversation. */
export function appendReply(context: RunContext, key: string): void {
  context.append({ reply: key } satisfies LoggedMessage)
}

/** The results of one turn become part of the conversation, in the order of the calls. */
export function appendResults(context: RunContext, results: readonly LoggedResult[], outcomes: ReadonlyMap<string, Outcome<Json>> = new Map()): Message {
  context.append({ results } as unknown as Json)
  return toolMessage(results.map((result) => resolve(result, (key) => outcomes.get(key))))
}

function resolve(result: LoggedResult, outcomeOf: (key: string) => Outcome<Json> | undefined): ToolResultPart {
  if (!('ref' in result)) return result
  return toolResult(result, outcomeOf(result.ref) ?? { status: 'unknown', reason: 'its outcome is not in the journal' }, result.note)
}

/** A logged message in full, given what the effects it points to came to. */
export function expandMessage(logged: LoggedMessage, outcomeOf: (key: string) => Outcome<Json> | undefined): Message | undefined {
  if ('reply' in logged) {
    const outcome = outcomeOf(logged.reply)
    return outcome?.status === 'ok' ? (outcome.value as unknown as ModelReply).message : undefined
  }
  if ('results' in logged) return toolMessage(logged.results.map((result) => resolve(result, outcomeOf)))
  return logged
}
