import { MandateError } from '../core/index.ts'
import { estimateRequest, estimateTokens } from './estimate.ts'
import type { Message, Part } from './message.ts'
import type { ModelPart, ModelRequest } from './model.ts'
import { reportedUsage, tokenUsage } from './usage.ts'
import type { TokenUsage } from './usage.ts'

/** Errors of connections that were never established: the request did not reach the provider. */
const NOT_SENT = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'ENETUNREACH', 'EHOSTUNREACH'])

/**
 * The tokens of a call without a reply (failed, timed out or aborted), from the parts that arrived before. Output is the streamed text, estimated, or
 * the reported count if that is more; input is the reported count, or an estimate. `undefined` if nothing is known: no part arrived, and the error
 * does not mean that the provider refused the request. Then the worst case has to be counted.
 */
export function unfinishedUsage(
  parts: readonly ModelPart[],
  request: ModelRequest,
  error: unknown,
): TokenUsage | undefined {
  if (parts.length === 0 && wasNotOpened(error)) return { ...tokenUsage(0, 0), estimated: true }
  const streamed = streamedTokens(parts)
  const said = parts.findLast((part) => part.type === 'usage')?.usage
  const reported = said === undefined ? undefined : reportedUsage(said)
  const isKnown = streamed > 0 || reported?.inputTokens !== undefined || reported?.outputTokens !== undefined
  if (!isKnown && !wasRefused(error)) return undefined
  const usage = tokenUsage(
    reported?.inputTokens ?? estimateRequest(request),
    Math.max(streamed, reported?.outputTokens ?? 0),
  )
  return { ...usage, estimated: true }
}

/** The model could not be created because its package or key is missing: no request was sent. */
function wasNotOpened(error: unknown): boolean {
  return MandateError.isInstance(error) && error.code === 'CONFIG_INVALID'
}

function streamedTokens(parts: readonly ModelPart[]): number {
  let text = ''
  const others: Part[] = []
  for (const part of parts) {
    if (part.type === 'text-delta' || part.type === 'reasoning-delta') text += part.text
    else if (part.type === 'tool-call' || part.type === 'tool-result') others.push(part)
    else if (part.type === 'file') others.push({ ...part, type: 'file' })
    else if (part.type === 'custom') others.push(part)
  }
  const rest: Message = { role: 'assistant', content: others }
  return estimateTokens(text) + (others.length === 0 ? 0 : estimateTokens([rest]))
}

/** The provider answered with an error before it wrote anything, or was never reached: no output was generated. */
function wasRefused(error: unknown): boolean {
  for (let at: unknown = error, depth = 0; depth < 5 && typeof at === 'object' && at !== null; depth++) {
    const { info, code, status, statusCode, cause } = at as { readonly [name: string]: unknown }
    const told = (info as { readonly status?: unknown } | null | undefined)?.status ?? status ?? statusCode
    if (typeof told === 'number' || (typeof code === 'string' && NOT_SENT.has(code))) return true
    at = cause
  }
  return false
}
