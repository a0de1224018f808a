// What `mandate/server` offers: a service over HTTP, and agents and programs as an MCP server.
export { conversationPart, httpServer, mcpServer, newToken, recoverRuns, webhooks } from './index.ts'
export type {
  Call,
  HttpServer,
  HttpServerOptions,
  McpDoor,
  McpServerOptions,
  Part,
  Route,
  ServerToken,
  WebhookOptions,
  Webhooks,
} from './index.ts'
