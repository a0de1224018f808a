import type { AiSdkMessage } from '../../agent/index.ts'
import { isRecord } from '../../core/index.ts'
import type { Json } from '../../core/index.ts'
import { readCallId } from './wire-calls.ts'

/** A call in a message of the assistant, as clients send it back. */
interface ClientCall {
  readonly id: string
  readonly name: string
  readonly arguments: string
  /** Marks a question that the agent's model did not ask as a tool call; it is not shown to the model. */
  readonly nested?: true
}

/** One message of a client, independent of its protocol. */
export type ClientTurn =
  | { readonly role: 'instructions'; readonly text: string }
  | { readonly role: 'user'; readonly parts: readonly object[] }
  | { readonly role: 'assistant'; readonly text: string; readonly calls: readonly ClientCall[] }
  | { readonly role: 'tool'; readonly id: string; readonly text: string; readonly isError?: boolean }
  | { readonly role: 'approval'; readonly id: string; readonly approved: boolean; readonly reason?: string | undefined }

/**
 * Converts the conversation of a client to messages for an agent. Instructions belong to the agent, so those that a client sends are added to its next
 * message as text of the user, with no more authority than the user.
 */
export function conversationFrom(turns: readonly ClientTurn[]): AiSdkMessage[] {
  const messages: { role: string; content: object[] }[] = []
  const names = new Map<string, string>()
  let instructions: object[] = []
  const add = (role: string, content: readonly object[]): void => {
    const last = messages.at(-1)
    if (last?.role === 'tool' && role === 'tool') last.content.push(...content)
    else if (content.length > 0) messages.push({ role, content: [...content] })
  }
  for (const turn of turns) {
    if (turn.role === 'instructions') instructions.push({ type: 'text', text: turn.text })
    else if (turn.role === 'user') {
      add('user', [...instructions, ...turn.parts])
      instructions = []
    } else if (turn.role === 'assistant') {
      for (const { id, name } of turn.calls) names.set(id, name)
      add('assistant', assistantParts(turn))
    } else if (turn.role === 'approval') {
      const { id: approvalId, approved, reason } = turn
      add('tool', [
        { type: 'tool-approval-response', approvalId, approved, ...(reason === undefined ? {} : { reason }) },
      ])
    } else add('tool', [resultPart(turn, names.get(turn.id) ?? '')])
  }
  if (instructions.length > 0) add('user', instructions)
  return messages
}

function assistantParts({ text, calls }: Extract<ClientTurn, { role: 'assistant' }>): object[] {
  const said = text === '' ? [] : [{ type: 'text', text }]
  return [
    ...said,
    ...calls.map(({ id, name, arguments: written, nested }) => {
      const { toolCallId, mark } = readCallId(id)
      const input = parsed(written)
      return {
        type: 'tool-call',
        toolCallId,
        toolName: name,
        input: isRecord(input) ? input : {},
        ...(mark === undefined ? {} : { providerOptions: { mandate: nested === true ? { ...mark, nested } : mark } }),
      }
    }),
  ]
}

function resultPart({ id, text, isError }: Extract<ClientTurn, { role: 'tool' }>, toolName: string): object {
  const { toolCallId } = readCallId(id)
  const value = parsed(text)
  const form = typeof value === 'string' ? 'text' : 'json'
  return {
    type: 'tool-result',
    toolCallId,
    toolName,
    output: { type: isError === true ? `error-${form}` : form, value },
  }
}

/** Parses arguments and results, which are sent as text. Text that is not JSON is returned unchanged. */
function parsed(text: string): Json {
  try {
    return JSON.parse(text) as Json
  } catch {
    return text
  }
}
