export { assistantMessage, systemMessage, textOf, toolCallsOf, toolMessage, toolResultsOf, userMessage } from './message.ts'
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
export type { ModelReply } from './reply.ts'
export type { TokenUsage } from './usage.ts'
