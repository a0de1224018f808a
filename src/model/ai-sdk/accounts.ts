import { estimateRequest } from '../estimate.ts'
import type { FinishReason, ModelRequest } from '../model.ts'
import type { TokenUsage } from '../usage.ts'

interface Counts {
  readonly input: number | undefined
  readonly output: number | undefined
  readonly total?: number | undefined
  readonly cached?: number | undefined
  readonly written?: number | undefined
  readonly reasoning?: number | undefined
}

/**
 * The usage of a call, in the form of v2 (plain numbers) or of v3 and v4 (records). `undefined` if the provider reported nothing at all; a missing
 * side is estimated.
 */
export function usageOf(usage: unknown, request: ModelRequest, provider: string): TokenUsage | undefined {
  const { input, output: said, total, cached, written, reasoning } = countsOf(record(usage), provider)
  if (input === undefined && said === undefined) return undefined
  // Some servers count reasoning separately; output that is less than its own reasoning part cannot include it.
  const output = said !== undefined && (reasoning ?? 0) > said ? said + (reasoning ?? 0) : said
  const inputTokens = input ?? estimateRequest(request)
  // If the output can be derived neither by itself nor from the total, it is left out: the fold of the stream estimates it from the text.
  const outputTokens = output ?? (total === undefined ? undefined : Math.max(0, total - inputTokens))
  return {
    inputTokens,
    ...(outputTokens === undefined ? {} : { outputTokens }),
    totalTokens: Math.max(total ?? 0, inputTokens + (outputTokens ?? 0)),
    ...(cached === undefined ? {} : { cachedInputTokens: cached }),
    ...(written === undefined ? {} : { cacheWriteInputTokens: written }),
    ...(reasoning === undefined ? {} : { reasoningTokens: reasoning }),
    ...(input === undefined || output === undefined ? { estimated: true } : {}),
  } as TokenUsage
}

function countsOf(usage: Readonly<Record<string, unknown>>, provider: string): Counts {
  const { inputTokens, outputTokens } = usage
  if (typeof inputTokens === 'object' || typeof outputTokens === 'object') {
    const input = record(inputTokens)
    const output = record(outputTokens)
    const cached = count(input['cacheRead'])
    const written = count(input['cacheWrite'])
    return {
      input: count(input['total']) ?? sum(count(input['noCache']), cached, written),
      output: count(output['total']) ?? sum(count(output['text']), count(output['reasoning'])),
      cached,
      written,
      reasoning: count(output['reasoning']),
    }
  }
  const cached = count(usage['cachedInputTokens'])
  const input = count(inputTokens)
  // Before v3 some providers did not include cached tokens in the input.
  const isApart = provider.startsWith('anthropic') || (cached ?? 0) > (input ?? 0)
  return {
    input: input === undefined || cached === undefined || !isApart ? input : input + cached,
    output: count(outputTokens),
    total: count(usage['totalTokens']),
    cached,
    reasoning: count(usage['reasoningTokens']),
  }
}

function record(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}

function count(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined
}

function sum(...counts: (number | undefined)[]): number | undefined {
  const told = counts.filter((one) => one !== undefined)
  return told.length === 0 ? undefined : told.reduce((all, one) => all + one, 0)
}

interface Ending {
  readonly reason: FinishReason
  readonly raw?: string
  /** `false` if the stream was closed without a reason: then it is unknown whether the answer is complete. */
  readonly isTold: boolean
}

const REASONS: readonly string[] = ['stop', 'tool-calls', 'length', 'content-filter', 'error', 'other']

/** Why an answer ended: a string in v2, `{ unified, raw }` since v3. An unknown reason is `other`. */
export function endingOf(finishReason: unknown): Ending {
  const told = typeof finishReason === 'string' ? { unified: finishReason } : record(finishReason)
  const { unified, raw } = told as { unified?: unknown; raw?: unknown }
  const word = typeof unified === 'string' ? unified : 'unknown'
  const reason = REASONS.includes(word) ? (word as FinishReason) : 'other'
  const own = typeof raw === 'string' ? raw : reason === word ? undefined : word
  const isSilent = word === 'unknown' || word === 'interrupted'
  const isOther = word === 'other' && raw === undefined && typeof finishReason !== 'string'
  return { reason, isTold: !isSilent && !isOther, ...(own === undefined ? {} : { raw: own }) }
}

/** A warning as a sentence. */
export function warningText(warning: unknown): string {
  const { type, setting, feature, tool, details, message } = record(warning)
  if (typeof message === 'string') return message
  const what = [setting, feature, record(tool)['name']].find((one) => typeof one === 'string')
  const head = `${typeof type === 'string' ? type : 'warning'}${what === undefined ? '' : `: ${what}`}`
  return typeof details === 'string' ? `${head} (${details})` : head
}
