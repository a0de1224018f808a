import { checkFields } from '../core/index.ts'
import type { FieldNames, Json, JsonObject } from '../core/index.ts'
import type { Message, ProviderMetadata } from './message.ts'
import type { TokenUsage } from './usage.ts'

/** The description of a tool for a model. */
export type ToolSpec = {
  readonly name: string
  readonly description?: string
  /** JSON Schema of the input. */
  readonly inputSchema: Json
}

export type ToolChoice = 'auto' | 'none' | 'required' | { readonly tool: string }

type ResponseFormat =
  | { readonly type: 'text' }
  | { readonly type: 'json'; readonly schema?: Json; readonly name?: string }

/** A request to a model, as plain data: it can be hashed, journaled and sent elsewhere. */
export type ModelRequest = {
  /** System messages first; every tool call has its result before the next message that is not from a tool. */
  readonly messages: readonly Message[]
  readonly tools?: readonly ToolSpec[]
  readonly toolChoice?: ToolChoice
  readonly maxOutputTokens?: number
  readonly temperature?: number
  readonly seed?: number
  readonly responseFormat?: ResponseFormat
  /** Passed to the provider as they are, by provider name. */
  readonly providerOptions?: { readonly [provider: string]: JsonObject }
}

/** The context of one model call, which is not part of the request. */
export interface ModelCallContext {
  readonly signal: AbortSignal
  /** Starts at 1. */
  readonly attempt: number
  /** The same for every attempt of one effect. */
  readonly idempotencyKey: string
}

export type FinishReason = 'stop' | 'tool-calls' | 'length' | 'content-filter' | 'error' | 'other'

/** `id` distinguishes blocks of one kind; without it, neighbouring deltas of one kind are one block. */
export type TextDelta = {
  readonly type: 'text-delta'
  readonly text: string
  readonly id?: string
  readonly providerMetadata?: ProviderMetadata
}

export type ReasoningDelta = {
  readonly type: 'reasoning-delta'
  readonly text: string
  readonly id?: string
  readonly providerMetadata?: ProviderMetadata
}

/** A file created by the model. */
type FileOut = {
  readonly type: 'file'
  readonly mediaType: string
  readonly data?: string
  readonly url?: string
  readonly providerMetadata?: ProviderMetadata
}

/** A complete call; adapters join streamed arguments. `invalid` is the text of arguments that were not JSON (`input` is then null). */
export type ToolCallOut = {
  readonly type: 'tool-call'
  readonly toolCallId: string
  readonly name: string
  readonly input: Json
  readonly invalid?: string
  readonly providerExecuted?: boolean
  readonly providerMetadata?: ProviderMetadata
}

/** The result of a call that the provider executed itself. */
type ToolResultOut = {
  readonly type: 'tool-result'
  readonly toolCallId: string
  readonly name: string
  readonly status: 'ok' | 'error'
  readonly value: Json
  readonly providerMetadata?: ProviderMetadata
}

/** Counts so far: a later one replaces an earlier one. */
type UsageOut = { readonly type: 'usage'; readonly usage: TokenUsage }

type Finish = {
  readonly type: 'finish'
  readonly reason: FinishReason
  /** The provider's own reason. */
  readonly raw?: string
  readonly providerMetadata?: ProviderMetadata
}

type Warning = { readonly type: 'warning'; readonly message: string }

/** The call failed. Ends the stream, whatever follows. */
export type ModelFault = {
  readonly type: 'error'
  readonly message: string
  readonly retriable?: boolean
  readonly retryAfterMs?: number
  readonly status?: number
}

/** Anything else, kept with the message unless it is `ephemeral` (progress for listeners). */
type CustomOut = {
  readonly type: 'custom'
  readonly kind: string
  readonly data: Json
  readonly ephemeral?: boolean
  readonly providerMetadata?: ProviderMetadata
}

/** One part of a model's answer, as plain data. */
export type ModelPart =
  | TextDelta
  | ReasoningDelta
  | FileOut
  | ToolCallOut
  | ToolResultOut
  | UsageOut
  | Finish
  | Warning
  | ModelFault
  | CustomOut

/** The capabilities of a model. Absent means unknown. */
export type ModelCapabilities = {
  readonly tools?: boolean
  /** `false`: the answer is not streamed. */
  readonly streaming?: boolean
  /** Input modalities besides text: `image`, `file`, `audio`, … */
  readonly modalities?: readonly string[]
  readonly contextTokens?: number
  readonly maxOutputTokens?: number
  /** It runs on this machine: if no price is known, its tokens are free. */
  readonly local?: boolean
}

const CAPABILITIES: FieldNames<ModelCapabilities> = {
  tools: 'flag',
  streaming: 'flag',
  modalities: 'texts',
  contextTokens: 'number',
  maxOutputTokens: 'number',
  local: 'flag',
}

/** Throws on capabilities that mean nothing: a model would be chosen, or passed over, for a misspelt one. */
export function checkCapabilities(capabilities: ModelCapabilities | undefined): void {
  checkFields(capabilities, 'a capability of a model', CAPABILITIES)
}

export type ModelInfo = ModelCapabilities & { readonly name: string }

/** A model of any provider. It has one method; a complete answer is a folded stream. */
export interface Model {
  /** `provider/modelId`: the id in prices, journals and selections. */
  readonly id: string
  readonly provider: string
  readonly modelId: string
  readonly capabilities?: ModelCapabilities | undefined
  stream(request: ModelRequest, call: ModelCallContext): AsyncIterable<ModelPart>
  /** The provider's current information about the model. */
  info?(): Promise<ModelInfo>
  close?(): Promise<void>
}
