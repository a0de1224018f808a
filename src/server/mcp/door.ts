import type { Listening } from '../listener.ts'
import { checkMcpServer } from './options.ts'
import type { McpServerOptions } from './options.ts'

/** An MCP server that can be served over HTTP, over stdio, or both. */
export interface McpDoor {
  /** Handles one HTTP request, for use in an existing server. Checks Host, Origin and identity. */
  fetch(request: Request): Promise<Response>
  /** Serves HTTP on an address of this machine; loopback when no `host` is given. */
  listen(options?: { readonly port?: number | undefined; readonly host?: string | undefined }): Promise<Listening>
  /** Serves standard input and output until the client closes them; then the runs of its calls are suspended. Nothing else may write to standard output. */
  stdio(): { close(): Promise<void>; readonly closed: Promise<void> }
  /** Closes all connections. The service is not stopped. */
  close(): Promise<void>
}

/**
 * Offers agents, programs and tools of a service as tools of the Model Context Protocol, over stdio and HTTP. Every call is a run: it passes the gate, is
 * recorded in the journal, and the user of the client is asked for approvals.
 *
 * @example
 * ```ts
 * import { AgentService } from 'mandate'
 * import { scripted } from 'mandate/model'
 * import { mcpServer } from 'mandate/server'
 * const service = new AgentService({ agents: [{ id: 'greeter', model: scripted(['Hello.']) }] })
 * const server = await mcpServer({ service, agents: ['greeter'] })
 * const { url, close } = await server.listen({ port: 0 })
 * await close()
 * ```
 */
export async function mcpServer(options: McpServerOptions): Promise<McpDoor> {
  checkMcpServer(options)
  const { openServer } = await import('./mcp-server.ts')
  return openServer(options)
}
