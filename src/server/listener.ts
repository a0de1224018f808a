import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'

export interface Listening {
  readonly url: string
  readonly port: number
  /** Stops listening and cuts what is open. */
  close(): Promise<void>
}

interface Address {
  readonly port: number
  readonly host: string
  /** The one path that is served; any other is answered with 404. */
  readonly path: string
  /** How long a connection may take to send the headers of a request; then it is answered with 408. */
  readonly headersMs?: number
  /** Connections that are open at once; further ones are closed. */
  readonly connections?: number
}

const HEADERS_MS = 10_000
/** More than the sessions that are kept, each of which may hold an event stream and send a request beside it. */
const CONNECTIONS = 4_096

/** Serves something shaped like `fetch` on an address of this machine. */
export async function serveFetch(
  fetch: (request: Request) => Promise<Response>,
  { port, host, path, headersMs = HEADERS_MS, connections = CONNECTIONS }: Address,
): Promise<Listening> {
  const timeouts = { headersTimeout: headersMs, connectionsCheckingInterval: Math.min(headersMs, 1_000) }
  const server = createServer(timeouts, (incoming, outgoing) => {
    for (const [name, value] of SECURITY_HEADERS) outgoing.setHeader(name, value)
    const refusal = refusalOf(incoming, path)
    if (refusal !== undefined) return void outgoing.writeHead(refusal, { connection: 'close' }).end()
    pass(fetch, incoming, outgoing).catch(() => {
      if (outgoing.headersSent) outgoing.destroy()
      else outgoing.writeHead(500).end()
    })
  })
  server.maxConnections = connections
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => resolve())
  })
  const { port: bound } = server.address() as AddressInfo
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${bound}`,
    port: bound,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** Answers are data for a client of the protocol: not to be cached, framed, loaded by pages of other sites or taken for another type. */
const SECURITY_HEADERS: readonly (readonly [string, string])[] = [
  ['x-content-type-options', 'nosniff'],
  ['x-frame-options', 'DENY'],
  ['cross-origin-resource-policy', 'same-origin'],
  ['cache-control', 'no-store'],
]
const METHODS = new Set(['GET', 'POST', 'DELETE', 'OPTIONS', 'HEAD'])
const ONCE = new Set(['host', 'authorization', 'content-length', 'content-type', 'origin', 'mcp-session-id'])
const HOST = /^(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::[1-9]\d{0,4})?$/i
const LOOPBACK = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::(\d+))?$/i

/** The status that refuses a request before anything reads it. */
function refusalOf(incoming: IncomingMessage, path: string): number | undefined {
  const { method = '', url = '', headers } = incoming
  if (!isPlain(incoming)) return 400
  // Compared as it was sent: a target such as `//other/mcp` would be read as the address of another host.
  if (url.split('?', 1)[0] !== path) return 404
  // `Request` throws for some of the others.
  if (!METHODS.has(method)) return 405
  return (headers['content-encoding'] ?? 'identity') === 'identity' ? undefined : 415
}

/**
 * A request that can be read in one way only: a path as its target (no absolute URL, which would name a second host), one well-formed Host, none of
 * the headers that decide about it twice, and on this machine the port that it came in by.
 */
function isPlain({ url, rawHeaders, headers, socket }: IncomingMessage): boolean {
  if (url?.startsWith('/') !== true) return false
  const names = rawHeaders.filter((_value, at) => at % 2 === 0).map((name) => name.toLowerCase())
  if (names.some((name, at) => ONCE.has(name) && names.indexOf(name) !== at)) return false
  const { host = '' } = headers
  if (!HOST.test(host)) return false
  const local = LOOPBACK.exec(host)
  return local === null || socket.localPort === undefined || Number(local[1] ?? 80) === socket.localPort
}

async function pass(
  fetch: (request: Request) => Promise<Response>,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const cut = new AbortController()
  outgoing.on('close', () => cut.abort())
  const response = await fetch(requestOf(incoming, cut.signal))
  for (const [name, value] of response.headers) outgoing.appendHeader(name, value)
  for (const [name, value] of SECURITY_HEADERS) outgoing.setHeader(name, value)
  outgoing.writeHead(response.status)
  if (response.body === null) return void outgoing.end()
  const body = Readable.fromWeb(response.body as Parameters<typeof Readable.fromWeb>[0])
  // A client that leaves in the middle of a stream is not a fault of the server.
  body.on('error', () => outgoing.destroy())
  outgoing.on('close', () => body.destroy())
  // Event streams may be silent for long: headers are flushed at once, so that the client knows it is connected.
  outgoing.flushHeaders()
  body.pipe(outgoing)
}

function requestOf(incoming: IncomingMessage, signal: AbortSignal): Request {
  const headers = new Headers()
  for (let at = 0; at < incoming.rawHeaders.length; at += 2)
    headers.append(incoming.rawHeaders[at]!, incoming.rawHeaders[at + 1]!)
  const hasBody = incoming.method !== 'GET' && incoming.method !== 'HEAD'
  return new Request(`http://${incoming.headers.host}${incoming.url}`, {
    method: incoming.method ?? 'GET',
    headers,
    signal,
    ...(hasBody ? { body: Readable.toWeb(incoming) as ReadableStream, duplex: 'half' } : {}),
  })
}
