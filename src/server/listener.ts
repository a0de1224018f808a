import { STATUS_CODES, createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { Readable } from 'node:stream'
import { systemClock } from '../core/index.ts'
import type { ErrorInfo } from '../core/index.ts'
import { PATH_REFUSALS, pathRefusal } from './http/request-path.ts'
import { SECURITY_HEADERS, keepsOwn } from './http/security-headers.ts'

export interface Listening {
  readonly url: string
  readonly port: number
  /** Stops listening and cuts open connections; responses in progress get `graceMs` to end. */
  close(options?: { readonly graceMs?: number | undefined }): Promise<void>
}

interface Address {
  readonly port: number
  readonly host: string
  /** The only path that is served; any other is answered with 404. All paths are served when absent. */
  readonly path?: string | undefined
  /** How long a connection may take to send the headers of a request; then it is answered with 408. */
  readonly headersMs?: number
  /** How long it may take to send a whole request; then it is answered with 408, or cut where the answer has begun. */
  readonly requestMs?: number
  /** The maximum number of open connections; further ones are closed. */
  readonly connections?: number
}

const HEADERS_MS = 10_000
const REQUEST_MS = 60_000
/** More than the maximum number of sessions, each of which may hold an event stream and send a request at the same time. */
const CONNECTIONS = 4_096

type Fetch = (request: Request, from: { readonly address: string | undefined }) => Promise<Response>

/** Serves a function like `fetch` over HTTP on an address of this machine. */
export async function serveFetch(
  fetch: Fetch,
  { port, host, path, headersMs = HEADERS_MS, requestMs = REQUEST_MS, connections = CONNECTIONS }: Address,
): Promise<Listening> {
  const timeouts = {
    headersTimeout: headersMs,
    requestTimeout: requestMs,
    connectionsCheckingInterval: Math.min(headersMs, 1_000),
  }
  const server = createServer(timeouts, (incoming, outgoing) => {
    for (const [name, value] of SECURITY_HEADERS) outgoing.setHeader(name, value)
    if (!isPlain(incoming)) return refuse(outgoing, 400, { code: 'INPUT_INVALID', message: AMBIGUOUS })
    const refusal = refusalOf(incoming, path)
    if (refusal !== undefined) return refuse(outgoing, refusal, REFUSALS[refusal])
    pass(fetch, incoming, outgoing).catch(() => {
      if (outgoing.headersSent) outgoing.destroy()
      else outgoing.writeHead(500).end()
    })
  })
  server.maxConnections = connections
  server.on('clientError', refuseUnreadable)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => resolve())
  })
  const { port: bound } = server.address() as AddressInfo
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${bound}`,
    port: bound,
    close: ({ graceMs = 0 } = {}) =>
      new Promise<void>((resolve) => {
        const cut = systemClock.timer(graceMs, () => server.closeAllConnections())
        server.close(() => {
          cut()
          resolve()
        })
        if (graceMs === 0) server.closeAllConnections()
        else server.closeIdleConnections()
      }),
  }
}

/** Sends an error in the common format of the HTTP server, and closes the connection. */
function refuse(outgoing: ServerResponse, status: number, error: ErrorInfo): void {
  outgoing.writeHead(status, { connection: 'close', 'content-type': 'application/json' }).end(JSON.stringify({ error }))
}

const STATUS_OF_CODE: Readonly<Record<string, number>> = { HPE_HEADER_OVERFLOW: 431, ERR_HTTP_REQUEST_TIMEOUT: 408 }
/** A request line whose target exceeds the part of the headers that Node reads. */
const LONG_TARGET = /^[A-Z]+ \/[^\r\n]{14000}/

/** Answers bytes that are not a valid request, and closes the connection. */
function refuseUnreadable(error: Error & { code?: string; rawPacket?: Buffer }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
  const isLongTarget =
    error.code === 'HPE_HEADER_OVERFLOW' && LONG_TARGET.test(error.rawPacket?.toString('latin1') ?? '')
  const status = isLongTarget ? 414 : (STATUS_OF_CODE[error.code ?? ''] ?? 400)
  const headers = SECURITY_HEADERS.map(([name, value]) => `${name}: ${value}\r\n`).join('')
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${headers}Connection: close\r\nContent-Length: 0\r\n\r\n`)
}

const METHODS = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD'])
/** The errors of requests that are refused before they are processed. */
const REFUSALS: Readonly<Record<RefusalStatus, ErrorInfo>> = {
  ...PATH_REFUSALS,
  405: { code: 'INPUT_INVALID', message: 'This server takes GET, POST, PUT, PATCH, DELETE, OPTIONS and HEAD.' },
  415: { code: 'INPUT_INVALID', message: 'Compressed bodies are not taken.' },
}
type RefusalStatus = 400 | 404 | 405 | 415
const ONCE = new Set([
  'host',
  'authorization',
  'content-length',
  'content-type',
  'origin',
  'mcp-session-id',
  'idempotency-key',
  'last-event-id',
])
const HOST = /^(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::[1-9]\d{0,4})?$/i
const LOOPBACK = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::(\d+))?$/i

/** Returns the status that refuses a request before it is processed. */
function refusalOf(incoming: IncomingMessage, path: string | undefined): RefusalStatus | undefined {
  const { method = '', url = '', headers } = incoming
  // Checked as it was sent: a target such as `//other/mcp` would be parsed as the address of another host.
  const [asked = ''] = url.split('?', 1)
  const refusal = path === undefined ? pathRefusal(asked) : asked === path ? undefined : 404
  if (refusal !== undefined) return refusal
  // `Request` throws for some of the other methods.
  if (!METHODS.has(method)) return 405
  return (headers['content-encoding'] ?? 'identity') === 'identity' ? undefined : 415
}

const AMBIGUOUS = `The request can be read in more than one way. Send a path as its target, one Host with the port of the server, and each of these headers once: ${[...ONCE].join(', ')}.`

/**
 * Returns whether a request is unambiguous: its target is a path (no absolute URL, which would name a second host), it has one well-formed Host, no header of
 * `ONCE` is repeated, and a loopback Host names the port of the connection.
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

async function pass(fetch: Fetch, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const cut = new AbortController()
  outgoing.on('close', () => cut.abort())
  const response = await fetch(requestOf(incoming, cut.signal), { address: incoming.socket.remoteAddress })
  for (const [name, value] of response.headers) outgoing.appendHeader(name, value)
  for (const [name, value] of SECURITY_HEADERS)
    outgoing.setHeader(name, keepsOwn(response.headers, name) ? response.headers.get(name)! : value)
  outgoing.writeHead(response.status)
  if (response.body === null) return void outgoing.end()
  const body = Readable.fromWeb(response.body as Parameters<typeof Readable.fromWeb>[0])
  // A client that leaves in the middle of a stream is not a fault of the server.
  body.on('error', () => outgoing.destroy())
  outgoing.on('close', () => body.destroy())
  // Event streams may send nothing for a long time: headers are flushed at once, so that the client detects the connection.
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
