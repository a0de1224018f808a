import type { JsonObject } from '../core/index.ts'
import type { ProviderMetadata } from './message.ts'
import type { ModelCallContext } from './model.ts'

/** Texts to be turned into vectors, as plain data. */
export type EmbedRequest = {
  readonly values: readonly string[]
  /** How long the vectors shall be, where the model lets one choose. */
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
  /** The provider did not say; the number is ours. */
  readonly estimated?: boolean
}

/** A model that turns texts into vectors, of any provider. */
export interface EmbeddingModel {
  /** `provider/modelId`. */
  readonly id: string
  readonly provider: string
  readonly modelId: string
  /** It runs on this machine: where no price is known, its tokens cost nothing. */
  readonly local?: boolean | undefined
  /** Takes any number of texts; an implementation splits them as its provider needs. */
  embed(request: EmbedRequest, call: ModelCallContext): Promise<EmbedReply>
}
