import { MandateError } from '../core/index.ts'
import { estimateRequest, estimateTokens } from './estimate.ts'
import type { Message, Part } from './message.ts'
import type { ModelPart, ModelRequest } from './model.ts'
import { NO_USAGE, reportedUsage, tokenUsage } from './usage.ts'
import type { TokenUsage } from './usage.ts'

/** Errors of connections that were never established: the request did not reach the provider. */
const NOT_SENT: ReadonlySet<unknown> = new Set([
  ...['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'ENETUNREACH', 'EHOSTUNREACH', 'UND_ERR_CONNECT_TIMEOUT'],
  ...['DEPTH_ZERO_SELF_SIGNED_CERT', 'SELF_SIGNED_CERT_IN_CHAIN', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
  ...['CERT_HAS_EXPIRED', 'ERR_TLS_CERT_ALTNAME_INVALID', 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY'],
])
/** Refusals before any model is asked: no key, no right, no such model, a proxy or a network that wants a login first. */
const NOT_ASKED: ReadonlySet<unknown> = new Set([401, 403, 404, 407, 511])

/**
 * The tokens of a call without a reply (failed, timed out or aborted), from the parts that arrived before. Output is the streamed text, estimated, or
 * the reported count if that is more; input is the reported count, or an estimate. A call that no model was asked to answer costs nothing. `undefined`
 * if nothing is known: no part arrived, and the error does not mean that the provider refused the request. Then the worst case has to be counted.
 */
export function unfinishedUsage(
  parts: readonly ModelPart[],
  request: ModelRequest,
  error: unknown,
): TokenUsage | undefined {
  if (parts.length === 0 && wasNotAsked(error)) return NO_USAGE
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

/**
 * Whether the request reached no model: it could not be made because a package or key is missing, the connection was never opened, the request was
 * refused before it was read, or something else than a model answered it.
 */
export function wasNotAsked(error: unknown): boolean {
  if (MandateError.isInstance(error) && error.code === 'CONFIG_INVALID') return true
  return causesOf(error).some(
    ({ code, status, info }) => NOT_SENT.has(code) || NOT_ASKED.has(status) || info?.isForeign === true,
  )
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

/** The provider answered with an error before it wrote anything: no output was generated. */
function wasRefused(error: unknown): boolean {
  return causesOf(error).some(({ status }) => typeof status === 'number')
}

interface Cause {
  readonly code: unknown
  readonly status: unknown
  readonly info: { readonly status?: unknown; readonly isForeign?: unknown } | null | undefined
}

const CAUSES_MAX = 5

/** An error and its causes, with the status that each of them tells. */
function causesOf(error: unknown): readonly Cause[] {
  const causes: Cause[] = []
  for (let at: unknown = error; causes.length < CAUSES_MAX && typeof at === 'object' && at !== null;) {
    const told = at as { readonly [name: string]: unknown }
    const info = told['info'] as Cause['info']
    causes.push({ info, code: told['code'], status: info?.status ?? told['status'] ?? told['statusCode'] })
    at = told['cause']
  }
  return causes
}
