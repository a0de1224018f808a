import { MandateError, messageOf } from '../core/index.ts'
import type { ModelFault } from './model.ts'

/** The `info` of the error of a failed model call. */
export type ModelFailureInfo = {
  /** Whether a retry may help. */
  readonly retriable: boolean
  /** How long the provider asks to wait. */
  readonly retryAfterMs?: number
  /** The HTTP status, if there was one. */
  readonly status?: number
  /** Something else than a model answered, such as the login page of a network: the call cost nothing. */
  readonly isForeign?: boolean
}

/** Connection errors after which a retry may succeed. */
const PASSING = new Set([
  'ECONNRESET',
  'ECONNREFUSED',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'EAI_AGAIN',
  'ENETUNREACH',
  'UND_ERR_SOCKET',
])

/** The error of a failed model call, from an `error` part or anything that a model threw. */
export function modelFailure(cause: unknown): MandateError {
  if (MandateError.isInstance(cause)) return cause
  if (isFault(cause)) {
    const info = failureInfo(cause.status, cause.retriable, cause.retryAfterMs)
    return new MandateError('MODEL_FAILED', cause.message, { info })
  }
  const name = nameOf(cause)
  if (name === 'AbortError') return new MandateError('CANCELLED', 'The model call was cut.', { cause })
  const status = numberIn(cause, 'status') ?? numberIn(cause, 'statusCode')
  const told = booleanIn(cause, 'isRetryable') ?? booleanIn(cause, 'retriable')
  const passing = told ?? (isPassing(cause) ? true : undefined)
  const info = failureInfo(status, passing, numberIn(cause, 'retryAfterMs') ?? retryAfter(cause))
  return new MandateError(name === 'TimeoutError' ? 'MODEL_TIMEOUT' : 'MODEL_FAILED', messageOf(cause), {
    info: name === 'TimeoutError' ? { ...info, retriable: true } : info,
    cause,
  })
}

function failureInfo(status?: number, retriable?: boolean, retryAfterMs?: number): ModelFailureInfo {
  const byStatus = status !== undefined && (status === 408 || status === 409 || status === 429 || status >= 500)
  return {
    retriable: retriable ?? byStatus,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    ...(status === undefined ? {} : { status }),
  }
}

function isFault(cause: unknown): cause is ModelFault {
  return (
    fieldOf(cause, 'type') === 'error' && typeof fieldOf(cause, 'message') === 'string' && !(cause instanceof Error)
  )
}

function nameOf(cause: unknown): string {
  const name = fieldOf(cause, 'name')
  return typeof name === 'string' ? name : ''
}

/** `fetch` has the reason of a connection error in `cause`. */
function isPassing(error: unknown): boolean {
  for (let at: unknown = error, depth = 0; depth < 4 && at !== undefined; depth++) {
    const code = fieldOf(at, 'code')
    if (typeof code === 'string' && PASSING.has(code)) return true
    at = fieldOf(at, 'cause')
  }
  return false
}

/** `Retry-After` in seconds, from errors with response headers. Dates are left to the caller's own backoff. */
function retryAfter(error: unknown): number | undefined {
  const headers = fieldOf(error, 'responseHeaders')
  const value = fieldOf(headers, 'retry-after-ms') ?? fieldOf(headers, 'retry-after')
  const isMs = fieldOf(headers, 'retry-after-ms') !== undefined
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : Number.NaN
  return Number.isFinite(number) && number >= 0 ? number * (isMs ? 1 : 1_000) : undefined
}

function numberIn(value: unknown, key: string): number | undefined {
  const found = fieldOf(value, key)
  return typeof found === 'number' && Number.isFinite(found) ? found : undefined
}

function booleanIn(value: unknown, key: string): boolean | undefined {
  const found = fieldOf(value, key)
  return typeof found === 'boolean' ? found : undefined
}

function fieldOf(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : undefined
}
