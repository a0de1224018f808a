import { type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Json } from '../core/index.ts'
import type { ToolContext } from '../tool/index.ts'

export interface Loopback {
  /** `127.0.0.1:port`. */
  readonly host: string
  readonly url: string
  /** Every request that came in, as `METHOD /path`. */
  readonly seen: string[]
  close(): Promise<void>
}

export type Answer = (request: IncomingMessage, response: ServerResponse, body: string) => unknown

/** A real server on this machine that answers by path; an unknown path is 404. */
export async function loopback(routes: Readonly<Record<string, Answer>>): Promise<Loopback> {
  const seen: string[] = []
  const server: Server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://x')
    seen.push(`${request.method} ${pathname}`)
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const route = Object.hasOwn(routes, pathname) ? routes[pathname] : undefined
      if (route === undefined) response.writeHead(404).end('nothing here')
      else route(request, response, Buffer.concat(chunks).toString())
    })
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    host,
    url: `http://${host}`,
    seen,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

export interface Emitted {
  readonly name: string
  readonly data: Json
}

/** A tool's context; what it emits is kept in `emitted`. */
export function callContext(given: Partial<ToolContext> = {}): ToolContext & { readonly emitted: Emitted[] } {
  const emitted: Emitted[] = []
  return {
    runId: 'run_1',
    sessionId: 'session_1',
    agentId: 'agent',
    requestId: 'run_1',
    identity: { id: 'tester' },
    signal: new AbortController().signal,
    idempotencyKey: 'run_1/tool:1',
    attempt: 1,
    deadline: 30_000,
    now: () => 0,
    random: () => 0.5,
    emit: (name, data) => void emitted.push({ name, data }),
    emitted,
    ...given,
  }
}
