import type { Json, JsonObject } from '../../core/index.ts'
import type { MediaPart } from '../../model/index.ts'

// Type aliases, not interfaces, so that each is assignable to `Json` and can be stored as it is.

export type ChatRole = 'system' | 'user' | 'assistant' | 'tool'

type TextContent = { readonly type: 'text'; readonly text: string }

/** A call of a tool. */
type ToolCallContent = {
  readonly type: 'tool_call'
  readonly toolCallId: string
  readonly name: string
  /** The parsed value, or the model's own text if it was not JSON. */
  readonly arguments: Json
}

/** The result of a call. `metadata.status` of its message can be more specific than `error`: `denied`, `cancelled`, `unknown`. */
export type ToolResultContent = {
  readonly type: 'tool_result'
  readonly toolCallId: string
  readonly status: 'ok' | 'error'
  readonly result: Json
}

/** A part of a message: text, a tool call, a tool result; or an image or file that a user sent or a model made. */
export type MessageContent = TextContent | ToolCallContent | ToolResultContent | MediaPart

/**
 * A message of a conversation. `metadata` marks special messages: `synthetic` for one that a plugin added; `cancelled`, `failed` or `suspended` for an answer
 * that is incomplete.
 */
export type ChatMessage = {
  readonly id: string
  readonly role: ChatRole
  /** Milliseconds since 1970. */
  readonly createdAt: number
  readonly content: readonly MessageContent[]
  readonly metadata?: JsonObject
}

/** A conversation: its messages in their order. */
export interface Conversation {
  readonly id: string
  readonly messages: readonly ChatMessage[]
  readonly metadata?: JsonObject | undefined
}

/** Joins the text parts of a message. */
export function chatText({ content }: Pick<ChatMessage, 'content'>): string {
  let text = ''
  for (const part of content) if (part.type === 'text') text += part.text
  return text
}
