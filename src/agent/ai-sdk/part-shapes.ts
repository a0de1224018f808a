import type { JsonObject } from '../../core/index.ts'
import type { AnyTools, ToolTypes } from '../../tool/index.ts'

/**
 * The stream parts of the AI SDK's `agent-v1` interface that are used here. Declared locally, because the package `ai` is a dependency of the
 * consumer and not of this package. A type test compares them with the real ones.
 */

type Metadata = Record<string, JsonObject>

interface Named {
  toolCallId: string
  toolName: string
  input: unknown
  providerExecuted?: boolean
  providerMetadata?: Metadata
}

/** A union with a member for each tool, in which `toolName` determines the types of input and output. */
type OfTool<Tools extends ToolTypes, Part> = {
  [N in keyof Tools & string]: Omit<Named, 'toolName' | 'input'> &
    Part & { toolName: N; input: Tools[N]['input']; dynamic?: false }
}[keyof Tools & string]

type ResultOfTool<Tools extends ToolTypes> = {
  [N in keyof Tools & string]: Omit<Named, 'toolName' | 'input'> & {
    type: 'tool-result'
    toolName: N
    input: Tools[N]['input']
    output: Tools[N]['output']
    dynamic?: false
  }
}[keyof Tools & string]

/** A call of a declared tool. */
export type AiSdkStaticCall<Tools extends ToolTypes = AnyTools> = OfTool<Tools, { type: 'tool-call'; invalid?: false }>
/** A call of a tool that the agent did not declare, or one that cannot be parsed. */
export type AiSdkDynamicCall = Named & { type: 'tool-call'; dynamic: true; invalid?: boolean; error?: unknown }
export type AiSdkToolCall<Tools extends ToolTypes = AnyTools> = AiSdkStaticCall<Tools> | AiSdkDynamicCall

export type AiSdkStaticResult<Tools extends ToolTypes = AnyTools> = ResultOfTool<Tools>
export type AiSdkDynamicResult = Named & { type: 'tool-result'; dynamic: true; output: unknown }
export type AiSdkToolResult<Tools extends ToolTypes = AnyTools> = AiSdkStaticResult<Tools> | AiSdkDynamicResult
type AiSdkToolError<Tools extends ToolTypes = AnyTools> =
  | OfTool<Tools, { type: 'tool-error'; error: unknown }>
  | (Named & { type: 'tool-error'; error: unknown; dynamic: true })

type AiSdkApprovalRequest<Tools extends ToolTypes = AnyTools> = {
  type: 'tool-approval-request'
  approvalId: string
  toolCall: AiSdkToolCall<Tools>
  reason?: string
  isAutomatic?: boolean
}

type AiSdkApprovalResponse<Tools extends ToolTypes = AnyTools> = {
  type: 'tool-approval-response'
  approvalId: string
  toolCall: AiSdkToolCall<Tools>
  approved: boolean
  reason?: string
}

export interface AiSdkFile {
  readonly base64: string
  readonly uint8Array: Uint8Array
  readonly mediaType: string
}

export type AiSdkFileContent = { type: 'file'; file: AiSdkFile; providerMetadata?: Metadata }
export type AiSdkTextContent = { type: 'text'; text: string; providerMetadata?: Metadata }
export type AiSdkReasoningContent = { type: 'reasoning'; text: string; providerMetadata?: Metadata }

/** One part of the result of a step. */
export type AiSdkContent<Tools extends ToolTypes = AnyTools> =
  | AiSdkTextContent
  | AiSdkReasoningContent
  | AiSdkFileContent
  | AiSdkToolCall<Tools>
  | AiSdkToolResult<Tools>
  | AiSdkToolError<Tools>
  | AiSdkApprovalRequest<Tools>
  | AiSdkApprovalResponse<Tools>

export type AiSdkFinishReason = 'stop' | 'length' | 'content-filter' | 'tool-calls' | 'error' | 'other'

export type AiSdkUsage = {
  inputTokens: number | undefined
  inputTokenDetails: {
    noCacheTokens: number | undefined
    cacheReadTokens: number | undefined
    cacheWriteTokens: number | undefined
  }
  outputTokens: number | undefined
  outputTokenDetails: { textTokens: number | undefined; reasoningTokens: number | undefined }
  totalTokens: number | undefined
}

type AiSdkPerformance = {
  readonly effectiveOutputTokensPerSecond: number
  readonly outputTokensPerSecond: number | undefined
  readonly inputTokensPerSecond: number | undefined
  readonly effectiveTotalTokensPerSecond: number
  readonly stepTimeMs: number
  readonly responseTimeMs: number
  readonly toolExecutionMs: Readonly<Record<string, number>>
  readonly timeToFirstOutputMs: number | undefined
}

export type AiSdkFinishStep = {
  type: 'finish-step'
  response: { readonly id: string; readonly timestamp: Date; readonly modelId: string }
  usage: AiSdkUsage
  performance: AiSdkPerformance
  finishReason: AiSdkFinishReason
  rawFinishReason: string | undefined
  providerMetadata: Metadata | undefined
}

type BlockKind = 'text' | 'reasoning'

type Block =
  | { type: `${BlockKind}-start`; id: string }
  | { type: `${BlockKind}-delta`; id: string; text: string }
  | { type: `${BlockKind}-end`; id: string; providerMetadata?: Metadata }

/** One part of an agent's stream. */
export type AiSdkStreamPart<Tools extends ToolTypes = AnyTools> =
  | Block
  | AiSdkFileContent
  | AiSdkToolCall<Tools>
  | AiSdkToolResult<Tools>
  | AiSdkToolError<Tools>
  | AiSdkApprovalRequest<Tools>
  | AiSdkApprovalResponse<Tools>
  | { type: 'tool-output-denied'; toolCallId: string; toolName: keyof Tools & string }
  | { type: 'start' }
  | { type: 'start-step'; request: { readonly body?: unknown }; warnings: never[] }
  | AiSdkFinishStep
  | { type: 'finish'; finishReason: AiSdkFinishReason; rawFinishReason: string | undefined; totalUsage: AiSdkUsage }
  | { type: 'abort'; reason?: string }
  | { type: 'error'; error: unknown }
