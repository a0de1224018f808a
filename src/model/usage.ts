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

/** Adds usages up. What only one of them tells is kept. */
export function addUsage(a: TokenUsage, b: TokenUsage): TokenUsage {
  const cached = addOptional(a.cachedInputTokens, b.cachedInputTokens)
  const written = addOptional(a.cacheWriteInputTokens, b.cacheWriteInputTokens)
  const reasoning = addOptional(a.reasoningTokens, b.reasoningTokens)
  return {
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    totalTokens: a.totalTokens + b.totalTokens,
    ...(cached === undefined ? {} : { cachedInputTokens: cached }),
    ...(written === undefined ? {} : { cacheWriteInputTokens: written }),
    ...(reasoning === undefined ? {} : { reasoningTokens: reasoning }),
    ...(a.estimated === true || b.estimated === true ? { estimated: true } : {}),
  }
}

function addOptional(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined ? b : a + (b ?? 0)
}
