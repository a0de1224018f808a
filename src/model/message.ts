import type { BlobRef, Json, JsonObject } from '../core/index.ts'

// Type aliases instead of interfaces, so that every one of them is assignable to `Json` and can be journaled as it is.

/** What a provider attached to a part and requires unchanged on the same part (signatures, cache marks), by provider name. */
export type ProviderMetadata = { readonly [provider: string]: JsonObject }

export type TextPart = {
  readonly type: 'text'
  readonly text: string
  readonly providerMetadata?: ProviderMetadata
}

type ReasoningPart = {
  readonly type: 'reasoning'
  readonly text: string
  readonly providerMetadata?: ProviderMetadata
}

/** An image or a file, by its bytes in base64, by its URL, or by a reference to the run's blob; exactly one of the three is given. */
export type MediaPart = {
  readonly type: 'image' | 'file'
  readonly mediaType: string
  readonly data?: string
  readonly url?: string
  /** A large file, kept beside the journal. A model gets its bytes. */
  readonly blob?: BlobRef
  readonly filename?: string
  readonly providerMetadata?: ProviderMetadata
}

export type ToolCallPart = {
  readonly type: 'tool-call'
  readonly toolCallId: string
  readonly name: string
  /** `null` if `invalid` is present. */
  readonly input: Json
  /** The model's own text, if it was not JSON. */
  readonly invalid?: string
  /** The provider executes this call itself: it is recorded, never performed here. */
  readonly providerExecuted?: boolean
  readonly providerMetadata?: ProviderMetadata
}

export type ToolResultStatus = 'ok' | 'error' | 'denied' | 'cancelled' | 'unknown'

export type ToolResultPart = {
  readonly type: 'tool-result'
  readonly toolCallId: string
  readonly name: string
  readonly status: ToolResultStatus
  readonly value: Json
  /** What the model reads instead of `value`. */
  readonly text?: string
  readonly providerExecuted?: boolean
  readonly providerMetadata?: ProviderMetadata
}

/** A part that only its provider understands (sources, generated artefacts, unknown kinds): kept and sent back. */
export type CustomPart = {
  readonly type: 'custom'
  readonly kind: string
  readonly data: Json
  readonly providerMetadata?: ProviderMetadata
}

export type Part = TextPart | ReasoningPart | MediaPart | ToolCallPart | ToolResultPart | CustomPart

type Role = 'system' | 'user' | 'assistant' | 'tool'

/** One message of a conversation, with its parts. */
export type Message = {
  /** Set by whatever stores conversations. */
  readonly id?: string
  /** Its author: `system`, `user`, `assistant` or `tool`. */
  readonly role: Role
  /** Texts, files, calls and results, in their order. */
  readonly content: readonly Part[]
  /** Milliseconds since 1970. */
  readonly createdAt?: number
  /** Data for your own code; models do not see it. */
  readonly metadata?: JsonObject
}

/**
 * A message of the user: a text, or parts if there is more than text.
 *
 * @example
 * ```ts
 * import { userMessage } from 'mandate/model'
 * userMessage('Summarise the release notes.')
 * ```
 */
export function userMessage(content: string | readonly Part[]): Message {
  return { role: 'user', content: partsOf(content) }
}

/** A system message. */
export function systemMessage(text: string): Message {
  return { role: 'system', content: partsOf(text) }
}

/** A message of the model. */
export function assistantMessage(content: string | readonly Part[]): Message {
  return { role: 'assistant', content: partsOf(content) }
}

/** The results of tools, in the order of the calls. */
export function toolMessage(results: readonly ToolResultPart[]): Message {
  return { role: 'tool', content: results }
}

function partsOf(content: string | readonly Part[]): readonly Part[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content
}

/** The text of a message, its text parts joined; reasoning is not text. */
export function textOf(message: Message): string {
  let text = ''
  for (const part of message.content) if (part.type === 'text') text += part.text
  return text
}

/** The calls of a message that the host must perform, in order; without calls that the provider executes itself. */
export function toolCallsOf(message: Message): readonly ToolCallPart[] {
  const calls: ToolCallPart[] = []
  // A loop, because filtering a frozen list is several times slower, and this happens in every turn.
  for (const part of message.content) if (part.type === 'tool-call' && part.providerExecuted !== true) calls.push(part)
  return calls
}

/** The results in a message. */
export function toolResultsOf(message: Message): readonly ToolResultPart[] {
  return message.content.filter((part): part is ToolResultPart => part.type === 'tool-result')
}
