import type { Message, ToolResultPart } from '../../model/index.ts'

/** A message of `useChat`. */
export interface UiMessage {
  readonly id: string
  readonly role: 'user' | 'assistant'
  readonly parts: readonly object[]
}

interface ToolUiPart {
  readonly type: string
  readonly toolCallId: string
  readonly input: unknown
  state: string
  output?: unknown
  errorText?: string
}

/** Converts a conversation to messages of `useChat`. Consecutive messages of an agent become one message, with a step for each turn. */
export function uiMessages(messages: readonly Message[]): UiMessage[] {
  const shown: { id: string; role: 'user' | 'assistant'; parts: object[] }[] = []
  const calls = new Map<string, ToolUiPart>()
  for (const message of messages) {
    const role = message.role === 'user' ? 'user' : 'assistant'
    if (message.role === 'tool') {
      for (const part of message.content) if (part.type === 'tool-result') settle(calls.get(part.toolCallId), part)
      continue
    }
    let last = shown.at(-1)
    if (last === undefined || role === 'user' || last.role === 'user')
      shown.push((last = { id: `message-${shown.length + 1}`, role, parts: [] }))
    if (role === 'assistant') last.parts.push({ type: 'step-start' })
    last.parts.push(...message.content.flatMap((part) => uiParts(part, calls)))
  }
  return shown
}

function uiParts(part: Message['content'][number], calls: Map<string, ToolUiPart>): object[] {
  switch (part.type) {
    case 'text':
    case 'reasoning':
      return [{ type: part.type, text: part.text, state: 'done' }]
    case 'image':
    case 'file': {
      const url = part.url ?? `data:${part.mediaType};base64,${part.data}`
      return [
        {
          type: 'file',
          mediaType: part.mediaType,
          url,
          ...(part.filename === undefined ? {} : { filename: part.filename }),
        },
      ]
    }
    case 'tool-call': {
      const { toolCallId, name, input } = part
      const call: ToolUiPart = { type: `tool-${name}`, toolCallId, state: 'input-available', input }
      calls.set(toolCallId, call)
      return [call]
    }
    default:
      return []
  }
}

function settle(call: ToolUiPart | undefined, { status, value }: ToolResultPart): void {
  if (call === undefined) return
  if (status === 'ok') Object.assign(call, { state: 'output-available', output: value })
  else
    Object.assign(call, { state: 'output-error', errorText: typeof value === 'string' ? value : JSON.stringify(value) })
}
