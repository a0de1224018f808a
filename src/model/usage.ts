/** Tokens of one model call, or of many added up. `inputTokens` includes the cached ones, `outputTokens` the reasoning. */
export type TokenUsage = {
  readonly inputTokens: number
  readonly outputTokens: number
  readonly totalTokens: number
  readonly cachedInputTokens?: number
  readonly cacheWriteInputTokens?: number
  readonly reasoningTokens?: number
  /** The provider did not say; these numbers are ours. */
  readonly estimated?: boolean
}
