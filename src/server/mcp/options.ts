import type { AgentService } from '../../agent/index.ts'
import type { Json, JsonObject, Label, FieldNames } from '../../core/index.ts'
import type { Identity } from '../../journal/index.ts'
import type { PromptStore } from '../../memory/index.ts'
import type { ProgramMindOptions, ProgramSource } from '../../vm/index.ts'
import type { ContentBlock, McpServer, ServerContext } from './protocol.ts'

/** An agent of the service, as a tool. */
export interface OfferedAgent {
  /** The agent's id in the service. */
  readonly id: string
  /** The name of the tool; the id when absent. */
  readonly name?: string | undefined
  /** What the tool is for; the agent's own description when absent. */
  readonly description?: string | undefined
}

/** A program or the source of a script, as a tool. */
export interface OfferedProgram extends ProgramMindOptions {
  readonly name: string
  readonly description?: string | undefined
  readonly program: ProgramSource
  /** JSON Schema of the arguments, for scripts; programs bring their own. */
  readonly inputSchema?: JsonObject | undefined
}

/** A prompt that is not a plain text: messages with pictures or documents. */
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
  /** Suggestions for what was typed so far. */
  complete?(typed: string): readonly string[] | Promise<readonly string[]>
}

type PromptMessages = readonly { readonly role: 'user' | 'assistant'; readonly content: ContentBlock }[]

/** Something to read: one document, or with `{name}` in its address a family of them. */
export interface OfferedResource {
  readonly uri: string
  readonly name: string
  readonly description?: string | undefined
  readonly mimeType?: string | undefined
  /** What is there: a text, bytes, or `undefined` when there is nothing under this address. */
  read(
    uri: string,
    variables: Readonly<Record<string, string>>,
  ): string | Uint8Array | undefined | Promise<string | Uint8Array | undefined>
  /** Calls back when the document changed, until the function it gives is called. Clients can subscribe to resources that have it. */
  watch?(changed: () => void): () => void
}

/** Seals a value for one caller and one kind of request; `context.mcpReq.requestState()` gives it back. */
export type SealState = (value: Json, context: ServerContext) => Promise<string>

/** What an MCP server offers, and to whom. */
export interface McpServerOptions {
  /** The host: its agents, tools, store and policy. It is not stopped with the server. */
  readonly service: AgentService
  readonly name?: string | undefined
  readonly version?: string | undefined
  /** How to use the server, for the model behind the client. */
  readonly instructions?: string | undefined
  /** Agents that are offered. Nothing is offered that is not named. */
  readonly agents?: readonly (string | OfferedAgent)[] | undefined
  readonly programs?: readonly OfferedProgram[] | undefined
  /** The file that the agents or the program came from; journals keep it, so that `mandate resume` needs only the id of a run. */
  readonly source?: string | undefined
  /** Tools of the service, by name. Each call is a run of its own: it passes the gate and stands in the journal. */
  readonly tools?: readonly string[] | undefined
  /** A prompt store, every template of it, or prompts of other kinds. */
  readonly prompts?: PromptStore | readonly OfferedPrompt[] | undefined
  readonly resources?: readonly OfferedResource[] | undefined
  /**
   * In whose name a request is carried out; `undefined` refuses it with 401. Over stdio there is no request. Without it every caller is the
   * local user (`mcp`, with the role `owner`), and HTTP is served on loopback addresses only.
   */
  readonly identify?:
    | ((request: Request | undefined) => Identity | undefined | Promise<Identity | undefined>)
    | undefined
  /** What the words of callers are taken as made from, such as `untrusted:mcp`. */
  readonly labels?: readonly Label[] | undefined
  /** Host names under which the server may be reached over HTTP; those of loopback when absent. */
  readonly allowedHosts?: readonly string[] | undefined
  /**
   * Host names of web pages that may call it, on any port. When absent those of loopback; `listen` then takes pages of its own port only. Requests
   * without an Origin are not from pages.
   */
  readonly allowedOrigins?: readonly string[] | undefined
  /** At least 32 characters, the same in every process that may get the answer to a question; drawn at the start when absent. */
  readonly stateKey?: string | undefined
  /**
   * Adds what the protocol knows and Mandate does not, to every server instance. It does not pass the gate: use tools for what acts. State that goes
   * out to a client and comes back must be sealed with `seal`; whatever comes back unsealed or changed is refused before a handler sees it.
   */
  readonly extend?: ((server: McpServer, seal: SealState) => void) | undefined
}

export const MCP_SERVER_OPTIONS: FieldNames<McpServerOptions> = {
  service: true,
  name: true,
  version: true,
  instructions: true,
  agents: true,
  programs: true,
  source: true,
  tools: true,
  prompts: true,
  resources: true,
  identify: true,
  labels: true,
  allowedHosts: true,
  allowedOrigins: true,
  stateKey: true,
  extend: true,
}
