/** A provider with `complete` and `stream`, as Atlas has them. */
export interface AtlasProvider {
  readonly id: string
  readonly capabilities: { readonly streaming: boolean; readonly tools: boolean }
  complete(request: AtlasRequest): Promise<readonly AtlasChunk[]>
  stream(request: AtlasRequest): AsyncIterable<AtlasChunk>
}

export interface AtlasRequest {
  readonly model: string
  readonly messages: readonly AtlasRequestMessage[]
  readonly tools?: readonly AtlasTool[] | undefined
  /** `auto`, `none`, or the name of a tool. */
  readonly toolChoice?: string | undefined
  readonly temperature?: number | undefined
  readonly maxTokens?: number | undefined
  readonly metadata?: Readonly<Record<string, unknown>> | undefined
}

interface AtlasRequestMessage {
  readonly role: 'system' | 'user' | 'assistant' | 'tool'
  readonly content: string | null
  readonly name?: string | undefined
  /** The calls of an assistant. */
  readonly tool_calls?: readonly AtlasToolCall[] | undefined
  /** Which call a tool answers. */
  readonly tool_call_id?: string | undefined
}

interface AtlasTool {
  readonly name: string
  readonly description?: string | undefined
  readonly parameters: unknown
}

interface AtlasToolCall {
  readonly id: string
  readonly name: string
  /** A value, or a text of JSON. */
  readonly arguments: unknown
}

export interface AtlasChunk {
  readonly type: 'text' | 'tool_call' | 'done'
  readonly text?: string | undefined
  readonly toolCall?: AtlasToolCall | undefined
  /** `done` may tell `{ finishReason, usage }` here. */
  readonly metadata?: Readonly<Record<string, unknown>> | undefined
}
