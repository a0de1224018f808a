import type { LookupFunction } from 'node:net'
import type { Readable } from 'node:stream'
import type * as Client from 'undici'
import { MandateError, loadPackage } from '../../core/index.ts'
import { ACCEPTED, unpacked } from './http-decoder.ts'
import type { HttpRequest } from './http-exchange.ts'
import { abortable } from '../abortable-wait.ts'

/** A response with its decompressed body, not yet read. */
export interface HttpResponse {
  readonly status: number
  /** By lower-case name. */
  readonly headers: { readonly [name: string]: string | string[] | undefined }
  readonly body: Readable
}

/** Sends one request, without following redirects. */
export type Send = (request: HttpRequest, signal: AbortSignal) => Promise<HttpResponse>

/** The same with the signature of `fetch`. */
type SendFetch = (request: HttpRequest, signal: AbortSignal) => Promise<Response>

const HEADERS_MAX = 64 * 1024
const CONNECT_MS = 10_000

/** Creates a client whose connections are restricted by `lookup`. The HTTP package is loaded with the first request, and connections are kept alive. */
export function transport(lookup: LookupFunction): Send {
  let client: ReturnType<typeof open> | undefined
  return async ({ url, method, headers, body }, signal) => {
    const { agent } = await (client ??= open(lookup))
    const sent: Record<string, string> = { accept: '*/*', 'accept-encoding': ACCEPTED, 'user-agent': 'mandate' }
    for (const [name, value] of headers) sent[name] = value
    const path = url.pathname + url.search
    // The client observes its signal only while it has a connection, not while a name is resolved or a connection is established.
    const asked = agent.request({ origin: url.origin, path, method, headers: sent, body: body ?? null, signal })
    const answer = await abortable(asked, { signal, discard: ({ body: late }) => late.on('error', () => {}).destroy() })
    // If the body is destroyed without a listener, an unhandled 'error' event would end the process.
    answer.body.on('error', () => {})
    const coding = answer.headers['content-encoding']
    const isPacked = typeof coding === 'string' && method !== 'HEAD'
    return {
      status: answer.statusCode,
      headers: answer.headers,
      body: isPacked ? unpacked(answer.body, coding) : answer.body,
    }
  }
}

/** The same client with the signature of `fetch`. */
export function fetchTransport(lookup: LookupFunction): SendFetch {
  let client: ReturnType<typeof open> | undefined
  return async (request, signal) => {
    const { fetch, agent } = await (client ??= open(lookup))
    const { url, method, headers, body } = request
    try {
      const init = {
        method,
        headers: [...headers] as [string, string][],
        body: body ?? null,
        signal,
        dispatcher: agent,
      }
      const asked = fetch(url, { ...init, redirect: 'manual' })
      return (await abortable(asked, {
        signal,
        discard: (late) => void late.body?.cancel().catch(() => {}),
      })) as unknown as Response
    } catch (error) {
      // An error of the lookup is wrapped in the client's own error.
      const { cause } = error as { cause?: unknown }
      throw MandateError.isInstance(cause) ? cause : error
    }
  }
}

async function open(lookup: LookupFunction): Promise<{ fetch: typeof Client.fetch; agent: Client.Agent }> {
  const { Agent, fetch } = await loadPackage<typeof Client>('undici', 'HTTP that connects only where it may')
  const agent = new Agent({ connect: { lookup, timeout: CONNECT_MS }, maxHeaderSize: HEADERS_MAX, connections: 32 })
  return { fetch, agent }
}

/** The value of a header, several joined as HTTP joins them; null if there is none. */
export function headerOf({ headers }: Pick<HttpResponse, 'headers'>, name: string): string | null {
  const value = headers[name]
  return value === undefined ? null : typeof value === 'string' ? value : value.join(', ')
}
