import { readFileSync } from 'node:fs'
import { MandateError, messageOf, parseJson, checkFields, checkKind } from '../../core/index.ts'
import type { FieldNames } from '../../core/index.ts'
import { type McpServer, checkServer, mcpServerHash } from './server-config.ts'

export interface McpFileOptions {
  /** The variables of `${VAR}`; the process's environment by default. */
  readonly env?: { readonly [name: string]: string | undefined } | undefined
  /** Hashes of reviewed servers (`mcpServerHash`). If given, any other server is refused. */
  readonly approved?: readonly string[] | undefined
}

export const MCP_FILE_OPTIONS: FieldNames<McpFileOptions> = { env: 'object', approved: 'texts' }

/** `inputs` and `$schema` are written by editors that share the file. */
const FILE_FIELDS = { mcpServers: true, inputs: true, $schema: true }
/** Fields of other clients in the same file. None of them grants anything here. */
const FOREIGN_FIELDS: readonly string[] = ['disabled', 'description', 'alwaysAllow', 'autoApprove']

const VARIABLE = /\$\{([^}]*)\}/g
const NAME_AND_DEFAULT = /^([A-Za-z_][A-Za-z0-9_]*)(?::-([\s\S]*))?$/

/**
 * Parses a `.mcp.json`: the servers under `mcpServers`, with `${VAR}` and `${VAR:-default}` replaced in all their texts. A variable that is not set
 * and has no default is an error. Servers with `disabled: true` are left out.
 *
 * @example
 * ```ts
 * import { readMcpConfig } from 'mandate/mcp'
 * const text = '{ "mcpServers": { "files": { "command": "files-server", "env": { "TOKEN": "${TOKEN:-none}" } } } }'
 * const servers = readMcpConfig(text, { env: {} })
 * ```
 */
export function readMcpConfig(text: string, options: McpFileOptions = {}): { readonly [name: string]: McpServer } {
  checkFields(options, 'an option of `readMcpConfig`', MCP_FILE_OPTIONS)
  checkKind(text, 'text', 'The text of a .mcp.json')
  const parsed = read(text)
  const servers = (parsed as { mcpServers?: unknown } | null)?.mcpServers
  if (typeof servers !== 'object' || servers === null || Array.isArray(servers))
    throw new MandateError('CONFIG_INVALID', 'A .mcp.json holds an object `mcpServers`: { "mcpServers": { … } }.')
  checkFields(parsed, 'a field of a .mcp.json', FILE_FIELDS)
  const env = options.env ?? process.env
  const found: [string, McpServer][] = []
  for (const [name, given] of Object.entries(servers)) {
    if ((given as { disabled?: unknown } | null)?.disabled === true) continue
    const server = withoutForeign(expand(given, { server: name, env, path: '' })) as McpServer
    checkServer(name, server)
    if (options.approved !== undefined && !options.approved.includes(mcpServerHash(server)))
      throw new MandateError(
        'DENIED',
        `MCP server "${name}" is not approved, or its command, arguments, environment or address have changed since. Review it and approve ${mcpServerHash(server)}.`,
      )
    found.push([name, server])
  }
  return Object.fromEntries(found)
}

function withoutForeign(server: unknown): unknown {
  if (typeof server !== 'object' || server === null) return server
  return Object.fromEntries(Object.entries(server).filter(([field]) => !FOREIGN_FIELDS.includes(field)))
}

/** The same for a file. */
export function readMcpFile(path: string, options: McpFileOptions = {}): { readonly [name: string]: McpServer } {
  checkFields(options, 'an option of `readMcpFile`', MCP_FILE_OPTIONS)
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (cause) {
    throw new MandateError('NOT_FOUND', `The MCP configuration cannot be read: ${messageOf(cause)}`, { cause })
  }
  return readMcpConfig(text, options)
}

function read(text: string): unknown {
  try {
    return parseJson(text, 'the MCP configuration')
  } catch (cause) {
    throw new MandateError('CONFIG_INVALID', `A .mcp.json must be JSON: ${messageOf(cause)}`, { cause })
  }
}

interface Place {
  readonly server: string
  readonly env: { readonly [name: string]: string | undefined }
  readonly path: string
}

function expand(value: unknown, place: Place): unknown {
  if (typeof value === 'string') return value.replace(VARIABLE, (_, inside: string) => valueOf(inside, place))
  if (typeof value !== 'object' || value === null) return value
  const below = (key: string): Place => ({ ...place, path: place.path === '' ? key : `${place.path}.${key}` })
  if (Array.isArray(value)) return value.map((item: unknown, index) => expand(item, below(String(index))))
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, expand(member, below(key))]))
}

function valueOf(inside: string, { server, env, path }: Place): string {
  const [, name, fallback] = NAME_AND_DEFAULT.exec(inside) ?? []
  const where = `MCP server "${server}", \`${path}\``
  if (name === undefined)
    throw new MandateError(
      'CONFIG_INVALID',
      `${where}: "\${${inside}}" is not a variable. Write \${NAME} or \${NAME:-default}.`,
    )
  const value = Object.hasOwn(env, name) ? env[name] : undefined
  // As in a shell: with ":-" an empty variable counts as unset.
  if (value !== undefined && (value !== '' || fallback === undefined)) return value
  if (fallback !== undefined) return fallback
  throw new MandateError(
    'CONFIG_INVALID',
    `${where}: the environment variable ${name} is not set. Set it, or write \${${name}:-default}.`,
  )
}
