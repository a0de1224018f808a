// What `mandate/mcp` offers: tools of MCP servers.
export { connectMcp, mcpServerHash, mcpTools, readMcpConfig, readMcpFile } from './index.ts'
export type { McpConnection, McpElicit, McpServer } from './index.ts'
