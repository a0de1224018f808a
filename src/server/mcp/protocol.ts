import type * as Package from '@modelcontextprotocol/server'
import type * as Stdio from '@modelcontextprotocol/server/stdio'
import { loadPackage } from '../../core/index.ts'

export type {
  CallToolResult,
  ClientCapabilities,
  ContentBlock,
  GetPromptResult,
  InputRequest,
  InputRequiredResult,
  JsonSchemaType,
  McpServer,
  ReadResourceResult,
  RequestStateCodec,
  ServerContext,
  WebStandardStreamableHTTPServerTransport,
  fromJsonSchema,
  jsonSchemaValidator,
} from '@modelcontextprotocol/server'

type Protocol = typeof Package & Pick<typeof Stdio, 'serveStdio'>

/** The protocol's server package; set by `loadProtocol`, which comes before every use. */
export let protocol: Protocol

/** Loads the package with the first server, so that it need not be installed without one. */
export async function loadProtocol(): Promise<void> {
  const what = 'An MCP server'
  const whole = await loadPackage<typeof Package>('@modelcontextprotocol/server', what)
  const { serveStdio } = await loadPackage<typeof Stdio>('@modelcontextprotocol/server/stdio', what)
  protocol = { ...whole, serveStdio }
}
