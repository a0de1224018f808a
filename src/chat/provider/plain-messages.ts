import { type Message, type ToolResultPart, textOf, toolCallsOf, toolResultsOf } from '../../model/index.ts'
import type { ModelPart, ToolSpec } from '../../model/index.ts'
import { readArguments, resultText, writeArguments } from './plain-parts.ts'

/** A message in formats that support only text, calls and results: each result is a separate message. */
export interface PlainMessage {
  readonly role: Message['role']
  readonly content: string
  readonly calls: readonly PlainCall[]
  /** Id and tool name of the call that a result answers. */
  readonly callId?: string | undefined
  readonly name?: string | undefined
}

interface PlainCall {
  readonly id: string
  readonly name: string
  /** A value, or JSON text. */
  readonly arguments: unknown
}

interface PlainTool {
  readonly name: string
  readonly description?: string | undefined
  readonly parameters: unknown
}

/** Converts messages to plain messages. */
export function plainMessages(messages: readonly Message[]): readonly PlainMessage[] {
  return messages.flatMap((message): PlainMessage[] => {
    const { role } = message
    if (role !== 'tool') return [{ role, content: textOf(message), calls: toolCallsOf(message).map(plainCall) }]
    return toolResultsOf(message).map((result) => {
      return { role, content: resultText(result), calls: [], callId: result.toolCallId, name: result.name }
    })
  })
}

/** Converts a call to a plain call. */
export function plainCall(
  call: Parameters<typeof writeArguments>[0] & { readonly toolCallId: string; readonly name: string },
): PlainCall {
  return { id: call.toolCallId, name: call.name, arguments: writeArguments(call) }
}

/** Converts a plain call to a part of a model's answer. */
export function callPart({ id, name, arguments: given }: PlainCall): Extract<ModelPart, { type: 'tool-call' }> {
  return { type: 'tool-call', toolCallId: id, name, ...readArguments(given) }
}

/**
 * Converts plain messages to model messages. Adjacent results answer one reply, so they are merged into one message. A result without a call id is matched by
 * its tool name.
 */
export function readPlainMessages(messages: readonly PlainMessage[]): readonly Message[] {
  const read: Message[] = []
  let open: readonly PlainCall[] = []
  for (const message of messages) {
    const { role, content, calls } = message
    if (role === 'tool') {
      const { callId, name } = message
      const call = open.find((one) => (callId === undefined ? one.name === name : one.id === callId))
      open = open.filter((one) => one !== call)
      addResult(read, {
        type: 'tool-result',
        toolCallId: callId ?? call?.id ?? '',
        name: name ?? call?.name ?? '',
        status: 'ok',
        value: content,
      })
      continue
    }
    open = calls
    const text = content === '' && calls.length > 0 ? [] : [{ type: 'text' as const, text: content }]
    read.push({ role, content: [...text, ...calls.map(callPart)] })
  }
  return read
}

function addResult(read: Message[], result: ToolResultPart): void {
  const last = read.at(-1)
  if (last?.role === 'tool') read.splice(-1, 1, { role: 'tool', content: [...last.content, result] })
  else read.push({ role: 'tool', content: [result] })
}

/** Converts tools to plain tools. */
export function plainTools(tools: readonly ToolSpec[]): readonly PlainTool[] {
  return tools.map(({ name, description, inputSchema }) => {
    return { name, ...(description === undefined ? {} : { description }), parameters: inputSchema }
  })
}

/** Converts plain tools to tools. */
export function readPlainTools(tools: readonly PlainTool[]): readonly ToolSpec[] {
  return tools.map(({ name, description, parameters }) => {
    // A schema is always JSON.
    return {
      name,
      ...(description === undefined ? {} : { description }),
      inputSchema: parameters as ToolSpec['inputSchema'],
    }
  })
}
