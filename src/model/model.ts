import type { Json, JsonObject } from '../core/index.ts'
import type { Message, ProviderMetadata } from './message.ts'
import type { TokenUsage } from './usage.ts'

/** A tool as a model is told about it. */
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

/** Everything a model is asked, as plain data: it can be hashed, journaled and sent elsewhere. */
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

/** What comes with one call of a model and is not part of the question. */
export interface ModelCallContext {
  readonly signal: AbortSignal
  /** From 1 up. */
  readonly attempt: number
  /** The same for every attempt of one effect. */
  readonly idempotencyKey: string
}

export type FinishReason = 'stop' | 'tool-calls' | 'length' | 'content-filter' | 'error' | 'other'

/** `id` tells blocks of one kind apart; without it, neighbouring deltas of one kind make one block. */
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

/** A file the model made. */
type FileOut = {
  readonly type: 'file'
  readonly mediaType: string
  readonly data?: string
  readonly url?: string
  readonly providerMetadata?: ProviderMetadata
}

/** A whole call; adapters put streamed arguments together. `invalid` is the text of arguments that were not JSON (`input` is then null). */
export type ToolCallOut = {
  readonly type: 'tool-call'
  readonly toolCallId: string
  readonly name: string
  readonly input: Json
  readonly invalid?: string
  readonly providerExecuted?: boolean
  readonly providerMetadata?: ProviderMetadata
}

/** The result of a call that the provider performed itself. */
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
  /** The provider's own word. */
  readonly raw?: string
  readonly providerMetadata?: ProviderMetadata
}

type Warning = { readonly type: 'warning'; readonly message: string }

/** The call failed. It ends the stream, whatever the provider would still have sent. */
export type ModelFault = {
  readonly type: 'error'
  readonly message: string
  readonly retriable?: boolean
  readonly retryAfterMs?: number
  readonly status?: number
}

/** Anything else, kept with the message unless it is `ephemeral` (progress that only listeners care about). */
type CustomOut = {
  readonly type: 'custom'
  readonly kind: string
  readonly data: Json
  readonly ephemeral?: boolean
  readonly providerMetadata?: ProviderMetadata
}

/** One piece of a model's answer. All of it is plain data. */
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

/** What a model can do. Absent means: not said. */
export type ModelCapabilities = {
  readonly tools?: boolean
  /** `false`: the answer comes in one piece. */
  readonly streaming?: boolean
  /** Kinds of input besides text: `image`, `file`, `audio`, … */
  readonly modalities?: readonly string[]
  readonly contextTokens?: number
  readonly maxOutputTokens?: number
  /** It runs on this machine: where no price is known, its tokens cost nothing. */
  readonly local?: boolean
}

export type ModelInfo = ModelCapabilities & { readonly name: string }

/** A model of any provider. It has one method; a whole answer is a folded stream. */
export interface Model {
  /** `provider/modelId`: what prices, journals and selections go by. */
  readonly id: string
  readonly provider: string
  readonly modelId: string
  readonly capabilities?: ModelCapabilities | undefined
  stream(request: ModelRequest, call: ModelCallContext): AsyncIterable<ModelPart>
  /** What the provider says about the model now. */
  info?(): Promise<ModelInfo>
  close?(): Promise<void>
}
