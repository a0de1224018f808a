// What `mandate/server` offers: agents and programs as an MCP server.
export { mcpServer } from './index.ts'
export type { McpDoor, McpServerOptions } from './index.ts'
