/** Tokens of one model call, or of many added up. `inputTokens` includes the cached ones, `outputTokens` the reasoning. */
export type TokenUsage = {
  readonly inputTokens: number
  readonly outputTokens: number
  readonly totalTokens: number
  readonly cachedInputTokens?: number
  readonly cacheWriteInputTokens?: number
  readonly reasoningTokens?: number
  /** The provider did not say; these numbers are ours, at least in part. */
  readonly estimated?: boolean
}

/** Nothing used. */
export const NO_USAGE: TokenUsage = Object.freeze({ inputTokens: 0, outputTokens: 0, totalTokens: 0 })

/** Makes usage of two counts. */
export function tokenUsage(inputTokens: number, outputTokens: number): TokenUsage {
  return { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens }
}
