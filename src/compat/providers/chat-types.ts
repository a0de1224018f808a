/** A provider with `chat` and, if it streams, `chatStream`. */
export interface ChatProvider {
  readonly name: string
  chat(request: ChatRequest): Promise<ChatResponse>
  chatStream?(
    request: ChatRequest,
    callbacks: { readonly onTextDelta?: (delta: string) => void },
  ): Promise<ChatResponse>
}

export interface ChatRequest {
  readonly model: string
  readonly systemPrompt?: string | undefined
  readonly messages: readonly ChatMessage[]
  readonly tools?: readonly ChatTool[] | undefined
  readonly maxTokens?: number | undefined
  readonly signal?: AbortSignal | undefined
}

/** A message of a conversation. There are only two roles, so results of tools are messages with the role `user`. */
export interface ChatMessage {
  readonly role: 'user' | 'assistant'
  readonly content: string | readonly ChatBlock[]
}

/** A block of a message. Names of two words are written in both spellings (`is_error`, `isError`) and read in either. */
export type ChatBlock =
  | { readonly type: 'text'; readonly text: string }
  | ({ readonly type: 'tool_use' } & ChatToolCall)
  | {
      readonly type: 'tool_result'
      readonly tool_use_id?: string | undefined
      readonly toolUseId?: string | undefined
      readonly content: string
      readonly is_error?: boolean | undefined
      readonly isError?: boolean | undefined
    }
  | {
      readonly type: 'image'
      readonly source?: { readonly type: 'base64'; readonly media_type: string; readonly data: string } | undefined
      readonly mediaType?: string | undefined
      readonly data?: string | undefined
    }

interface ChatTool {
  readonly name: string
  readonly description: string
  readonly inputSchema: unknown
}

export interface ChatToolCall {
  readonly id: string
  readonly name: string
  readonly input: unknown
  /** The arguments as text, if they were not JSON; `input` is then empty. */
  readonly invalid?: string | undefined
}

export interface ChatResponse {
  readonly textBlocks: readonly string[]
  readonly toolCalls: readonly ChatToolCall[]
  readonly stopReason: 'end_turn' | 'tool_use' | 'max_tokens'
  readonly usage?: { readonly inputTokens: number; readonly outputTokens: number } | undefined
}
