import { type Clock, MandateError, messageOf } from '../../core/index.ts'
import { type ModelFailureInfo, modelFailure } from '../failure.ts'

const MESSAGE_MAX = 500
const BODY_MAX = 10_000

/** Providers' error codes for transient errors; they are sent inside streams, where there is no status. */
const PASSING = /overload|rate_?limit|timeout|timed_?out|server_?error|api_?error|unavailable|exhausted|internal/i

/** A damaged stream may be intact the next time. */
const DAMAGE = new Set(['AI_JSONParseError', 'AI_InvalidResponseDataError', 'AI_EmptyResponseBodyError'])

/** The error of a failed call, from anything that a provider threw or put into its stream. */
export function failureOf(cause: unknown, id: string, clock: Clock): MandateError {
  const base = modelFailure(cause)
  if (base === cause || base.code !== 'MODEL_FAILED') return base
  const told = base.info as ModelFailureInfo
  const status = told.status ?? statusIn(cause)
  if ((status === undefined || status < 400) && isPage(cause)) return webPage(id, cause)
  const retryAfterMs = retryAfter(cause, clock) ?? told.retryAfterMs
  const info: ModelFailureInfo = {
    retriable: told.retriable || isPassing(cause, status),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    ...(status === undefined ? {} : { status }),
  }
  const head = status === undefined ? `${id} failed` : `${id} answered ${status}`
  return new MandateError('MODEL_FAILED', `${head}: ${describe(cause)}`, { info, cause })
}

/** The error of a call that was answered with a web page: no model was asked, so it costs nothing, and asking again at once does not help. */
export function webPage(id: string, cause?: unknown): MandateError {
  const info: ModelFailureInfo = { retriable: false, isForeign: true }
  const message = `${id} was answered with a web page instead of the answer of a model. Look at the network: a login page, a proxy, or a wrong base URL answers in its place.`
  return new MandateError('MODEL_FAILED', message, { info, cause })
}

function isPage(cause: unknown): boolean {
  const body = field(cause, 'responseBody')
  return typeof body === 'string' && /^\s*<(?:!doctype|html|head|body|\?xml)/i.test(body.slice(0, 200))
}

function isPassing(cause: unknown, status: number | undefined): boolean {
  if (typeof field(cause, 'isRetryable') === 'boolean') return false
  if (status !== undefined) return status === 408 || status === 409 || status === 429 || status >= 500
  if (DAMAGE.has(String(field(cause, 'name')))) return true
  return wordsIn(cause).some((word) => PASSING.test(word))
}

/** Errors in streams may have any form: an error, a record with a message, or a record around one. */
function describe(cause: unknown): string {
  const inner = field(cause, 'error')
  const told = [field(cause, 'message'), field(inner, 'message'), inner, cause].find(
    (one) => typeof one === 'string' && one.trim() !== '',
  )
  const text =
    typeof told === 'string'
      ? told
      : cause instanceof Error
        ? messageOf(cause)
        : (JSON.stringify(cause) ?? 'no reason was given')
  const more = bodyMessage(cause) ?? field(field(cause, 'cause'), 'message')
  const whole = typeof more === 'string' && !text.includes(more) ? `${text} (${more})` : text
  return whole.length > MESSAGE_MAX ? `${whole.slice(0, MESSAGE_MAX)}…` : whole
}

/** The message in the response body: servers that are not fully compatible put it where the provider's package does not read it. */
function bodyMessage(cause: unknown): string | undefined {
  const body = field(cause, 'responseBody')
  if (typeof body !== 'string' || body.length > BODY_MAX) return undefined
  try {
    const parsed: unknown = JSON.parse(body)
    const error = field(parsed, 'error')
    const told = [field(error, 'message'), error, field(parsed, 'message'), field(parsed, 'detail')]
    return told.find((one) => typeof one === 'string')
  } catch {
    return body.trim().startsWith('<') ? undefined : body.trim() || undefined
  }
}

function wordsIn(cause: unknown): string[] {
  const inner = field(cause, 'error')
  return [cause, inner]
    .flatMap((one) => ['type', 'code', 'status'].map((key) => field(one, key)))
    .filter((one) => typeof one === 'string')
}

function statusIn(cause: unknown): number | undefined {
  for (const one of [cause, field(cause, 'error')]) {
    for (const key of ['status', 'statusCode', 'code']) {
      const status = Number(field(one, key) ?? Number.NaN)
      if (Number.isInteger(status) && status >= 400 && status <= 599) return status
    }
  }
  return undefined
}

/** How long the provider asks to wait: a header in milliseconds, seconds or as a date, or a note in the body (Google). */
function retryAfter(cause: unknown, clock: Clock): number | undefined {
  const headers = field(cause, 'responseHeaders')
  const ms = amount(field(headers, 'retry-after-ms'))
  if (ms !== undefined) return ms
  const header = field(headers, 'retry-after')
  const seconds = amount(header)
  if (seconds !== undefined) return seconds * 1_000
  const due = typeof header === 'string' ? Date.parse(header) : Number.NaN
  // Relative to the server's own clock if there is a `date` header: the two clocks may differ by more than the wait.
  const sent = Date.parse(String(field(headers, 'date')))
  if (!Number.isNaN(due)) return Math.max(0, due - (Number.isNaN(sent) ? clock.now() : sent))
  return retryDelay(field(field(cause, 'data'), 'error'))
}

function retryDelay(error: unknown): number | undefined {
  const details = field(error, 'details')
  if (!Array.isArray(details)) return undefined
  for (const detail of details) {
    const found = /^(\d+(?:\.\d+)?)s$/.exec(String(field(detail, 'retryDelay')))
    if (found !== null) return Math.ceil(Number(found[1]) * 1_000)
  }
  return undefined
}

function amount(value: unknown): number | undefined {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : Number.NaN
  return Number.isFinite(number) && number >= 0 ? number : undefined
}

function field(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : undefined
}
