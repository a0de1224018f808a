/** The capabilities of a provider. Tools are offered only if it can call them; without streaming, it answers in one piece. */
interface ProviderCapabilities {
  readonly streaming: boolean
  readonly tools: boolean
}

/** What a provider receives with a call besides the request. */
export interface ProviderCall {
  /** Fires when the answer is no longer wanted. */
  readonly signal: AbortSignal
}

/**
 * A provider of models with `complete` and `stream`: the only interface between an agent and a service on the network.
 *
 * @example
 * ```ts
 * import type { Provider } from 'mandate/chat'
 * const echo: Provider = {
 *   id: 'echo',
 *   capabilities: { streaming: false, tools: false },
 *   complete: async ({ messages }) => [{ type: 'text', text: messages.at(-1)?.content ?? '' }, { type: 'done' }],
 *   async *stream(request) {
 *     yield* await echo.complete(request)
 *   },
 * }
 * ```
 */
export interface Provider {
  readonly id: string
  readonly capabilities: ProviderCapabilities
  complete(request: ProviderRequest, call?: ProviderCall): Promise<readonly ProviderResponseChunk[]>
  stream(request: ProviderRequest, call?: ProviderCall): AsyncIterable<ProviderResponseChunk>
}

/** A request to a provider. */
export interface ProviderRequest {
  readonly model: string
  readonly messages: readonly ProviderRequestMessage[]
  readonly tools?: readonly ProviderTool[] | undefined
  /** `auto`, `none`, or the name of a tool. */
  readonly toolChoice?: string | undefined
  readonly temperature?: number | undefined
  readonly maxTokens?: number | undefined
  /** Not set by this package; for what your own code puts around a provider. */
  readonly metadata?: Readonly<Record<string, unknown>> | undefined
}

interface ProviderRequestMessage {
  readonly role: 'system' | 'user' | 'assistant' | 'tool'
  readonly content: string | null
  readonly name?: string | undefined
  /** The calls of an assistant. */
  readonly tool_calls?: readonly ProviderToolCall[] | undefined
  /** Id of the call that a tool result answers. */
  readonly tool_call_id?: string | undefined
}

interface ProviderTool {
  readonly name: string
  readonly description?: string | undefined
  readonly parameters: unknown
}

interface ProviderToolCall {
  readonly id: string
  readonly name: string
  /** A value, or JSON text. */
  readonly arguments: unknown
}

/** One chunk of an answer. */
export interface ProviderResponseChunk {
  readonly type: 'text' | 'tool_call' | 'done'
  readonly text?: string | undefined
  readonly toolCall?: ProviderToolCall | undefined
  /** `done` may carry `{ finishReason, usage }` here. */
  readonly metadata?: Readonly<Record<string, unknown>> | undefined
}
