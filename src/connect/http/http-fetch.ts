import {
  checkNumbers,
  type Clock,
  type Json,
  MandateError,
  systemClock,
  checkFields,
  type FieldNames,
} from '../../core/index.ts'
import { type SecretHandle } from '../../redact/index.ts'
import { type Tool, type ToolContext, defineTool } from '../../tool/index.ts'
import { type Resolver, guardedLookup, systemResolver } from './addresses.ts'
import { readAllow } from './http-allow.ts'
import { withAttempts, withDeadline } from './http-attempts.ts'
import { type HttpAnswer, type HttpInput, exchange, makeRequest } from './http-exchange.ts'
import { headerOf, transport } from './http-transport.ts'

export interface HttpFetchOptions {
  /**
   * Hosts (`api.example.com`, `*.example.com`), origins (`https://api.example.com`), beginnings of paths (`https://api.example.com/v1/*`) and
   * addresses (`127.0.0.1:8080`) that may be reached; `*` is every public host. By default none.
   */
  readonly allow?: readonly string[] | undefined
  /** `GET` and `HEAD` by default. Any other makes the tool one that writes. */
  readonly methods?: readonly string[] | undefined
  /** The time limit of the whole call, including redirects and retries; 20 seconds by default. */
  readonly timeoutMs?: number | undefined
  /** A longer body is truncated; one million bytes by default. */
  readonly maxBytes?: number | undefined
  /** Attempts of GET and HEAD after 429, 5xx or a connection error, and the first pause, which doubles; 3 and 250 ms by default. */
  readonly retry?: { readonly attempts: number; readonly backoffMs: number } | undefined
  /** Sent with every request; secrets as handles. */
  readonly headers?: { readonly [name: string]: string | SecretHandle } | undefined
  readonly clock?: Clock | undefined
  /** Resolves names; the system's resolver by default. */
  readonly resolve?: Resolver | undefined
}

const HTTP_FETCH_OPTIONS: FieldNames<HttpFetchOptions> = {
  allow: 'texts',
  methods: 'texts',
  timeoutMs: true,
  maxBytes: true,
  retry: true,
  headers: 'object',
  clock: 'clock',
  resolve: 'function',
}

const SHOWN_HEADERS = ['content-type', 'content-language', 'etag', 'last-modified', 'location', 'retry-after', 'link']
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']

/**
 * Creates the tool `http_fetch`. It reaches only what `allow` names, also after redirects, and a name that resolves to this machine or its network is
 * refused, even after DNS rebinding.
 *
 * @example
 * ```ts
 * import { httpFetch } from 'mandate/connect'
 * const tool = httpFetch({ allow: ['api.github.com'], timeoutMs: 5_000 })
 * ```
 */
export function httpFetch(options: HttpFetchOptions = {}): Tool {
  checkFields(options, 'an option of `httpFetch`', HTTP_FETCH_OPTIONS)
  checkNumbers(options, 'an option of `httpFetch`', { timeoutMs: 'amount+', maxBytes: 'count+' })
  checkFields(options.retry, 'a field of `retry`', { attempts: true, backoffMs: true })
  checkNumbers(options.retry, 'a field of `retry`', { attempts: 'count+', backoffMs: 'amount' })
  const {
    timeoutMs = 20_000,
    maxBytes = 1_000_000,
    retry = { attempts: 3, backoffMs: 250 },
    clock = systemClock,
  } = options
  const methods = (options.methods ?? ['GET', 'HEAD']).map((method) => method.toUpperCase())
  const unknown = methods.find((method) => !METHODS.includes(method))
  if (unknown !== undefined || methods.length === 0) {
    throw new MandateError(
      'CONFIG_INVALID',
      `\`methods\` holds ${unknown ?? 'nothing'}. Use some of: ${METHODS.join(', ')}.`,
    )
  }
  const allow = readAllow(options.allow)
  const send = transport(
    guardedLookup(options.resolve ?? systemResolver, (host, address) => allow.mayReach(host, address)),
  )
  const isRead = methods.every(isRepeatable)
  return defineTool({
    name: 'http_fetch',
    description: 'Fetches a URL over HTTP. Gives status, some headers and the body.',
    inputSchema: inputSchema(methods),
    risk: isRead ? 'read' : 'write',
    safeByDefault: false,
    idempotent: isRead,
    // Longer than the connector's own timeout, which has a more specific message.
    timeoutMs: timeoutMs + 1_000,
    labels: ['untrusted:web'],
    async run(input: HttpInput, ctx: ToolContext) {
      const request = await makeRequest(input, (options.headers ?? {}) as { readonly [name: string]: Json }, ctx)
      const what = `${request.method} ${request.url.origin}${request.url.pathname}`
      const attempts = isRepeatable(request.method) ? Math.max(1, retry.attempts) : 1
      const answer = await withDeadline({ clock, timeoutMs, what, signal: ctx.signal }, (deadline) =>
        withAttempts(() => exchange(request, { allow, send, maxBytes }, deadline.signal), {
          attempts,
          backoffMs: retry.backoffMs,
          what,
          clock,
          deadline,
          onRetry: (note) => ctx.emit('http-retry', note),
        }),
      )
      return shownAnswer(answer)
    },
  })
}

function inputSchema(methods: readonly string[]): { readonly [keyword: string]: unknown } {
  const header = {
    anyOf: [
      { type: 'string' },
      {
        type: 'object',
        properties: { $secret: { type: 'string' } },
        required: ['$secret'],
        additionalProperties: false,
      },
    ],
  }
  const hasBody = methods.some((method) => !isRepeatable(method))
  return {
    type: 'object',
    properties: {
      url: { type: 'string', description: 'A whole URL.', maxLength: 8_192 },
      method: { enum: methods, description: `${methods[0]} when absent.` },
      headers: { type: 'object', additionalProperties: header },
      ...(hasBody ? { body: { description: 'Text, or JSON to send.' } } : {}),
    },
    required: methods.includes('GET') ? ['url'] : ['url', 'method'],
    additionalProperties: false,
  }
}

function isRepeatable(method: string): boolean {
  return method === 'GET' || method === 'HEAD'
}

function shownAnswer({ response, url, body, encoding, bytes, truncated }: HttpAnswer): Json {
  const headers: Record<string, string> = {}
  for (const name of SHOWN_HEADERS) {
    const value = headerOf(response, name)
    if (value !== null) headers[name] = value
  }
  const shown = { status: response.status, url: url.href, headers, body, bytes, truncated }
  return encoding === 'text' ? shown : { ...shown, encoding }
}
