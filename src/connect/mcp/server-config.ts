import { basename } from 'node:path'
import {
  type Json,
  MandateError,
  canonical,
  sha256,
  checkFields,
  type FieldNames,
  checkKind,
} from '../../core/index.ts'
import { RISKS, type Risk } from '../../tool/index.ts'
import { isChecked } from '../checks.ts'
import { unpinnedPackage } from './pinned.ts'

/** The host's rules for the tools of one server. */
interface McpServerRules {
  /** The offered tools, by the server's own names; all by default. */
  readonly tools?: readonly string[] | undefined
  /** Risks by the server's own names. They override everything the server declares. */
  readonly risk?: { readonly [tool: string]: Risk } | undefined
  /** Idempotent tools, as declared by the host; hints of the server are not trusted and ignored. */
  readonly idempotent?: readonly string[] | undefined
  /** Hashes of definitions, as in `definitions` of a connection: a tool that differs needs approval. */
  readonly pins?: { readonly [tool: string]: string } | undefined
  /** The time limit of a call; 30 seconds by default. Progress does not extend it. */
  readonly timeoutMs?: number | undefined
  /** The time limit of starting, negotiating and listing the tools; 15 seconds by default. */
  readonly connectTimeoutMs?: number | undefined
  /** The maximum size of a message of the server; four million by default. A longer one ends the connection. */
  readonly maxMessageBytes?: number | undefined
  /** The maximum size of a result for the model; 100,000 by default. */
  readonly maxResultBytes?: number | undefined
}

/** A server that is started as a process, with messages over its standard input and output. */
export interface McpStdioServer extends McpServerRules {
  readonly type?: 'stdio' | undefined
  readonly command: string
  readonly args?: readonly string[] | undefined
  /** In addition to PATH, HOME and LANG, which are all that the process inherits. */
  readonly env?: { readonly [name: string]: string } | undefined
  readonly cwd?: string | undefined
  /** Allows starting a package that is fetched at start without an exact version (`npx -y package`). Refused by default. */
  readonly allowUnpinned?: boolean | undefined
}

/** A server over streamable HTTP. */
export interface McpHttpServer extends McpServerRules {
  readonly type?: 'http' | 'streamable-http' | undefined
  readonly url: string
  readonly headers?: { readonly [name: string]: string } | undefined
  /** Allows the name to resolve to a private network. Addresses and `localhost` are always reached as written. */
  readonly privateNetwork?: boolean | undefined
}

/** One server of an `mcpServers` file: a command to start, or a URL. */
export type McpServer = McpStdioServer | McpHttpServer

const RULES: FieldNames<McpServerRules> = {
  tools: 'texts',
  risk: 'object',
  idempotent: 'texts',
  pins: 'object',
  timeoutMs: true,
  connectTimeoutMs: true,
  maxMessageBytes: true,
  maxResultBytes: true,
}
const STDIO_FIELDS: FieldNames<McpStdioServer> = {
  ...RULES,
  type: true,
  command: 'text',
  allowUnpinned: 'flag',
  args: 'texts',
  env: 'object',
  cwd: 'text',
}
const HTTP_FIELDS: FieldNames<McpHttpServer> = {
  ...RULES,
  type: true,
  url: 'text',
  headers: 'object',
  privateNetwork: 'flag',
}

const SHELLS = /^(sh|bash|dash|zsh|ksh|fish|csh|tcsh|busybox|cmd|powershell|pwsh)(\.exe)?$/i
const COMMAND_FLAG = /^(-[a-z]*c|\/c|\/k|-command|-encodedcommand|-e|-ec)$/i
/** Programs that take code as an argument, and the option for it. */
const INLINE: readonly (readonly [RegExp, RegExp])[] = [
  [
    /^(?:node|nodejs|bun|deno|electron|tsx|ts-node)$/i,
    /^(?:-p?e|-pe?|--eval(?:=.*)?|--print(?:=.*)?|eval|--import=data:.*|data:.*)$/i,
  ],
  [/^(?:python[\d.]*|pypy[\d.]*|py)$/i, /^-[A-Za-z]*c$/],
  [/^(?:perl|ruby|lua[\d.]*|osascript|julia|r|rscript)$/i, /^(?:-[A-Za-z]*[eE]|--eval(?:=.*)?)$/],
  [/^php[\d.]*$/i, /^(?:-[A-Za-z]*[rRB]|--run)$/],
]
/** Environment variables that make a checked program run another one. */
const INJECTING = new RegExp(
  `^(?:${[
    'node_options|node_path|node_extra_ca_certs|node_tls_reject_unauthorized|electron_run_as_node|npm_config_(?:node_options|script_shell)',
    'ld_.*|dyld_.*|gconv_path|bash_env|env|bash_func_.*|shellopts|ifs|ps4|prompt_command|zdotdir',
    'python(?:startup|home|inspect|userbase|warnings|breakpoint)|perl5(?:opt|lib|db)|ruby(?:opt|lib)|php_ini_scan_dir|phprc|lua_init.*|tcllibpath',
    'java_tool_options|_java_options|jdk_java_options|dotnet_startup_hooks|cor(?:eclr)?_(?:profiler|enable_profiling).*|erl_[az]?flags|r_profile.*|julia_load_path',
    'git_(?:ssh|ssh_command|exec_path|pager|editor|external_diff|askpass|proxy_command|config.*)|pager|editor|visual|browser|viminit|makeflags',
  ].join('|')})$`,
  'i',
)

