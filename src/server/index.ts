export { mcpServer } from './mcp/door.ts'
export type { McpDoor } from './mcp/door.ts'
export type { McpServerOptions, OfferedProgram } from './mcp/options.ts'
