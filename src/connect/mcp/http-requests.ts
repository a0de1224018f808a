import { MandateError } from '../../core/index.ts'
import { type Resolver, guardedLookup, systemResolver } from '../http/addresses.ts'
import { readAllow } from '../http/http-allow.ts'
import { fetchTransport } from '../http/http-transport.ts'
import type { McpHttpServer } from './server-config.ts'

/** The signature of `fetch`, as far as the protocol's client uses it. */
type Requests = (url: string | URL, init?: RequestInit) => Promise<Response>

interface RequestOptions {
  readonly maxMessageBytes: number
  readonly onFault: (why: string) => void
  /** The system's resolver by default. */
  readonly resolve?: Resolver | undefined
  /** Which other URLs may be requested for authorization. */
  readonly mayAuthorizeAt?: ((url: URL) => boolean) | undefined
}

const NO_BODY = [101, 204, 205, 304]

/**
 * Requests to one server: only to the configured origin, without redirects, to no private address behind a public name, and with bounded messages,
 * whose violation is reported to `onFault`.
 */
export function requestsTo(server: McpHttpServer, options: RequestOptions): Requests {
  const { maxMessageBytes, onFault, resolve = systemResolver, mayAuthorizeAt = () => false } = options
  const { origin } = new URL(server.url)
  const allow = readAllow([origin])
  const mayReach = (host: string, address: string): boolean =>
    server.privateNetwork === true || host === 'localhost' || allow.mayReach(host, address)
  const send = fetchTransport(guardedLookup(resolve, mayReach))
  return async (target, init = {}) => {
    const url = new URL(target)
    const isElsewhere = url.origin !== origin
    if (isElsewhere && !mayAuthorizeAt(url))
      throw new MandateError(
        'DENIED',
        `Refused: the MCP server at ${origin} leads to ${url.origin}, where it was not granted.`,
      )
    const signal = init.signal ?? new AbortController().signal
    const request = { url, method: init.method ?? 'GET', headers: new Headers(init.headers), body: bodyOf(init) }
    if (isElsewhere) leaveBehind(request.headers, server.headers)
    const response = await send(request, signal)
    if (response.body === null || NO_BODY.includes(response.status)) return response
    const { status, statusText, headers } = response
    const isStream = headers.get('content-type')?.includes('text/event-stream') === true
    return new Response(response.body.pipeThrough(bounded(maxMessageBytes, isStream, onFault)), {
      status,
      statusText,
      headers,
    })
  }
}

function bodyOf({ body }: RequestInit): string | undefined {
  if (body instanceof URLSearchParams) return body.toString()
  return typeof body === 'string' ? body : undefined
}

/** Removes the headers configured for the server from requests to its authorization server. */
function leaveBehind(headers: Headers, configured: { readonly [name: string]: string } = {}): void {
  for (const [name, value] of Object.entries(configured)) if (headers.get(name) === value) headers.delete(name)
}

/** Passes bytes on until a message is too large. In an event stream an empty line ends a message. */
function bounded(
  max: number,
  isStream: boolean,
  onFault: (why: string) => void,
): TransformStream<Uint8Array, Uint8Array> {
  let size = 0
  let last = 0
  return new TransformStream({
    transform(chunk: Uint8Array, controller) {
      for (const byte of isStream ? chunk : []) {
        size += 1
        if (byte === 13) continue
        if (byte === 10 && last === 10) size = 0
        last = byte
        if (size > max) break
      }
      if (!isStream) size += chunk.length
      if (size <= max) return controller.enqueue(chunk)
      const why = `It sent a message of more than ${max} bytes.`
      controller.error(new Error(why))
      onFault(why)
    },
  })
}
