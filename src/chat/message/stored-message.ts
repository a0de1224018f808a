import { MandateError, isRecord } from '../../core/index.ts'
import type { JsonObject } from '../../core/index.ts'
import { checkTranscript } from '../../model/index.ts'
import type { Message } from '../../model/index.ts'
import type { ChatMessage, ChatRole, MessageContent } from './chat-message.ts'
import { isSaidPart } from './given-message.ts'
import { modelMessages, plainRole } from './model-messages.ts'

// A store may hold a message that should never have been stored: an older release did not check what interceptors returned, and a store of the user's own may return anything.
// Such a message is mended as it is read. Otherwise every later turn of its conversation would fail, and nobody could read, end or delete it.

const ROLES: readonly unknown[] = ['system', 'user', 'assistant', 'tool']
const SAID: readonly string[] = ['text', 'image', 'file']

/** What a mended message has in place of fields that cannot be read. */
interface Substitute {
  readonly id: string
  readonly role: ChatRole
  readonly createdAt: number
}

/** Whether a stored message can be read as it is. */
function isChatMessage(stored: unknown): stored is ChatMessage {
  if (!isRecord(stored)) return false
  const { id, role, createdAt, content, metadata } = stored
  if (typeof id !== 'string' || id === '' || !ROLES.includes(role) || typeof createdAt !== 'number') return false
  return Array.isArray(content) && content.every(isChatPart) && (metadata === undefined || isRecord(metadata))
}

/** Returns a stored message, or what can be read of it. `metadata.damaged` marks a message of which something was lost. */
export function mendedMessage(stored: unknown, instead: Substitute): ChatMessage {
  if (isChatMessage(stored)) return stored
  const { id, role, createdAt, content, metadata } = isRecord(stored) ? stored : ({} as Record<string, unknown>)
  const given = typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content
  const parts: readonly unknown[] = Array.isArray(given) ? given : []
  const good = parts.filter(isChatPart)
  const isWhole = good.length > 0 && good.length === parts.length
  const known: JsonObject = isRecord(metadata) ? (metadata as JsonObject) : {}
  const marked = isWhole ? known : { ...known, damaged: true }
  return {
    id: typeof id === 'string' && id !== '' ? id : instead.id,
    role: ROLES.includes(role) ? (role as ChatRole) : instead.role,
    createdAt: typeof createdAt === 'number' ? createdAt : instead.createdAt,
    content: good.length === 0 ? [{ type: 'text', text: '' }] : good,
    ...(Object.keys(marked).length === 0 ? {} : { metadata: marked }),
  }
}

/** Throws on a conversation, kept by the caller, that holds something else than messages. */
export function checkConversation(given: unknown): void {
  const messages: unknown = isRecord(given) ? given['messages'] : undefined
  if (!Array.isArray(messages))
    throw new MandateError('INPUT_INVALID', 'This is no conversation. Give { id, messages }.')
  const at = messages.findIndex((message) => !isChatMessage(message))
  if (at < 0) return
  throw new MandateError(
    'INPUT_INVALID',
    `Message ${at} of the conversation is no message. Give { id, role, createdAt, content: [{ type: "text", text }] }.`,
  )
}

/** Whether nothing of a message could be read, so that no model can be shown it. */
export function isLost({ content, metadata }: ChatMessage): boolean {
  return metadata?.['damaged'] === true && content.every((part) => part.type === 'text' && part.text === '')
}

/** Returns stored messages of models, or those that can be made from the messages of the conversation. */
export function mendedSaid(stored: unknown, messages: readonly ChatMessage[]): readonly Message[] {
  if (Array.isArray(stored) && stored.every(isModelMessage)) return stored
  const said = modelMessages(messages.filter((message) => !isLost(message))).map(plainRole)
  if (checkTranscript(said).length === 0) return said
  return said.flatMap((message) => {
    const content = message.role === 'tool' ? [] : message.content.filter(({ type }) => SAID.includes(type))
    return content.length === 0 ? [] : [{ ...message, content }]
  })
}

function isChatPart(part: unknown): part is MessageContent {
  if (!isRecord(part)) return false
  if (part['type'] === 'tool_call') return isCall(part)
  if (part['type'] === 'tool_result') return typeof part['toolCallId'] === 'string' && 'result' in part
  return isSaidPart(part)
}

function isCall({ toolCallId, name }: Record<string, unknown>): boolean {
  return typeof toolCallId === 'string' && typeof name === 'string'
}

function isModelMessage(message: unknown): message is Message {
  if (!isRecord(message) || !ROLES.includes(message['role']) || !Array.isArray(message['content'])) return false
  return message['content'].every((part: unknown) => {
    if (!isRecord(part) || typeof part['type'] !== 'string') return false
    return !SAID.includes(part['type']) || isSaidPart(part)
  })
}
