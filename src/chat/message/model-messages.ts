import type { Message, Part, ToolResultPart } from '../../model/index.ts'
import { readArguments, writeArguments } from '../provider/plain-parts.ts'
import type { ChatMessage, MessageContent, ToolResultContent } from './chat-message.ts'

/** Converts messages of a conversation for models. Adjacent results answer one reply, so they are merged into one message. */
export function modelMessages(messages: readonly ChatMessage[]): readonly Message[] {
  const names = new Map<string, string>()
  const read: Message[] = []
  for (const { role, content } of messages) {
    const parts = content.map((part) => partOf(part, names))
    const last = read.at(-1)
    if (role === 'tool' && last?.role === 'tool') read[read.length - 1] = { role, content: [...last.content, ...parts] }
    else read.push({ role, content: parts })
  }
  return read
}

function partOf(part: MessageContent, names: Map<string, string>): Part {
  if (part.type === 'tool_call') {
    names.set(part.toolCallId, part.name)
    const { toolCallId, name } = part
    return { type: 'tool-call', toolCallId, name, ...readArguments(part.arguments) }
  }
  if (part.type !== 'tool_result') return part
  const { toolCallId, status, result } = part
  return { type: 'tool-result', toolCallId, name: names.get(toolCallId) ?? '', status, value: result }
}

/** The id and time of a message. */
interface Frame {
  readonly id: string
  readonly createdAt: number
}

/** Converts calls and results to messages of a conversation: one for the calls of a reply, then one for each result. Text of models is left out. */
export function chatMessages(said: Message, { id, createdAt }: Frame): readonly ChatMessage[] {
  if (said.role === 'assistant') {
    const content = said.content.flatMap((part): MessageContent[] => {
      if (part.type !== 'tool-call' || part.providerExecuted === true) return []
      const { toolCallId, name } = part
      return [{ type: 'tool_call', toolCallId, name, arguments: writeArguments(part) }]
    })
    return content.length === 0 ? [] : [{ id, role: 'assistant', createdAt, content }]
  }
  if (said.role !== 'tool') return [{ id, role: said.role, createdAt, content: said.content.flatMap(plainPart) }]
  return said.content.flatMap((part, index): ChatMessage[] => {
    if (part.type !== 'tool-result') return []
    const message = { id: `${id}.${index + 1}`, role: 'tool' as const, createdAt, content: [resultContent(part)] }
    const isPlain = part.status === 'ok' || part.status === 'error'
    return [isPlain ? message : { ...message, metadata: { status: part.status } }]
  })
}

/** Converts a tool result to the content of a conversation. */
export function resultContent({ toolCallId, status, value }: ToolResultPart): ToolResultContent {
  return { type: 'tool_result', toolCallId, status: status === 'ok' ? 'ok' : 'error', result: value }
}

/** Keeps text and files. Parts that only models and providers understand are left out. */
export function plainPart(part: Part): MessageContent[] {
  return part.type === 'text' || part.type === 'image' || part.type === 'file' ? [part] : []
}

/** Providers accept system messages only at the beginning, so those that plugins add later get the role `user`. */
export function plainRole(message: Message): Message {
  return message.role === 'system' ? { ...message, role: 'user' } : message
}

/** Removes the visible text of a model's message: its calls stay, with their results. Returns undefined if no call remains. */
export function withoutText(message: Message): Message | undefined {
  if (message.role !== 'assistant') return message
  const content = message.content.filter(({ type }) => type !== 'text')
  return content.some(({ type }) => type === 'tool-call') ? { ...message, content } : undefined
}

/** Converts a whole transcript to messages of a conversation, including text of models. Messages without a time get 0. */
export function wholeMessages(said: readonly Message[], id: string): readonly ChatMessage[] {
  return said.flatMap((message, index): readonly ChatMessage[] => {
    const frame = { id: message.id ?? `${id}.${index + 1}`, createdAt: message.createdAt ?? 0 }
    if (message.role !== 'assistant') return chatMessages(message, frame)
    const [calls] = chatMessages(message, frame)
    return [
      { ...frame, role: 'assistant', content: [...message.content.flatMap(plainPart), ...(calls?.content ?? [])] },
    ]
  })
}
