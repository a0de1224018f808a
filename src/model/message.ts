import type { BlobRef, Json, JsonObject } from '../core/index.ts'

// These are type aliases, not interfaces, so that every one of them is assignable to `Json` and can be journaled as it is.

/** What a provider attached to a part and wants back unchanged on the same part (signatures, cache marks), by provider name. */
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

/** An image or a file, by its bytes in base64, by its address, or by where a run keeps its bytes; exactly one of the three is given. */
export type MediaPart = {
  readonly type: 'image' | 'file'
  readonly mediaType: string
  readonly data?: string
  readonly url?: string
  /** Large content, which is kept beside the journal. A model is given the bytes. */
  readonly blob?: BlobRef
  readonly filename?: string
  readonly providerMetadata?: ProviderMetadata
}

export type ToolCallPart = {
  readonly type: 'tool-call'
  readonly toolCallId: string
  readonly name: string
  /** `null` when `invalid` is there. */
  readonly input: Json
  /** The model's own text, when it was not JSON. */
  readonly invalid?: string
  /** The provider runs this call itself: it is recorded, never performed here. */
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

/** A part that only its provider understands (sources, generated artefacts, parts newer than this code): kept and given back. */
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
  readonly id?: string
  readonly role: Role
  readonly content: readonly Part[]
  /** Milliseconds since 1970. */
  readonly createdAt?: number
  readonly metadata?: JsonObject
}

/**
 * What a user says: a text, or parts when there is more than text.
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

/** What the host tells the model before anyone speaks. */
export function systemMessage(text: string): Message {
  return { role: 'system', content: partsOf(text) }
}

/** What the model said. */
export function assistantMessage(content: string | readonly Part[]): Message {
  return { role: 'assistant', content: partsOf(content) }
}

/** What tools gave, in the order of the calls. */
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

/** The calls of a message that the host has to perform, in order; calls that the provider performs itself are not among them. */
export function toolCallsOf(message: Message): readonly ToolCallPart[] {
  const calls: ToolCallPart[] = []
  // A loop: filtering a frozen list takes the engine several times as long, and this happens in every turn.
  for (const part of message.content) if (part.type === 'tool-call' && part.providerExecuted !== true) calls.push(part)
  return calls
}

/** The results in a message. */
export function toolResultsOf(message: Message): readonly ToolResultPart[] {
  return message.content.filter((part): part is ToolResultPart => part.type === 'tool-result')
}
