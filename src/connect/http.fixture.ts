import { type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Loopback {
  /** `127.0.0.1:port`. */
  readonly host: string
  readonly url: string
  /** Every request, as `METHOD /path`. */
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
