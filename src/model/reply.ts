import type { Message, ProviderMetadata } from './message.ts'
import type { FinishReason } from './model.ts'
import type { TokenUsage } from './usage.ts'

/** A model's whole answer, as plain data. */
export type ModelReply = {
  readonly message: Message
  readonly finishReason: FinishReason
  readonly usage: TokenUsage
  readonly warnings: readonly string[]
  readonly providerMetadata?: ProviderMetadata
}
