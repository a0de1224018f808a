export type { Listening } from './listener.ts'
export { mcpServer } from './mcp/door.ts'
export type { McpDoor } from './mcp/door.ts'
export type {
  McpServerOptions,
  OfferedAgent,
  OfferedArgument,
  OfferedProgram,
  OfferedPrompt,
  OfferedResource,
  PromptMessages,
  SealState,
} from './mcp/options.ts'
