import type { AgentService } from '../../agent/index.ts'
import { checkFields, checkKind, checkNeeded } from '../../core/index.ts'
import type { Json, JsonObject, Label, FieldNames } from '../../core/index.ts'
import type { Identity } from '../../journal/index.ts'
import type { PromptStore } from '../../memory/index.ts'
import { PROGRAM_MIND_OPTIONS, checkIntents } from '../../vm/index.ts'
import type { ProgramMindOptions, ProgramSource } from '../../vm/index.ts'
import type { ContentBlock, McpServer, ServerContext } from './protocol.ts'

/** An agent of the service, offered as a tool. */
export interface OfferedAgent {
  /** The agent's id in the service. */
  readonly id: string
  /** The name of the tool; the id when absent. */
  readonly name?: string | undefined
  /** What the tool is for; the agent's own description when absent. */
  readonly description?: string | undefined
}

/** A program or the source of a script, offered as a tool. */
export interface OfferedProgram extends ProgramMindOptions {
  readonly name: string
  readonly description?: string | undefined
  readonly program: ProgramSource
  /** The JSON Schema of the arguments, for scripts; a program has its own, which this one overrides. */
  readonly inputSchema?: JsonObject | undefined
}

/** A prompt that is more than plain text: messages that may contain images or documents. */
export interface OfferedPrompt {
  readonly name: string
  readonly description?: string | undefined
  readonly arguments?: readonly OfferedArgument[] | undefined
  get(args: Readonly<Record<string, string>>): PromptMessages | Promise<PromptMessages>
}

export interface OfferedArgument {
  readonly name: string
  readonly description?: string | undefined
  readonly required?: boolean | undefined
  /** Returns suggestions for the text that was typed so far. */
  complete?(typed: string): readonly string[] | Promise<readonly string[]>
}

type PromptMessages = readonly { readonly role: 'user' | 'assistant'; readonly content: ContentBlock }[]

/** A document, or a family of documents if its URI contains `{name}`. */
export interface OfferedResource {
  readonly uri: string
  readonly name: string
  readonly description?: string | undefined
  readonly mimeType?: string | undefined
  /** Returns the content: text, bytes, or `undefined` if nothing exists at this URI. */
  read(
    uri: string,
    variables: Readonly<Record<string, string>>,
  ): string | Uint8Array | undefined | Promise<string | Uint8Array | undefined>
  /** Calls `changed` when the document changed, until the returned function is called. Clients can subscribe to resources that have this method. */
  watch?(changed: () => void): () => void
}

/** Seals a value for one caller and one kind of request; `context.mcpReq.requestState()` returns the value. */
export type SealState = (value: Json, context: ServerContext) => Promise<string>

/** Options of an MCP server. */
export interface McpServerOptions {
  /** The host: its agents, tools, store and policy. Closing the server does not stop it. */
  readonly service: AgentService
  readonly name?: string | undefined
  readonly version?: string | undefined
  /** Instructions on how to use the server, for the model of the client. */
  readonly instructions?: string | undefined
  /** The agents to offer. Agents that are not named are not offered. */
  readonly agents?: readonly (string | OfferedAgent)[] | undefined
  readonly programs?: readonly OfferedProgram[] | undefined
  /** The file that defines the agents or the program. Journals record it, so that `mandate resume` needs only the id of a run. */
  readonly source?: string | undefined
  /** Tools of the service to offer, by name. Each call is a run of its own: it passes the gate and is recorded in the journal. */
  readonly tools?: readonly string[] | undefined
  /** A prompt store, of which every template is offered, or a list of prompts of other kinds. */
  readonly prompts?: PromptStore | readonly OfferedPrompt[] | undefined
  readonly resources?: readonly OfferedResource[] | undefined
  /**
   * Returns the identity in whose name a request is carried out; `undefined` refuses the request with 401. There is no request over stdio. Without this
   * option every caller is the local user (`mcp`, with the role `owner`), and HTTP is served on loopback addresses only.
   */
  readonly identify?:
    | ((request: Request | undefined) => Identity | undefined | Promise<Identity | undefined>)
    | undefined
  /** The taint labels of prompts from callers, such as `untrusted:mcp`. */
  readonly labels?: readonly Label[] | undefined
  /** Host names under which the server may be reached over HTTP; those of loopback when absent. */
  readonly allowedHosts?: readonly string[] | undefined
  /**
   * Host names of web pages that may call the server, on any port; those of loopback when absent, and then `listen` accepts only pages of its own port.
   * Requests without an Origin do not come from pages.
   */
  readonly allowedOrigins?: readonly string[] | undefined
  /** The key that seals request state: at least 32 characters, the same in every process that may receive the answer to a question; random when absent. */
  readonly stateKey?: string | undefined
  /**
   * Registers protocol features that Mandate does not cover, on every server instance. They do not pass the gate: use tools for actions. State that is sent
   * to a client and returned must be sealed with `seal`; state that returns unsealed or modified is refused before a handler receives it.
   */
  readonly extend?: ((server: McpServer, seal: SealState) => void) | undefined
}

