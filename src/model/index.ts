export { cassette } from './cassette/cassette.ts'
export type { Cassette } from './cassette/cassette.ts'
export type { CassetteMode, CassetteOptions, CassetteReport, CassetteStorage } from './cassette/options.ts'
export { fromAiSdkEmbedding } from './ai-sdk/from-ai-sdk-embedding.ts'
export { fromAiSdk, namesOf } from './ai-sdk/from-ai-sdk.ts'
export { isOnLoopback } from './prices/loopback.ts'
export { givenModel, isAiSdkModel } from './ai-sdk/given-model.ts'
export type { GivenModel } from './ai-sdk/given-model.ts'
export { cutBy, untilCut } from './ai-sdk/stream-cut.ts'
export { lateModel } from './ai-sdk/late-model.ts'
export { installedSources } from './ai-sdk/installed-sources.ts'
export type { InstalledModels } from './ai-sdk/installed-sources.ts'
export { modelById } from './ai-sdk/model-by-id.ts'
export type { ModelSources } from './ai-sdk/model-id.ts'
export { AI_SDK_PROVIDERS } from './ai-sdk/providers.ts'
export { resolveEmbeddingModel, resolveModel } from './ai-sdk/resolve-model.ts'
export type { AiSdkEmbeddingModel, AiSdkLanguageModel } from './ai-sdk/spec.ts'
export { DEFAULT_PRICES } from './prices/default-prices.ts'
export type { EmbedRequest, EmbeddingModel } from './embedding.ts'
export { estimateRequest, estimateTokens } from './estimate.ts'
export { resultAsText } from './result-content.ts'
export { modelFailure } from './failure.ts'
export type { ModelFailureInfo } from './failure.ts'
export {
  assistantMessage,
  systemMessage,
  textOf,
  toolCallsOf,
  toolMessage,
  toolResultsOf,
  userMessage,
} from './message.ts'
export type {
  MediaPart,
  Message,
  Part,
  ProviderMetadata,
  TextPart,
  ToolCallPart,
  ToolResultPart,
  ToolResultStatus,
} from './message.ts'
export type {
  FinishReason,
  Model,
  ModelCallContext,
  ModelInfo,
  ModelPart,
  ModelRequest,
  ToolCallOut,
  ToolChoice,
  ToolSpec,
} from './model.ts'
export { isCatalogue, readCatalogue } from './prices/models-dev.ts'
export { capabilitiesOf, defaultOutputTokens, outputTokensWithin } from './prices/output-tokens.ts'
export { pricesFrom } from './prices/price-file.ts'
export { checkPrices, costOf, priceFor, priceOf, withPrices, worstCase } from './prices/prices.ts'
export type { Price, PriceTable, Rates } from './prices/prices.ts'
export { collectReply, parseToolInput } from './reply.ts'
export { replyParts } from './reply-parts.ts'
export type { ModelReply } from './reply.ts'
export type { ScriptedStep } from './script.ts'
export { scripted } from './scripted.ts'
export type { ScriptedModel } from './scripted.ts'
export { selectModel, selectionError } from './selection.ts'
export type { ModelNeed, SelectionStrategy } from './selection.ts'
export { checkTranscript } from './transcript.ts'
export { NO_USAGE, tokenUsage } from './usage.ts'
export { addUsage } from './usage-sum.ts'
export { reportedUsage } from './usage.ts'
export { unfinishedUsage, wasNotAsked } from './unfinished.ts'
export type { TokenUsage } from './usage.ts'
