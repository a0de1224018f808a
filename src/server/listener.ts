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

/** Serves something shaped like `fetch` on an address of this machine. */
export async function serveFetch(
  fetch: (request: Request) => Promise<Response>,
  { port, host }: { readonly port: number; readonly host: string },
): Promise<Listening> {
  const server = createServer((incoming, outgoing) => {
    const { localPort } = incoming.socket
    if (!isPlain(incoming, localPort)) return void outgoing.writeHead(400, { connection: 'close' }).end()
    pass(fetch, incoming, outgoing).catch(() => {
      if (outgoing.headersSent) outgoing.destroy()
      else outgoing.writeHead(500).end()
    })
  })
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

const ONCE = new Set(['host', 'authorization', 'content-length', 'content-type', 'origin', 'mcp-session-id'])
const LOOPBACK = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::(\d+))?$/i

/**
 * A request that can be read in one way only: a path as its target (no absolute URL, which would name a second host), none of the headers that decide
 * about it twice, and on this machine the port that it came in by.
 */
function isPlain({ url, rawHeaders, headers }: IncomingMessage, port: number | undefined): boolean {
  if (url?.startsWith('/') !== true) return false
  const names = rawHeaders.filter((_value, at) => at % 2 === 0).map((name) => name.toLowerCase())
  if (names.some((name, at) => ONCE.has(name) && names.indexOf(name) !== at)) return false
  const local = LOOPBACK.exec(headers.host ?? '')
  return local === null || port === undefined || Number(local[1] ?? 80) === port
}

async function pass(
  fetch: (request: Request) => Promise<Response>,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const cut = new AbortController()
  outgoing.on('close', () => cut.abort())
  const response = await fetch(requestOf(incoming, cut.signal))
  outgoing.writeHead(response.status, [...response.headers].flat())
  if (response.body === null) return void outgoing.end()
  const body = Readable.fromWeb(response.body as Parameters<typeof Readable.fromWeb>[0])
  // A client that leaves in the middle of a stream is not a fault of the server.
  body.on('error', () => outgoing.destroy())
  outgoing.on('close', () => body.destroy())
  // Streams of events may say nothing for a long time: the client is to know at once that it was heard.
  outgoing.flushHeaders()
  body.pipe(outgoing)
}

function requestOf(incoming: IncomingMessage, signal: AbortSignal): Request {
  const headers = new Headers()
  for (let at = 0; at < incoming.rawHeaders.length; at += 2)
    headers.append(incoming.rawHeaders[at]!, incoming.rawHeaders[at + 1]!)
  const hasBody = incoming.method !== 'GET' && incoming.method !== 'HEAD'
  return new Request(new URL(incoming.url ?? '/', `http://${incoming.headers.host ?? 'unnamed.invalid'}`), {
    method: incoming.method ?? 'GET',
    headers,
    signal,
    ...(hasBody ? { body: Readable.toWeb(incoming) as ReadableStream, duplex: 'half' } : {}),
  })
}
