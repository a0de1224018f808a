import { type ErrorInfo, MandateError, errorInfo, checkFields, type FieldNames, checkKind } from '../../core/index.ts'
import type { Tool } from '../../tool/index.ts'
import { MCP_FILE_OPTIONS, type McpFileOptions, readMcpFile } from './config-file.ts'
import { MCP_OPTIONS, type McpConnection, type McpOptions, connectMcp } from './connection.ts'
import type { McpServer } from './server-config.ts'

/** Several servers. */
interface McpServers {
  readonly tools: readonly Tool[]
  readonly connections: readonly McpConnection[]
  /** Servers that could not be reached, with the reason. */
  readonly failed: { readonly [server: string]: ErrorInfo }
  close(): Promise<void>
}

interface McpServersOptions extends Omit<McpOptions, 'name'>, McpFileOptions {
  /** Throws if any server cannot be reached; otherwise it is listed under `failed`. */
  readonly required?: boolean | undefined
}

const { name: _, ...SHARED_OPTIONS } = MCP_OPTIONS
const MCP_SERVERS_OPTIONS: FieldNames<McpServersOptions> = { ...SHARED_OPTIONS, ...MCP_FILE_OPTIONS, required: 'flag' }

/**
 * Connects to several servers: those of a `.mcp.json` by its path, or those of an object by name. A single server is given directly, and is named
 * `mcp`.
 *
 * @example
 * ```ts
 * import { mcpTools } from 'mandate/mcp'
 * const servers = await mcpTools({ mcpServers: { search: { url: 'https://mcp.example.com/mcp' } } })
 * console.log(servers.tools.length, servers.failed)
 * await servers.close()
 * ```
 */
export async function mcpTools(
  given: string | McpServer | { readonly mcpServers: { readonly [name: string]: McpServer } },
  options: McpServersOptions = {},
): Promise<McpServers> {
  checkFields(options, 'an option of `mcpTools`', MCP_SERVERS_OPTIONS)
  if (typeof given !== 'string') checkKind(given, 'object', 'The first argument of `mcpTools`')
  const { env, approved, required, ...shared } = options
  if (typeof given === 'object' && 'mcpServers' in given)
    checkFields(given, 'a field beside `mcpServers`', { mcpServers: true })
  const servers =
    typeof given === 'string'
      ? readMcpFile(given, { env, approved })
      : 'mcpServers' in given
        ? given.mcpServers
        : { mcp: given }
  const names = Object.keys(servers)
  const made = await Promise.allSettled(names.map((name) => connectMcp(servers[name]!, { ...shared, name })))
  const connections = made.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
  const failures = made.flatMap((one, index) =>
    one.status === 'rejected' ? [[names[index]!, errorInfo(one.reason, 'CONNECTOR_FAILED')] as const] : [],
  )
  const close = async (): Promise<void> => {
    await Promise.all(connections.map((connection) => connection.close()))
  }
  const [first] = failures
  if (required === true && first !== undefined) {
    await close()
    throw new MandateError(first[1].code, first[1].message, { info: first[1].info })
  }
  return {
    tools: connections.flatMap((connection) => connection.tools),
    connections,
    failed: Object.fromEntries(failures),
    close,
  }
}
