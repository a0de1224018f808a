import { type Clock, MandateError, systemClock, checkFields, type FieldNames } from '../../core/index.ts'
import type { Tool } from '../../tool/index.ts'
import type { Refused } from './definition.ts'
import type { McpAuthorization } from './link.ts'
import { mcpTool } from './mcp-tool.ts'
import type { McpElicit } from './questions.ts'
import { type McpServer, checkServer } from './server-config.ts'
import { Session } from './session.ts'

export interface McpOptions {
  /** Stands before every tool name (`files__read`) and in the labels of results; `mcp` when absent. */
  readonly name?: string | undefined
  /** Puts the questions of a server to a person. Without it the client declares no elicitation. */
  readonly elicit?: McpElicit | undefined
  /** Only for servers over HTTP. Tokens that never change are simpler as `headers`. */
  readonly authorization?: McpAuthorization | undefined
  /** The server lists other tools than before. What changed needs approval from now on; what is new is not offered by this connection. */
  readonly onChange?: ((change: McpChange) => void) | undefined
  readonly clock?: Clock | undefined
}

export const MCP_OPTIONS: FieldNames<McpOptions> = {
  name: true,
  elicit: true,
  authorization: true,
  onChange: true,
  clock: true,
}

/** What differs from the definitions that were pinned, by the server's own names. */
interface McpChange {
  readonly server: string
  readonly added: readonly string[]
  readonly removed: readonly string[]
  readonly changed: readonly string[]
}

/** A server whose tools can be given to agents. */
export interface McpConnection {
  readonly name: string
  /** As they were defined when the connection was made. */
  readonly tools: readonly Tool[]
  /** What the server listed and is not offered, with the reason. */
  readonly refused: readonly Refused[]
  /** The hash of every definition, by the server's own names: what `pins` of the configuration takes. */
  readonly definitions: { readonly [tool: string]: string }
  /** What the server calls itself, and the version of the protocol that was agreed on. */
  readonly server: { readonly name: string; readonly version: string; readonly protocol: string }
  close(): Promise<void>
}

/**
 * Connects to an MCP server over stdio (`command`) or streamable HTTP (`url`) and makes tools of what it offers. Whatever the server does afterwards
 * is an outcome of a call: it may end, hang or lie, and the run goes on.
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
