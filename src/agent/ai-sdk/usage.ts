import { NO_USAGE, addUsage } from '../../model/index.ts'
import type { TokenUsage } from '../../model/index.ts'
import type { AiSdkUsage } from './part-shapes.ts'

/** Token usage in the AI SDK's form. */
export function aiSdkUsage(usage: TokenUsage): AiSdkUsage {
  const { inputTokens, outputTokens, totalTokens, cachedInputTokens, cacheWriteInputTokens, reasoningTokens } = usage
  return {
    inputTokens,
    inputTokenDetails: {
      noCacheTokens: inputTokens - (cachedInputTokens ?? 0) - (cacheWriteInputTokens ?? 0),
      cacheReadTokens: cachedInputTokens,
      cacheWriteTokens: cacheWriteInputTokens,
    },
    outputTokens,
    outputTokenDetails: { textTokens: outputTokens - (reasoningTokens ?? 0), reasoningTokens },
    totalTokens,
  }
}

/** The sum of several usages. */
export function sumUsage(usages: readonly TokenUsage[]): TokenUsage {
  return usages.reduce(addUsage, NO_USAGE)
}
