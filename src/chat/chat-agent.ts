import { MandateError, checkFields, checkId, checkNumbers, isRecord } from '../core/index.ts'
import type { FieldNames } from '../core/index.ts'
import type { AgentConfig } from '../agent/index.ts'
import type { ToolContext, ToolLike } from '../tool/index.ts'
import type { Conversation } from './message/chat-message.ts'

/** Describes a tool to a model. `parameters` is the JSON Schema of an object; other schemas are accepted as well. */
export interface ChatToolDefinition extends Pick<
  ToolLike,
  'risk' | 'idempotent' | 'timeoutMs' | 'needsApproval' | 'labels' | 'maxResultBytes' | 'safeByDefault'
> {
  readonly name: string
  readonly description?: string | undefined
  readonly parameters?: unknown
}

/** The context that a tool's handler receives besides its arguments. */
export interface ToolHandlerContext {
  /** The conversation up to this call. */
  readonly conversation: Conversation
  /** The agent that calls. */
  readonly agent: ChatAgent
  /** The id of the stream, which is the id of the run. */
  readonly requestId: string
  /** Fires when the turn is cancelled or the call takes too long. */
  readonly signal: AbortSignal
  readonly toolCallId: string | undefined
  readonly metadata: Readonly<Record<string, unknown>>
  /** The context that every tool of this package receives. */
  readonly tool: ToolContext
}

/** A tool: its definition for models, and its handler. */
export interface ChatTool<Args = never> {
  readonly definition: ChatToolDefinition
  readonly handler: (args: Args, context: ToolHandlerContext) => unknown
}

/** Fields of `AgentConfig` that keep their name and meaning here. */
type SharedConfig = Pick<
  AgentConfig,
  | 'name'
  | 'description'
  | 'temperature'
  | 'maxTokens'
  | 'maxTurns'
  | 'mode'
  | 'toolChoice'
  | 'mandate'
  | 'preset'
  | 'budget'
  | 'hooks'
  | 'history'
  | 'agents'
  | 'metadata'
>

/** Options of an agent in conversations. */
export interface ChatAgentOptions extends SharedConfig {
  readonly id: string
  /** Id of a registered provider, or of one that an AI SDK package brings (`openai`). Omitted when `model` is a model object. */
  readonly provider?: string | undefined
  /** Name of the provider's model; `provider/model` without `provider`; or a model object. */
  readonly model: NonNullable<AgentConfig['model']>
  readonly systemPrompt?: string | undefined
  /** Tools made by `tool()` or `defineTool`, or of any other shape that agents accept; or definitions whose handlers are passed to Atlas. */
  readonly tools?: readonly (ChatTool | ChatToolDefinition | ToolLike)[] | undefined
}

/** An agent of conversations: its id and its frozen options. */
export interface ChatAgent {
  readonly id: string
  readonly options: ChatAgentOptions
}

const DEFINITION: FieldNames<ChatToolDefinition> = {
  name: true,
  description: true,
  parameters: true,
  risk: true,
  idempotent: true,
  timeoutMs: true,
  needsApproval: true,
  labels: true,
  maxResultBytes: true,
  safeByDefault: true,
}

const OPTIONS: FieldNames<ChatAgentOptions> = {
  id: true,
  provider: 'text',
  model: 'text|object',
  systemPrompt: 'text',
  tools: 'list',
  name: 'text',
  description: 'text',
  temperature: 'number',
  maxTokens: 'number',
  maxTurns: 'number',
  mode: 'text|object',
  toolChoice: 'text',
  mandate: 'object',
  preset: 'text',
  budget: 'object',
  hooks: 'list',
  history: 'object',
  agents: 'texts',
  metadata: true,
}

/**
 * Makes an agent for conversations: a model with a provider, a prompt and tools. Tool names must be unique within it.
 *
 * @example
 * ```ts
 * import { Atlas, agent, tool } from 'mandate/chat'
 * import { scripted } from 'mandate/model'
 * const clock = tool({ name: 'time', description: 'Tells the time.', parameters: { type: 'object', properties: {} }, risk: 'read' }, () => '12:00')
 * const helper = agent({ id: 'helper', model: scripted(['It is noon.']), systemPrompt: 'Be brief.', tools: [clock] })
 * const atlas = new Atlas({ agents: [helper] })
 * ```
 */
export function agent(options: ChatAgentOptions): ChatAgent {
  checkFields(options, 'a field of an agent', OPTIONS)
  checkNumbers(options, 'a field of an agent', { temperature: 'amount', maxTokens: 'count+', maxTurns: 'count+' })
  const id = checkId(options?.id, 'The agent id')
  if (options.model === undefined)
    throw new MandateError('CONFIG_INVALID', `The agent "${id}" has no \`model\`. Give its name, or a model itself.`)
  if (options.provider !== undefined && typeof options.model !== 'string')
    throw new MandateError(
      'CONFIG_INVALID',
      `The agent "${id}" has a \`provider\` and a model of its own. Give the name of the provider's model, or leave \`provider\` out.`,
    )
  checkToolNames(id, options.tools ?? [])
  return Object.freeze({ id, options: Object.freeze({ ...options }) })
}

/**
 * Makes a tool for conversations from its definition for models and the function that executes it. The definition accepts the options of every tool (`risk`,
 * `needsApproval`, `timeoutMs`, …).
 *
 * @example
 * ```ts
 * import { tool } from 'mandate/chat'
 * const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
 * const weather = tool({ name: 'weather', parameters, risk: 'read' }, async ({ city }: { city: string }, { conversation }) => {
 *   return `Sunny in ${city}, after ${conversation.messages.length} messages.`
 * })
 * ```
 */
export function tool<Args = unknown>(
  definition: ChatToolDefinition,
  handler: (args: Args, context: ToolHandlerContext) => unknown,
): ChatTool<Args> {
  if (!isRecord(definition))
    throw new MandateError('CONFIG_INVALID', 'A tool needs a definition: { name, description, parameters }.')
  const what = 'a field of the definition of a tool'
  checkFields(definition, what, DEFINITION)
  // Tools of other frameworks set absent fields to `null`.
  const given = Object.fromEntries(Object.entries(definition).filter(([, value]) => value !== null))
  checkNumbers(given, what, { timeoutMs: 'amount+', maxResultBytes: 'count+' })
  if (typeof handler !== 'function')
    throw new MandateError('CONFIG_INVALID', `The tool "${definition.name}" needs a function as its handler.`)
  return Object.freeze({ definition: Object.freeze({ ...definition }), handler })
}

/** Whether a tool was made by `tool()`, or has the same shape. */
export function isChatTool(given: object): given is ChatTool {
  return 'definition' in given && 'handler' in given && typeof given.handler === 'function'
}

/** The name of a tool of any shape. */
export function toolName(given: object): string | undefined {
  const { name, id, definition } = given as { name?: unknown; id?: unknown; definition?: { name?: unknown } }
  const found = name ?? definition?.name ?? id
  return typeof found === 'string' ? found : undefined
}

function checkToolNames(agentId: string, tools: readonly object[]): void {
  const seen = new Set<string>()
  for (const given of tools) {
    const name = toolName(given)
    if (name !== undefined && seen.has(name))
      throw new MandateError(
        'DUPLICATE',
        `The agent "${agentId}" has two tools named "${name}". Rename one of them; other agents may have one of that name.`,
      )
    if (name !== undefined) seen.add(name)
  }
}
