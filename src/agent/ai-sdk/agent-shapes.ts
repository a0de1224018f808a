import type { AnyTools, ToolTypes } from '../../tool/index.ts'
import type { AgentResult } from '../output/result-types.ts'
import type { RunOptions } from '../session/run-options.ts'
import type {
  AiSdkContent,
  AiSdkDynamicCall,
  AiSdkDynamicResult,
  AiSdkFile,
  AiSdkFinishReason,
  AiSdkFinishStep,
  AiSdkReasoningContent,
  AiSdkStaticCall,
  AiSdkStaticResult,
  AiSdkStreamPart,
  AiSdkToolCall,
  AiSdkToolResult,
  AiSdkUsage,
} from './part-shapes.ts'

/** A message of the AI SDK: what `convertToModelMessages` makes. Read with care, because clients send it. */
export interface AiSdkMessage {
  readonly role: string
  readonly content: string | readonly object[]
}

/** A schema in the standard form that the AI SDK reads. */
export interface AiSdkSchema<Value = unknown> {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => { readonly value: Value }
    readonly types?: { readonly input: unknown; readonly output: Value } | undefined
    readonly jsonSchema: {
      readonly input: () => Record<string, unknown>
      readonly output: () => Record<string, unknown>
    }
  }
}

/** A tool as the AI SDK knows one. It has no `execute`: the agent runs its own tools, behind its gate. */
export interface AiSdkTool<Input = unknown, Output = unknown> {
  readonly description?: string
  readonly inputSchema: AiSdkSchema<Input>
  readonly outputSchema: AiSdkSchema<Output>
}

/** The tools of an agent, with the types of their inputs and outputs: what `InferAgentUIMessage` of the AI SDK reads. */
export type AiSdkToolSet<Tools extends ToolTypes = AnyTools> = string extends keyof Tools
  ? Record<string, AiSdkTool>
  : { [N in keyof Tools & string]: AiSdkTool<Tools[N]['input'], Tools[N]['output']> }

/** What a caller may say about one run, as `options`. */
export interface AgentCallOptions extends Pick<
  RunOptions,
  'identity' | 'sessionId' | 'runId' | 'context' | 'budget' | 'durability' | 'historyLabels'
> {}

/** How an agent is called. `prompt` and `messages` are two names for one thing. */
export interface AgentCall {
  readonly prompt?: string | readonly AiSdkMessage[] | undefined
  readonly messages?: readonly AiSdkMessage[] | undefined
  readonly options?: AgentCallOptions | undefined
  /** Cuts the run. */
  readonly abortSignal?: AbortSignal | undefined
  /** Cuts the run after so many milliseconds; of the finer kinds only `totalMs` counts here, the others are for the budget and the tools. */
  readonly timeout?: number | { readonly totalMs?: number | undefined } | undefined
  readonly onStepEnd?: ((step: never) => unknown) | undefined
}

type AiSdkResponse = AiSdkFinishStep['response'] & { readonly messages: AiSdkResponseMessage[] }

export type AiSdkResponseMessage = { role: 'assistant'; content: never[] } | { role: 'tool'; content: never[] }

/** What one step came to. */
export interface AiSdkStep<Tools extends ToolTypes = AnyTools> {
  readonly callId: string
  readonly stepNumber: number
  readonly model: { readonly provider: string; readonly modelId: string }
  readonly toolsContext: Record<string, never>
  readonly runtimeContext: Record<string, never>
  readonly content: AiSdkContent<Tools>[]
  readonly text: string
  readonly reasoning: AiSdkReasoningContent[]
  readonly reasoningText: string | undefined
  readonly files: AiSdkFile[]
  readonly sources: never[]
  readonly toolCalls: AiSdkToolCall<Tools>[]
  readonly staticToolCalls: AiSdkStaticCall<Tools>[]
  readonly dynamicToolCalls: AiSdkDynamicCall[]
  readonly toolResults: AiSdkToolResult<Tools>[]
  readonly staticToolResults: AiSdkStaticResult<Tools>[]
  readonly dynamicToolResults: AiSdkDynamicResult[]
  readonly finishReason: AiSdkFinishReason
  readonly rawFinishReason: string | undefined
  readonly usage: AiSdkUsage
  readonly performance: AiSdkFinishStep['performance']
  readonly warnings: never[]
  readonly request: Record<string, never>
  readonly response: AiSdkResponse
  readonly providerMetadata: AiSdkFinishStep['providerMetadata']
}

/** What a whole call came to. */
export interface AiSdkGenerated<Output = unknown, Tools extends ToolTypes = AnyTools> extends Omit<
  AiSdkStep<Tools>,
  'callId' | 'stepNumber' | 'model' | 'toolsContext' | 'runtimeContext' | 'performance'
> {
  readonly totalUsage: AiSdkUsage
  readonly responseMessages: AiSdkResponseMessage[]
  readonly steps: AiSdkStep<Tools>[]
  readonly finalStep: AiSdkStep<Tools>
  /** The run behind it: its journal, its approvals, its result. */
  readonly runId: string
  /** The run by its own account; for agents with an `output` schema, `result.result` is the checked value. */
  readonly result: AgentResult<Output, Tools>
  /** The same as `result.result`. The AI SDK derives its type from a setting that our agents do not have, so nothing can be said of it here. */
  readonly output: never
}

type Promised<T> = { readonly [K in keyof T]: Promise<T[K]> }

/** A stream of `T` that can also be iterated over. */
export type AiSdkIterable<T> = ReadableStream<T> & AsyncIterable<T>

/** A call under way. Each stream can be read from its beginning, however often; the promises settle when the run has ended or waits. */
export interface AiSdkStreamed<Output = unknown, Tools extends ToolTypes = AnyTools> extends Promised<
  Omit<AiSdkGenerated<Output, Tools>, 'runId'>
> {
  readonly runId: string
  readonly stream: AiSdkIterable<AiSdkStreamPart<Tools>>
  /** The same as `stream`. */
  readonly fullStream: AiSdkIterable<AiSdkStreamPart<Tools>>
  readonly textStream: AiSdkIterable<string>
  /** The structured answer as it is written, unchecked; as with `output`, the AI SDK's type says nothing of it. `agent.run(…).partialOutputStream` has a type. */
  readonly partialOutputStream: AiSdkIterable<never>
  /** The same as `partialOutputStream`. */
  readonly experimental_partialOutputStream: AiSdkIterable<never>
  /** Empty: the structured answer of an agent is an object. */
  readonly elementStream: AiSdkIterable<never>
  consumeStream(options?: { readonly onError?: ((error: unknown) => void) | undefined }): Promise<void>
  /** Deprecated by the AI SDK, and not offered here: use its functions of these names with `stream`. They throw, and say so. */
  toUIMessageStream(options?: unknown): never
  toUIMessageStreamResponse(options?: unknown): never
  pipeUIMessageStreamToResponse(response: unknown, options?: unknown): never
  toTextStreamResponse(init?: unknown): never
  pipeTextStreamToResponse(response: unknown, init?: unknown): never
}
