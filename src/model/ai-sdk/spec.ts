/**
 * The provider specification of the AI SDK, versions 2 to 4, as far as it is used here. Declared locally, because every provider package has its own
 * copy of the official types; and loosely, because patch releases of the specification add kinds of parts and reasons.
 */

export type SpecVersion = 'v2' | 'v3' | 'v4'

/** A language model of an AI SDK provider, as `openai('gpt-5')` or `anthropic('claude-sonnet-5')` returns it. */
export interface AiSdkLanguageModel {
  readonly specificationVersion: SpecVersion
  readonly provider: string
  readonly modelId: string
  /** Which URLs the provider fetches itself, by media type. */
  readonly supportedUrls?: unknown
  doStream(options: AiSdkCallOptions): PromiseLike<{
    readonly stream: ReadableStream<{ readonly type: string }>
    readonly response?: { readonly headers?: Readonly<Record<string, string | undefined>> | undefined } | undefined
  }>
  doGenerate(options: AiSdkCallOptions): PromiseLike<AiSdkWhole>
}

/** An embedding model of an AI SDK provider. */
export interface AiSdkEmbeddingModel {
  readonly specificationVersion: SpecVersion
  readonly provider: string
  readonly modelId: string
  readonly maxEmbeddingsPerCall: PromiseLike<number | undefined> | number | undefined
  doEmbed(options: AiSdkEmbedOptions): PromiseLike<{
    readonly embeddings: readonly (readonly number[])[]
    readonly usage?: { readonly tokens: number } | undefined
    readonly warnings?: readonly unknown[] | undefined
    readonly providerMetadata?: object | undefined
  }>
}

export interface AiSdkEmbedOptions {
  values: string[]
  dimensions?: number
  abortSignal?: AbortSignal
  providerOptions?: AiSdkProviderOptions
}

export type AiSdkProviderOptions = Record<string, object>

/** Settings of every call of a model, besides the request. */
export interface AiSdkSettings {
  maxOutputTokens?: number
  temperature?: number
  topP?: number
  topK?: number
  presencePenalty?: number
  frequencyPenalty?: number
  stopSequences?: string[]
  seed?: number
  /** The reasoning effort; since v4. */
  reasoning?: string
  headers?: Record<string, string | undefined>
  providerOptions?: AiSdkProviderOptions
}

export interface AiSdkCallOptions extends AiSdkSettings {
  prompt: WireMessage[]
  responseFormat?: { type: string; schema?: unknown; name?: string }
  tools?: { type: string; name: string }[]
  toolChoice?: { type: string; toolName?: string }
  abortSignal?: AbortSignal
}

export interface WireMessage {
  role: string
  content: string | object[]
  providerOptions?: AiSdkProviderOptions
}

/** A complete answer. */
export interface AiSdkWhole {
  readonly content: readonly { readonly type: string }[]
  readonly finishReason: unknown
  readonly usage: unknown
  readonly warnings: readonly unknown[]
  readonly providerMetadata?: object | undefined
  readonly response?:
    | { readonly id?: string | undefined; readonly modelId?: string | undefined; readonly timestamp?: Date | undefined }
    | undefined
}

/** A part of an answer. Nothing but `type` is guaranteed. */
export interface WirePart {
  readonly type: string
  readonly id?: string
  readonly delta?: string
  readonly text?: string
  readonly citations?: unknown
  readonly toolCallId?: string
  readonly toolName?: string
  readonly input?: unknown
  readonly result?: unknown
  readonly isError?: boolean
  readonly preliminary?: boolean
  readonly providerExecuted?: boolean
  readonly mediaType?: string
  readonly data?: unknown
  readonly kind?: string
  readonly warnings?: readonly unknown[]
  readonly usage?: unknown
  readonly finishReason?: unknown
  readonly modelId?: string
  readonly timestamp?: unknown
  readonly error?: unknown
  readonly providerMetadata?: unknown
}

/** A tool of the provider, such as its web search: the result of `openai.tools.webSearch({})`. */
export interface AiSdkProviderTool {
  readonly id?: string | undefined
  readonly args?: unknown
}
