import { MandateError, canonical } from '../../core/index.ts'
import type { ChatMessage } from '../message/chat-message.ts'
import type { ConversationBlock, ConversationHead } from './conversation-record.ts'

/** Throws when a conversation has a message with this id: a message sent again would be answered, and its effects performed, twice. */
export function checkMessageId(
  { id, turn }: ConversationHead,
  blocks: readonly ConversationBlock[],
  messageId: string,
): void {
  const open = turn === null ? [] : [...turn.before, turn.prompt, ...turn.after]
  const isKnown = [...blocks.flatMap(({ messages }) => messages), ...open].some((message) => message.id === messageId)
  if (isKnown)
    throw new MandateError(
      'DUPLICATE',
      `The conversation "${id}" has a message "${messageId}" already. Give a new message another id, or none.`,
    )
}

/** Whether the turn of a run is in the conversation. Throws when it was begun with another message. */
export function isRepeated(
  { turn }: ConversationHead,
  blocks: readonly ConversationBlock[],
  { runId, message }: { readonly runId: string; readonly message: ChatMessage },
): boolean {
  const stored = blocks.find((block) => block.runId === runId)?.messages.filter(({ role }) => role === 'user')
  const begun = turn?.runId === runId ? [turn.prompt] : stored
  if (begun === undefined) return false
  if (begun.some(({ content }) => canonical(content) === canonical(message.content))) return true
  throw new MandateError(
    'DUPLICATE',
    'This idempotency key was used for another message. Use a new key for a new message, or send the first one again.',
  )
}
