import { MandateError } from '../core/index.ts'
import type { AgentConfig, HistoryWindow } from '../agent/index.ts'
import type { ModelCallContext } from '../model/index.ts'
import type { ToolContext, ToolLike } from '../tool/index.ts'
import { isChatTool, toolName } from './chat-agent.ts'
import type { ChatAgent, ChatTool, ChatToolDefinition, ToolHandlerContext } from './chat-agent.ts'
import type { Message } from '../model/index.ts'
import { wholeMessages } from './message/model-messages.ts'
import { providerModel } from './provider/provider-model.ts'
import type { ProviderRegistry } from './provider/provider-registry.ts'

/** What an agent is made from besides its own options. */
interface Surroundings {
  readonly providers: ProviderRegistry
  /** Handlers of tools that agents define without one. */
  readonly tools: readonly (ChatTool | ToolLike)[]
  readonly history: HistoryWindow | undefined
  /** Whether a call needs its answer in one piece. */
  readonly isWhole: (call: ModelCallContext) => boolean
}

/** Converts a chat agent to an agent configuration for the service. */
export function configOf(agent: ChatAgent, surroundings: Surroundings): AgentConfig {
  const { provider: _provider, model: _model, systemPrompt, tools = [], history, ...shared } = agent.options
  return {
    ...shared,
    ...(systemPrompt === undefined ? {} : { instructions: systemPrompt }),
    model: modelOf(agent, surroundings),
    tools: tools.map((given) => boundTool(agent, given, surroundings.tools)),
    history: history ?? surroundings.history,
  }
}

/** Returns the id of an agent's provider. */
export function providerId({ options: { provider, model } }: ChatAgent): string {
  if (provider !== undefined) return provider
  if (typeof model === 'string') return model.split('/', 1)[0]!
  return (model as { readonly provider?: string }).provider ?? 'model'
}

/** Returns a model of a registered provider, or else the model id for the AI SDK package of that name. */
function modelOf(
  { options: { provider, model } }: ChatAgent,
  { providers, isWhole }: Surroundings,
): AgentConfig['model'] {
  if (typeof model !== 'string') return model
  const slash = model.indexOf('/')
  const id = provider ?? (slash < 0 ? undefined : model.slice(0, slash))
  if (id !== undefined && providers.has(id))
    return providerModel(providers.get(id), provider === undefined ? model.slice(slash + 1) : model, isWhole)
  return provider === undefined ? model : `${provider}/${model}`
}

const FUNCTIONS = ['run', 'execute', 'handler', 'invoke', 'func', '_call', 'inputSchema'] as const

/** Whether a tool is a definition without a handler. */
function isDefinition(given: object): given is ChatToolDefinition {
  return !FUNCTIONS.some((name) => name in given)
}

/** Binds a tool of any shape to its handler, which receives the conversation. */
function boundTool(
  agent: ChatAgent,
  given: ChatTool | ChatToolDefinition | ToolLike,
  tools: readonly (ChatTool | ToolLike)[],
): ToolLike {
  const found = isDefinition(given) ? tools.find((one) => toolName(one) === given.name) : given
  if (found === undefined)
    throw new MandateError(
      'CONFIG_INVALID',
      `The agent "${agent.id}" defines the tool "${String(toolName(given))}", and nothing says what it does. Give \`tool(definition, handler)\`, or the handler in the \`tools\` of Atlas.`,
    )
  if (!isChatTool(found)) return found
  const { parameters, ...definition } = isDefinition(given) ? { ...found.definition, ...given } : found.definition
  const handler = found.handler as (args: unknown, context: ToolHandlerContext) => unknown
  return {
    ...definition,
    inputSchema: parameters ?? { type: 'object', properties: {} },
    run: (args: unknown, context: ToolContext) => handler(args, handlerContext(agent, context)),
  }
}

function handlerContext(agent: ChatAgent, tool: ToolContext): ToolHandlerContext {
  const { requestId, signal, toolCallId, sessionId, metadata = {} } = tool
  const said = (tool.conversation ?? []) as readonly Message[]
  return {
    conversation: { id: sessionId, messages: wholeMessages(said, sessionId) },
    ...{ agent, requestId, signal, toolCallId, metadata, tool },
  }
}
