import type { AgentService } from '../../agent/index.ts'
import { notes } from '../../core/index.ts'
import type { Identity } from '../../journal/index.ts'
import { mcpServer } from '../mcp/door.ts'
import type { McpDoor } from '../mcp/door.ts'
import type { HttpServerOptions } from './options.ts'

/** The MCP server behind a path of the HTTP server, which has checked host, origin and token. */
export interface McpEndpoint {
  fetch(request: Request, identity: Identity): Promise<Response>
  close(): Promise<void>
}

/** Opens at the first request: the protocol's package is loaded only by those who use it. */
export function mcpEndpoint(service: AgentService, options: NonNullable<HttpServerOptions['mcp']>): McpEndpoint {
  const callers = notes<Identity>()
  let opened: Promise<McpDoor> | undefined
  const open = (): Promise<McpDoor> =>
    mcpServer({
      ...options,
      service,
      identify: (request) => (request === undefined ? undefined : callers.get(request)),
    })
  return {
    async fetch(request, identity) {
      const server = await (opened ??= open())
      // Host and Origin were compared with what this server allows, which may be more than loopback.
      const headers = new Headers(request.headers)
      headers.set('host', 'localhost')
      headers.delete('origin')
      headers.delete('sec-fetch-site')
      const inner = new Request(request, { headers })
      callers.set(inner, identity)
      return server.fetch(inner)
    },
    async close() {
      await (await opened)?.close()
    },
  }
}
