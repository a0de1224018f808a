import { type Json, MandateError } from '../../core/index.ts'
import { isSecret } from '../../redact/index.ts'
import type { ToolContext } from '../../tool/index.ts'
import { isChecked } from '../checks.ts'
import type { Allowed } from './http-allow.ts'
import { type HttpResponse, type Send, headerOf } from './http-transport.ts'
import { type ReadBody, readBody } from './http-body.ts'
import { checkWhole } from '../whole-text.ts'

/** The input that a model may give. */
export interface HttpInput {
  readonly url: string
  readonly method?: string
  readonly headers?: { readonly [name: string]: Json }
  readonly body?: Json
}

/** A request with its secrets resolved; exists only inside the call. */
export interface HttpRequest {
  readonly url: URL
  readonly method: string
  readonly headers: Headers
  readonly body: string | undefined
}

export interface HttpAnswer extends ReadBody {
  readonly response: Pick<HttpResponse, 'status' | 'headers'>
  readonly url: URL
}

const REDIRECTS_MAX = 5
/** Headers with which a caller could bypass the allow list, or break the connection's framing. */
const FORBIDDEN: RegExp = new RegExp(
  `^(?:${[
    'host|connection|content-length|transfer-encoding|upgrade|te|trailer|expect|keep-alive|http2-settings|via|max-forwards|proxy-.*',
    'forwarded|x-forwarded.*|x-host|(?:x-)?(?:real|client|true-client|cluster-client|originating|remote)-(?:ip|addr)|cf-connecting-ip',
    'x-original-.*|x-rewrite-url|x-proxy-url|x-envoy-.*|x-accel-.*|x-http-method.*|x-method-override',
    'metadata|metadata-flavor|x-aws-ec2-metadata-.*|x-google-metadata-.*',
  ].join('|')})$`,
  'i',
)
/** Headers that are kept on a redirect to another origin; all others could be credentials. */
const HARMLESS = /^(accept|accept-language|user-agent|content-type|range|if-.*)$/i

/** Creates the request: validates headers and resolves secrets. The host's headers override those of the caller. */
export async function makeRequest(
  input: HttpInput,
  own: { readonly [name: string]: Json },
  ctx: Pick<ToolContext, 'secrets' | 'idempotencyKey' | 'traceparent'>,
): Promise<HttpRequest> {
  checkWhole(input.url, 'The URL')
  const url = URL.parse(input.url)
  if (url === null)
    throw new MandateError(
      'INPUT_INVALID',
      `"${input.url.slice(0, 200)}" is not a URL. Give a whole one, beginning with http:// or https://.`,
    )
  const method = (input.method ?? 'GET').toUpperCase()
  const headers = new Headers()
  for (const [name, value] of [...Object.entries(input.headers ?? {}), ...Object.entries(own)]) {
    if (FORBIDDEN.test(name))
      throw new MandateError('INPUT_INVALID', `The header "${name}" cannot be set. Leave it out.`)
    setHeader(
      headers,
      name,
      isSecret(value)
        ? await secretValue(value.$secret, ctx)
        : typeof value === 'string'
          ? value
          : JSON.stringify(value),
    )
  }
  const isRead = method === 'GET' || method === 'HEAD'
  if (isRead && input.body !== undefined)
    throw new MandateError('INPUT_INVALID', `A ${method} request has no body. Leave it out, or use another method.`)
  const body = input.body === undefined || typeof input.body === 'string' ? input.body : JSON.stringify(input.body)
  if (body !== undefined) checkWhole(body, 'The body')
  if (body !== undefined && typeof input.body !== 'string' && !headers.has('content-type'))
    headers.set('content-type', 'application/json')
  if (!isRead && !headers.has('idempotency-key')) headers.set('idempotency-key', ctx.idempotencyKey)
  if (ctx.traceparent !== undefined && !headers.has('traceparent')) headers.set('traceparent', ctx.traceparent)
  return { url, method, headers, body }
}

function setHeader(headers: Headers, name: string, value: string): void {
  try {
    headers.set(name, value)
  } catch (cause) {
    // The platform's message would repeat the value, which may be a secret.
    throw new MandateError(
      'INPUT_INVALID',
      `The header "${name.slice(0, 100)}" has a name or value that HTTP does not allow.`,
      { cause: (cause as Error).name },
    )
  }
}

async function secretValue(name: string, ctx: Pick<ToolContext, 'secrets'>): Promise<string> {
  if (ctx.secrets === undefined)
    throw new MandateError(
      'CONFIG_INVALID',
      `The secret "${name}" cannot be resolved here. Give a \`secrets\` source to the service.`,
    )
  return ctx.secrets(name)
}

/** Sends the request and follows redirects, each checked like the first URL. */
export async function exchange(
  first: HttpRequest,
  { allow, send, maxBytes }: { allow: Allowed; send: Send; maxBytes: number },
  signal: AbortSignal,
): Promise<HttpAnswer> {
  let request = first
  for (let hop = 0; hop <= REDIRECTS_MAX; hop++) {
    allow.check(request.url)
    const { url } = request
    const response = await send(request, signal)
    const location = isRedirect(response.status) ? headerOf(response, 'location') : null
    if (location === null) return { ...(await readBody(response, maxBytes)), response, url }
    response.body.destroy()
    request = redirected(request, location, response.status)
  }
  throw new MandateError(
    'CONNECTOR_FAILED',
    `${first.method} ${first.url.origin} was redirected more than ${REDIRECTS_MAX} times.`,
    { info: { retriable: false } },
  )
}

function isRedirect(status: number): boolean {
  return status === 301 || status === 302 || status === 303 || status === 307 || status === 308
}

function redirected(request: HttpRequest, location: string, status: number): HttpRequest {
  const url = URL.parse(location, request.url.href)
  if (url === null)
    throw new MandateError(
      'DENIED',
      `Refused: ${request.url.host} redirects to "${location.slice(0, 200)}", which is not a URL.`,
    )
  if (request.url.protocol === 'https:' && url.protocol !== 'https:')
    throw new MandateError(
      'DENIED',
      `Refused: ${request.url.host} redirects from https to ${url.protocol}//${url.host}.`,
    )
  if (request.body !== undefined && url.origin !== request.url.origin && (status === 307 || status === 308))
    throw new MandateError(
      'DENIED',
      `Refused: ${request.url.host} wants the body sent on to ${url.host}. Send it there yourself if that is meant.`,
    )
  const headers = new Headers(request.headers)
  if (url.origin !== request.url.origin && isChecked('http.strip-headers'))
    for (const name of request.headers.keys()) if (!HARMLESS.test(name)) headers.delete(name)
  const becomesGet =
    request.method !== 'HEAD' && (status === 303 || (status !== 307 && status !== 308 && request.method === 'POST'))
  if (!becomesGet) return { ...request, url, headers }
  headers.delete('content-type')
  return { ...request, url, headers, method: 'GET', body: undefined }
}
