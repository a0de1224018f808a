import type { AgentService } from '../../agent/index.ts'
import { notes } from '../../core/index.ts'
import type { Identity } from '../../journal/index.ts'
import { mcpServer } from '../mcp/door.ts'
import { checkMcpOffers } from '../mcp/options.ts'
import type { McpDoor } from '../mcp/door.ts'
import type { HttpServerOptions } from './options.ts'

/** The MCP server behind a path of the HTTP server, which has checked host, origin and token. */
export interface McpEndpoint {
  fetch(request: Request, identity: Identity): Promise<Response>
  close(): Promise<void>
}

/** Creates the endpoint. The MCP server is opened at the first request, so that its package is loaded only if it is used. */
export function mcpEndpoint(service: AgentService, options: NonNullable<HttpServerOptions['mcp']>): McpEndpoint {
  checkMcpOffers(options)
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
      // The HTTP server has already checked Host and Origin against its own options, which may allow more than loopback.
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
