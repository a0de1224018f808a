/** The one file that knows the protocol's server package. */
export {
  CLIENT_CAPABILITIES_META_KEY,
  McpServer,
  ResourceNotFoundError,
  ResourceTemplate,
  WebStandardStreamableHTTPServerTransport,
  completable,
  createMcpHandler,
  createRequestStateCodec,
  fromJsonSchema,
  hostHeaderValidationResponse,
  inputRequired,
  isInitializeRequest,
  isLegacyRequest,
  originValidationResponse,
} from '@modelcontextprotocol/server'
export { serveStdio } from '@modelcontextprotocol/server/stdio'
export type {
  AuthInfo,
  CallToolResult,
  ClientCapabilities,
  ContentBlock,
  GetPromptResult,
  InputRequest,
  InputRequiredResult,
  JsonSchemaType,
  McpHttpHandler,
  McpRequestContext,
  ReadResourceResult,
  RequestStateCodec,
  ServerContext,
  jsonSchemaValidator,
} from '@modelcontextprotocol/server'