const OPTIONS: FieldNames<McpServerOptions> = {
  service: 'object',
  name: 'text',
  version: 'text',
  instructions: 'text',
  agents: 'list',
  programs: 'objects',
  source: 'text',
  tools: 'texts',
  prompts: 'objects|object',
  resources: 'objects',
  identify: 'function',
  labels: 'texts',
  allowedHosts: 'texts',
  allowedOrigins: 'texts',
  stateKey: 'text',
  extend: 'function',
}
const AGENT: FieldNames<OfferedAgent> = { id: 'text', name: 'text', description: 'text' }
const PROGRAM: FieldNames<OfferedProgram> = {
  ...PROGRAM_MIND_OPTIONS,
  name: 'text',
  program: 'text|object',
  inputSchema: 'object',
}
const PROMPT: FieldNames<OfferedPrompt> = { name: 'text', description: 'text', arguments: 'objects', get: 'function' }
const ARGUMENT: FieldNames<OfferedArgument> = {
  name: 'text',
  description: 'text',
  required: 'flag',
  complete: 'function',
}
const RESOURCE: FieldNames<OfferedResource> = {
  uri: 'text',
  name: 'text',
  description: 'text',
  mimeType: 'text',
  read: 'function',
  watch: 'function',
}
const { service: _, identify: __, allowedHosts: ___, allowedOrigins: ____, ...OFFERS } = OPTIONS

/** Throws on invalid options of `mcpServer`. */
export function checkMcpServer(options: McpServerOptions): void {
  checkNeeded(options, 'an option of `mcpServer`', OPTIONS)
  checkOffers(options)
}

/** Throws on invalid options of the MCP server behind an HTTP server, which itself knows the callers and the hosts. */
export function checkMcpOffers(options: Partial<McpServerOptions>): void {
  checkFields(options, 'an option of `mcp` of `httpServer`', OFFERS)
  checkOffers(options)
}

function checkOffers({ agents = [], programs = [], prompts, resources = [] }: Partial<McpServerOptions>): void {
  for (const agent of agents) {
    checkKind(agent, 'text|object', 'One of `agents` of an MCP server')
    if (typeof agent !== 'string') checkFields(agent, 'a field of one of `agents`', AGENT)
  }
  for (const program of programs) {
    checkFields(program, 'a field of one of `programs`', PROGRAM)
    checkIntents(program)
  }
  for (const prompt of Array.isArray(prompts) ? (prompts as readonly OfferedPrompt[]) : []) {
    checkFields(prompt, 'a field of one of `prompts`', PROMPT)
    for (const argument of prompt.arguments ?? [])
      checkFields(argument, 'a field of one of `arguments` of a prompt', ARGUMENT)
  }
  for (const resource of resources) checkFields(resource, 'a field of one of `resources`', RESOURCE)
}