/** Names are the prefix of tool names, followed by two underscores. */
const NAME_SHAPE = /^[A-Za-z0-9](?:_?[A-Za-z0-9-]){0,31}$/

/** Whether the server is a local process. */
export function isStdio(server: McpServer): server is McpStdioServer {
  checkKind(server, 'object', 'An MCP server')
  return 'command' in server
}

/** Throws if a server's configuration is invalid, or its command hides what is executed. */
export function checkServer(name: string, server: McpServer): void {
  const wrong = (what: string): MandateError => new MandateError('CONFIG_INVALID', `MCP server "${name}": ${what}`)
  if (!NAME_SHAPE.test(name))
    throw new MandateError(
      'CONFIG_INVALID',
      `An MCP server is named ${JSON.stringify(name.slice(0, 64))}. Use up to 32 letters, digits, "-" and single "_".`,
    )
  if (typeof server !== 'object' || server === null) throw wrong('it must be an object with `command` or `url`.')
  const both = 'command' in server && 'url' in server
  if (both || (!('command' in server) && !('url' in server))) throw wrong('give either `command` or `url`.')
  const types: readonly unknown[] = isStdio(server) ? ['stdio'] : ['http', 'streamable-http']
  if (server.type !== undefined && !types.includes(server.type))
    throw wrong(
      `the type ${JSON.stringify(server.type)} is not spoken. Use "stdio" with \`command\`, "http" with \`url\`.`,
    )
  checkFields(server, `a field of MCP server "${name}"`, isStdio(server) ? STDIO_FIELDS : HTTP_FIELDS)
  const bad = Object.entries(server.risk ?? {}).find(([, risk]) => !RISKS.includes(risk))
  if (bad !== undefined) throw wrong(`the risk of "${bad[0]}" is ${JSON.stringify(bad[1])}. Use: ${RISKS.join(', ')}.`)
  if (isStdio(server)) checkStdio(server, wrong)
  else checkHttp(server, wrong)
}

function checkStdio(
  { command, args = [], env = {}, allowUnpinned }: McpStdioServer,
  wrong: (what: string) => MandateError,
): void {
  if (typeof command !== 'string' || command === '') throw wrong('`command` must be a program.')
  if (!Array.isArray(args) || !args.every((arg) => typeof arg === 'string')) throw wrong('`args` must be texts.')
  // Some launchers split "/usr/bin/env sh" into two words.
  const words: readonly string[] = [...command.split(/\s+/u), ...args]
  const shell = words.findIndex((word) => SHELLS.test(programOf(word)))
  if (shell !== -1 && words.slice(shell + 1).some((word) => COMMAND_FLAG.test(word)))
    throw wrong('it is started by a line for a shell. Name the program in `command` and its arguments in `args`.')
  for (const [program, flag] of INLINE) {
    const at = words.findIndex((word) => program.test(programOf(word).replace(/\.exe$/iu, '')))
    if (at !== -1 && words.slice(at + 1).some((word) => flag.test(word)))
      throw wrong(
        'its program is inline code in its arguments, which a reviewer would miss. Put it into a file and name that file.',
      )
  }
  const unpinned = allowUnpinned === true || !isChecked('mcp.pinned-packages') ? undefined : unpinnedPackage(words)
  if (unpinned !== undefined)
    throw wrong(
      `it fetches "${unpinned.slice(0, 100)}" when it is started, in whichever version is then current. Name an exact version ("package@1.2.3", "package==1.2.3", "image@sha256:…"), or set \`allowUnpinned: true\`.`,
    )
  for (const [variable, value] of Object.entries(env)) {
    if (typeof value !== 'string') throw wrong(`\`env.${variable}\` must be text.`)
    if (INJECTING.test(variable))
      throw wrong(`\`env.${variable}\` makes programs run other code than their own. Leave it out.`)
  }
}

/** The name of a program, also from a Windows path. */
function programOf(word: string): string {
  return basename(word.replaceAll('\\', '/'))
}

function checkHttp({ url, headers = {} }: McpHttpServer, wrong: (what: string) => MandateError): void {
  const parsed = URL.parse(url)
  if (parsed === null || !/^https?:$/.test(parsed.protocol)) throw wrong('`url` must begin with https:// or http://.')
  if (parsed.username !== '' || parsed.password !== '') throw wrong('`url` holds credentials. Put them into `headers`.')
  for (const [header, value] of Object.entries(headers)) {
    try {
      void new Headers({ [header]: value })
    } catch {
      // The platform's message would repeat the value, which may be a secret.
      throw wrong(`\`headers.${header.slice(0, 64)}\` has a name or value that HTTP does not allow.`)
    }
  }
}

/**
 * A hash of what is started or contacted: command, arguments, environment and folder, or URL and headers. An approval of a server is bound to this
 * hash, so that changes are detected.
 *
 * @example
 * ```ts
 * import { mcpServerHash } from 'mandate/mcp'
 * mcpServerHash({ command: 'node', args: ['server.js'] })
 * ```
 */
export function mcpServerHash(server: McpServer): string {
  const what: Json = isStdio(server)
    ? { command: server.command, args: server.args ?? [], env: server.env ?? {}, cwd: server.cwd ?? null }
    : { url: server.url, headers: server.headers ?? {} }
  return sha256(canonical(what))
}
