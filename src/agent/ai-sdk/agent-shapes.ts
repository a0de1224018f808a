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

/** A message of the AI SDK, as `convertToModelMessages` returns it. Untrusted, because clients send it. */
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

/** A tool of the AI SDK. It has no `execute`: the agent runs its own tools, behind its gate. */
export interface AiSdkTool<Input = unknown, Output = unknown> {
  readonly description?: string
  readonly inputSchema: AiSdkSchema<Input>
  readonly outputSchema: AiSdkSchema<Output>
}

/** The tools of an agent, with the types of their inputs and outputs, for `InferAgentUIMessage` of the AI SDK. */
export type AiSdkToolSet<Tools extends ToolTypes = AnyTools> = string extends keyof Tools
  ? Record<string, AiSdkTool>
  : { [N in keyof Tools & string]: AiSdkTool<Tools[N]['input'], Tools[N]['output']> }

/** The options of one run. */
export interface AgentCallOptions extends Pick<
  RunOptions,
  'identity' | 'sessionId' | 'runId' | 'context' | 'budget' | 'durability' | 'historyLabels' | 'toolChoice'
> {}

/** The arguments of `generate` and `stream`. `prompt` and `messages` are synonyms. */
export interface AgentCall {
  readonly prompt?: string | readonly AiSdkMessage[] | undefined
  readonly messages?: readonly AiSdkMessage[] | undefined
  readonly options?: AgentCallOptions | undefined
  /** Cancels the run. */
  readonly abortSignal?: AbortSignal | undefined
  /** Cancels the run after this many milliseconds. Of the finer timeouts only `totalMs` is used; budget and tools have limits for the others. */
  readonly timeout?: number | { readonly totalMs?: number | undefined } | undefined
  readonly onStepEnd?: ((step: never) => unknown) | undefined
}

type AiSdkResponse = AiSdkFinishStep['response'] & { readonly messages: AiSdkResponseMessage[] }

export type AiSdkResponseMessage = { role: 'assistant'; content: never[] } | { role: 'tool'; content: never[] }

/** The result of one step. */
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

/** The result of a whole call. */
export interface AiSdkGenerated<Output = unknown, Tools extends ToolTypes = AnyTools> extends Omit<
  AiSdkStep<Tools>,
  'callId' | 'stepNumber' | 'model' | 'toolsContext' | 'runtimeContext' | 'performance'
> {
  readonly totalUsage: AiSdkUsage
  readonly responseMessages: AiSdkResponseMessage[]
  readonly steps: AiSdkStep<Tools>[]
  readonly finalStep: AiSdkStep<Tools>
  /** The id of the run, for its journal and its approvals. */
  readonly runId: string
  /** The result of the run; for agents with an `output` schema, `result.result` is the validated value. */
  readonly result: AgentResult<Output, Tools>
  /** The same as `result.result`. The AI SDK derives its type from a setting that these agents do not have, so it has no usable type here. */
  readonly output: never
}

type Promised<T> = { readonly [K in keyof T]: Promise<T[K]> }

/** A stream of `T` that is also async iterable. */
export type AiSdkIterable<T> = ReadableStream<T> & AsyncIterable<T>

/** A streamed call. Each stream can be read from its beginning any number of times; the promises settle when the run has ended or waits. */
export interface AiSdkStreamed<Output = unknown, Tools extends ToolTypes = AnyTools> extends Promised<
  Omit<AiSdkGenerated<Output, Tools>, 'runId'>
> {
  readonly runId: string
  readonly stream: AiSdkIterable<AiSdkStreamPart<Tools>>
  /** The same as `stream`. */
  readonly fullStream: AiSdkIterable<AiSdkStreamPart<Tools>>
  readonly textStream: AiSdkIterable<string>
  /** The partial structured answer, not validated and, like `output`, without a type. `agent.run(…).partialOutputStream` has a type. */
  readonly partialOutputStream: AiSdkIterable<never>
  /** The same as `partialOutputStream`. */
  readonly experimental_partialOutputStream: AiSdkIterable<never>
  /** Empty: the structured answer of an agent is an object. */
  readonly elementStream: AiSdkIterable<never>
  consumeStream(options?: { readonly onError?: ((error: unknown) => void) | undefined }): Promise<void>
  /** Deprecated by the AI SDK and not implemented: use its functions of these names with `stream`. The methods throw an error with this advice. */
  toUIMessageStream(options?: unknown): never
  toUIMessageStreamResponse(options?: unknown): never
  pipeUIMessageStreamToResponse(response: unknown, options?: unknown): never
  toTextStreamResponse(init?: unknown): never
  pipeTextStreamToResponse(response: unknown, init?: unknown): never
}
