import { type Clock, MandateError, systemClock, checkFields, type FieldNames } from '../../core/index.ts'
import type { Tool } from '../../tool/index.ts'
import type { Refused } from './definition.ts'
import type { McpAuthorization } from './link.ts'
import { mcpTool } from './mcp-tool.ts'
import type { McpElicit } from './questions.ts'
import { type McpServer, checkServer } from './server-config.ts'
import { Session } from './session.ts'

export interface McpOptions {
  /** The prefix of tool names (`files__read`) and the name in labels of results; `mcp` by default. */
  readonly name?: string | undefined
  /** Asks a person the questions of a server. Without it the client declares no elicitation. */
  readonly elicit?: McpElicit | undefined
  /** Only for servers over HTTP. Fixed tokens are simpler as `headers`. */
  readonly authorization?: McpAuthorization | undefined
  /** Called when the server's list of tools has changed. Changed tools need approval from now on; new ones are not offered by this connection. */
  readonly onChange?: ((change: McpChange) => void) | undefined
  readonly clock?: Clock | undefined
}

export const MCP_OPTIONS: FieldNames<McpOptions> = {
  name: 'text',
  elicit: 'function',
  authorization: 'object',
  onChange: 'function',
  clock: 'clock',
}
const AUTHORIZATION: FieldNames<McpAuthorization> = { provider: 'object', allow: 'function', callback: 'function' }

/** The differences from the pinned definitions, by the server's own names. */
interface McpChange {
  readonly server: string
  readonly added: readonly string[]
  readonly removed: readonly string[]
  readonly changed: readonly string[]
}

/** A connected server whose tools can be given to agents. */
export interface McpConnection {
  readonly name: string
  /** As defined when the connection was made. */
  readonly tools: readonly Tool[]
  /** Listed tools that are not offered, with the reason. */
  readonly refused: readonly Refused[]
  /** The hash of every definition, by the server's own names, for `pins` of the configuration. */
  readonly definitions: { readonly [tool: string]: string }
  /** The server's own name and version, and the negotiated version of the protocol. */
  readonly server: { readonly name: string; readonly version: string; readonly protocol: string }
  close(): Promise<void>
}

/**
 * Connects to an MCP server over stdio (`command`) or streamable HTTP (`url`) and creates its tools. Later failures of the server (an exit, a hang,
 * an invalid reply) are outcomes of calls, and the run continues.
 *
 * @example
 * ```ts
 * import { connectMcp } from 'mandate/mcp'
 * const files = await connectMcp({ command: 'files-server', args: ['--root', '.'], tools: ['read'] }, { name: 'files' })
 * console.log(files.tools.map((tool) => tool.name)) // [ 'files__read' ]
 * await files.close()
 * ```
 */
export async function connectMcp(server: McpServer, options: McpOptions = {}): Promise<McpConnection> {
  checkFields(options, 'an option of `connectMcp`', MCP_OPTIONS)
  const { name = 'mcp', elicit, authorization, clock = systemClock } = options
  checkFields(authorization, 'a field of `authorization`', AUTHORIZATION)
  checkServer(name, server)
  const session = new Session({ name, server, clock, elicit, authorization })
  try {
    return await offer(session, { name, server, onChange: options.onChange })
  } catch (error) {
    await session.close()
    throw error
  }
}

interface Offer {
  readonly name: string
  readonly server: McpServer
  readonly onChange: McpOptions['onChange']
}

async function offer(session: Session, { name, server, onChange }: Offer): Promise<McpConnection> {
  const { usable, refused } = await session.definitions()
  const missing = server.tools?.find((tool) => !usable.has(tool) && !refused.some((one) => one.name === tool))
  if (missing !== undefined)
    throw new MandateError(
      'CONFIG_INVALID',
      `MCP server "${name}": \`tools\` names "${missing}", which it does not list. It lists: ${[...usable.keys()].slice(0, 20).join(', ')}.`,
    )
  const offered = [...usable.values()].filter((one) => server.tools?.includes(one.name) !== false)
  const hashes = new Map([...usable.values()].map((one) => [one.name, one.hash]))
  const pinOf = (tool: string): string | undefined =>
    Object.hasOwn(server.pins ?? {}, tool) ? server.pins![tool] : hashes.get(tool)
  session.onListed = (now) => {
    const names = [...now.usable.keys()]
    const added = names.filter((one) => !hashes.has(one))
    const removed = [...hashes.keys()].filter((one) => !now.usable.has(one))
    const changed = names.filter((one) => hashes.has(one) && now.usable.get(one)!.hash !== pinOf(one))
    if (added.length + removed.length + changed.length > 0) onChange?.({ server: name, added, removed, changed })
  }
  const link = session.link
  return {
    name,
    tools: offered.map((definition) => mcpTool({ name, server, session, definition, pin: pinOf(definition.name)! })),
    refused,
    definitions: Object.fromEntries(hashes),
    server: { name: link?.says.name ?? '', version: link?.says.version ?? '', protocol: link?.version ?? '' },
    close: () => session.close(),
  }
}
