import type { JsonObject } from '../core/index.ts'
import type { ProviderMetadata } from './message.ts'
import type { ModelCallContext } from './model.ts'

/** A request for embeddings, as plain data. */
export type EmbedRequest = {
  readonly values: readonly string[]
  /** The length of the vectors, if the model supports a choice. */
  readonly dimensions?: number
  /** Passed to the provider as they are, by provider name. */
  readonly providerOptions?: { readonly [provider: string]: JsonObject }
}

/** One vector per text, in their order. */
export type EmbedReply = {
  readonly embeddings: readonly (readonly number[])[]
  readonly usage: EmbedUsage
  readonly warnings: readonly string[]
  readonly providerMetadata?: ProviderMetadata
}

export type EmbedUsage = {
  readonly inputTokens: number
  /** The provider did not report the number; it is estimated. */
  readonly estimated?: boolean
}

/** An embedding model of any provider. */
export interface EmbeddingModel {
  /** `provider/modelId`. */
  readonly id: string
  /** The provider, such as `openai`. */
  readonly provider: string
  /** The provider's name of the model, such as `text-embedding-3-small`. */
  readonly modelId: string
  /** It runs on this machine: if no price is known, its tokens are free. */
  readonly local?: boolean | undefined
  /** Accepts any number of texts; an implementation splits them as its provider requires. */
  embed(request: EmbedRequest, call: ModelCallContext): Promise<EmbedReply>
}
