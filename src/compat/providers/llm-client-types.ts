/** A client with `call` and, optionally, `stream`, `getModelInfo` and `close`. */
export interface LlmClient {
  call(prompt: string | readonly LlmMessage[], options?: LlmCallOptions): Promise<LlmResponse>
  stream?(prompt: string | readonly LlmMessage[], options?: LlmCallOptions): AsyncIterable<LlmChunk>
  getModelInfo?(): Promise<LlmModelInfo>
  close?(): Promise<void>
}

interface LlmModelInfo {
  readonly name: string
  readonly maxTokens?: number | undefined
  readonly supportsStreaming?: boolean | undefined
}

export interface LlmMessage {
  readonly role: 'system' | 'user' | 'assistant' | 'tool'
  readonly content: string
  readonly toolCalls?: readonly LlmToolCall[] | undefined
  /** The call that this result of a tool answers, and the name of the tool. */
  readonly toolCallId?: string | undefined
  readonly name?: string | undefined
}

interface LlmToolCall {
  readonly id: string
  readonly name: string
  /** A value, or JSON text. */
  readonly arguments: unknown
}

export interface LlmCallOptions {
  readonly tools?:
    | readonly { readonly name: string; readonly description?: string | undefined; readonly parameters: unknown }[]
    | undefined
  readonly maxTokens?: number | undefined
  readonly temperature?: number | undefined
  readonly seed?: number | undefined
  readonly signal?: AbortSignal | undefined
}

/** The result of a call. A bare string is its text. */
export type LlmResponse =
  | string
  | {
      readonly text: string
      readonly toolCalls?: readonly LlmToolCall[] | undefined
      readonly finishReason?: string | undefined
      readonly usage?: LlmUsage | undefined
    }

/** A piece of an answer. A bare string is a piece of its text. */
export type LlmChunk =
  | string
  | {
      readonly text?: string | undefined
      readonly toolCall?: LlmToolCall | undefined
      readonly finishReason?: string | undefined
      readonly usage?: LlmUsage | undefined
    }

export interface LlmUsage {
  readonly promptTokens: number
  readonly completionTokens: number
  readonly totalTokens?: number | undefined
}
