export { DEFAULT_PRICES } from './default-prices.ts'
export { estimateRequest, estimateTokens } from './estimate.ts'
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
  CustomPart,
  MediaPart,
  Message,
  Part,
  ProviderMetadata,
  ReasoningPart,
  Role,
  TextPart,
  ToolCallPart,
  ToolResultPart,
  ToolResultStatus,
} from './message.ts'
export type {
  CustomOut,
  FileOut,
  Finish,
  FinishReason,
  Model,
  ModelCallContext,
  ModelCapabilities,
  ModelFault,
  ModelInfo,
  ModelPart,
  ModelRequest,
  ReasoningDelta,
  ResponseFormat,
  TextDelta,
  ToolCallOut,
  ToolChoice,
  ToolResultOut,
  ToolSpec,
  UsageOut,
  Warning,
} from './model.ts'
export { costOf, priceOf, withPrices, worstCase } from './prices.ts'
export type { Price, PriceTable, Rates, WorstCase } from './prices.ts'
export { collectReply, parseToolInput } from './reply.ts'
export type { ModelReply } from './reply.ts'
export type {
  ScriptedCall,
  ScriptedFault,
  ScriptedHang,
  ScriptedItem,
  ScriptedMoment,
  ScriptedReply,
  ScriptedStep,
} from './script.ts'
export { scripted } from './scripted.ts'
export type { ScriptedModel, ScriptedOptions } from './scripted.ts'
export { selectModel, selectionError } from './selection.ts'
export type { ModelNeed, Rejection, Selection, SelectionStrategy } from './selection.ts'
export { checkTranscript } from './transcript.ts'
export type { TranscriptProblem } from './transcript.ts'
export { NO_USAGE, addUsage, tokenUsage } from './usage.ts'
export type { TokenUsage } from './usage.ts'
