/** The only file that imports the protocol's server package. */
export {
  CLIENT_CAPABILITIES_META_KEY,
  McpServer,
  ResourceNotFoundError,
  ResourceTemplate,
  WebStandardStreamableHTTPServerTransport,
  createMcpHandler,
  createRequestStateCodec,
  fromJsonSchema,
  hostHeaderValidationResponse,
  inputRequired,
  isLegacyRequest,
  originValidationResponse,
} from '@modelcontextprotocol/server'
export { serveStdio } from '@modelcontextprotocol/server/stdio'
export type {
  CallToolResult,
  ClientCapabilities,
  ContentBlock,
  GetPromptResult,
  InputRequest,
  InputRequiredResult,
  JsonSchemaType,
  ReadResourceResult,
  RequestStateCodec,
  ServerContext,
  jsonSchemaValidator,
} from '@modelcontextprotocol/server'
