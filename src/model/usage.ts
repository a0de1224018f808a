/** Tokens of one model call, or of several added up. `inputTokens` includes cached ones, `outputTokens` includes reasoning. */
export type TokenUsage = {
  /** The input, including cached parts. */
  readonly inputTokens: number
  /** The output, including reasoning. */
  readonly outputTokens: number
  /** Both together. */
  readonly totalTokens: number
  /** The part of the input that the provider read from its cache. */
  readonly cachedInputTokens?: number
  /** The part of the input that the provider wrote to its cache. */
  readonly cacheWriteInputTokens?: number
  /** The part of the output that was reasoning. */
  readonly reasoningTokens?: number
  /** The provider did not report all numbers; some are estimated. */
  readonly estimated?: boolean
}

/** Nothing used. */
export const NO_USAGE: TokenUsage = Object.freeze({ inputTokens: 0, outputTokens: 0, totalTokens: 0 })

/** A usage from two counts. */
export function tokenUsage(inputTokens: number, outputTokens: number): TokenUsage {
  return { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens }
}

/** What a provider reported, as far as it is valid. */
export interface ReportedUsage {
  readonly inputTokens: number | undefined
  readonly outputTokens: number | undefined
  readonly totalTokens: number | undefined
  readonly cachedInputTokens: number | undefined
  readonly cacheWriteInputTokens: number | undefined
  readonly reasoningTokens: number | undefined
  readonly isEstimated: boolean
  /** Reported members that are no valid counts, as `name: value`. */
  readonly wrong: readonly string[]
}

const COUNTS = [
  'inputTokens',
  'outputTokens',
  'totalTokens',
  'cachedInputTokens',
  'cacheWriteInputTokens',
  'reasoningTokens',
] as const

/** Validates usage from outside. A count is a finite number from zero up; anything else is unknown, never zero. */
export function reportedUsage(given: unknown): ReportedUsage {
  const counts: { -readonly [C in (typeof COUNTS)[number]]?: number } = {}
  const wrong: string[] = []
  const members = typeof given === 'object' && given !== null ? (given as { readonly [name: string]: unknown }) : {}
  if (members !== given) wrong.push(`usage: ${shortly(given)}`)
  for (const name of COUNTS) {
    const value = members[name]
    if (typeof value === 'number' && value >= 0 && Number.isFinite(value)) counts[name] = value
    else if (value !== undefined && value !== null) wrong.push(`${name}: ${shortly(value)}`)
  }
  const { inputTokens, outputTokens, totalTokens, cachedInputTokens, cacheWriteInputTokens, reasoningTokens } = counts
  return {
    ...{ inputTokens, outputTokens, totalTokens, cachedInputTokens, cacheWriteInputTokens, reasoningTokens },
    isEstimated: members['estimated'] === true,
    wrong,
  }
}

function shortly(value: unknown): string {
  return (typeof value === 'number' ? String(value) : (JSON.stringify(value) ?? typeof value)).slice(0, 40)
}
