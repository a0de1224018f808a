import type { TokenUsage } from './usage.ts'

/** Adds two usages. Members of only one of them are kept. */
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
