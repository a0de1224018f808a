import { systemClock, systemRandom, newId, toPlain } from '../../core/index.ts'
import { withinWindow } from '../../agent/index.ts'
import { systemMessage } from '../../model/index.ts'
import type { ToolSpec } from '../../model/index.ts'
import { specOf, toolFrom } from '../../tool/index.ts'
import { checkAtlasOptions } from '../atlas/atlas-options.ts'
import type { AtlasOptions } from '../atlas/atlas-options.ts'
import { isChatTool, toolName } from '../chat-agent.ts'
import type { ChatAgent, ChatToolDefinition } from '../chat-agent.ts'
import type { ChatMessage, Conversation, MessageContent } from '../message/chat-message.ts'
import { checkConversation } from '../message/stored-message.ts'
import { modelMessages } from '../message/model-messages.ts'
import { capabilitiesOf, partsOf, providerRequest } from './provider-model.ts'
import { ProviderRegistry } from './provider-registry.ts'
import type { ProviderRequest, ProviderResponseChunk } from './provider-types.ts'
import { writeArguments } from './plain-parts.ts'

/**
 * Builds the provider request that continues a conversation: the system prompt of Atlas, then that of the agent, then the messages that fit into the history
 * window. Tools are offered if the provider can call them.
 *
 * @example
 * ```ts
 * import { agent, conversationToProviderRequest } from 'mandate/chat'
 * const helper = agent({ id: 'helper', provider: 'openai', model: 'gpt-5', systemPrompt: 'Be brief.' })
 * const question = { id: 'm1', role: 'user', createdAt: 0, content: [{ type: 'text', text: 'Why?' }] } as const
 * const request = conversationToProviderRequest({ id: 'c1', messages: [question] }, helper, { systemPrompt: 'Be kind.' })
 * request.messages[0]?.content // 'Be kind.\n\nBe brief.'
 * ```
 */
export function conversationToProviderRequest(
  conversation: Conversation,
  agent: ChatAgent,
  options: AtlasOptions = {},
): ProviderRequest {
  checkAtlasOptions(options)
  checkConversation(conversation)
  const { provider, model, systemPrompt, tools = [], temperature, maxTokens, toolChoice, history } = agent.options
  const prompt = [options.systemPrompt, systemPrompt].filter((text) => text !== undefined && text !== '').join('\n\n')
  const said = withinWindow(modelMessages(conversation.messages), history ?? options.history ?? {})
  const request = {
    messages: [...(prompt === '' ? [] : [systemMessage(prompt)]), ...said],
    ...(tools.length === 0 ? {} : { tools: tools.map(toolSpec) }),
    ...(toolChoice === undefined ? {} : { toolChoice: choiceOf(toolChoice) }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(maxTokens === undefined ? {} : { maxOutputTokens: maxTokens }),
  }
  const name = typeof model === 'string' ? model : ((model as { readonly modelId?: string }).modelId ?? '')
  return providerRequest(request, name, canCallTools(options.providers, provider))
}

function choiceOf(choice: string): 'auto' | 'none' | 'required' | { readonly tool: string } {
  return choice === 'auto' || choice === 'none' || choice === 'required' ? choice : { tool: choice }
}

function canCallTools(given: AtlasOptions['providers'], id: string | undefined): boolean {
  const providers = given instanceof ProviderRegistry ? given : new ProviderRegistry(given)
  return id === undefined || !providers.has(id) || capabilitiesOf(providers.get(id)).tools
}

function toolSpec(given: object): ToolSpec {
  const definition = (isChatTool(given) ? given.definition : given) as ChatToolDefinition
  if (!('parameters' in definition)) return specOf(toolFrom(given))
  const { description, parameters } = definition
  return {
    name: toolName(given) ?? '',
    ...(description === undefined ? {} : { description }),
    inputSchema: toPlain(parameters).value,
  }
}

/**
 * Builds one message from the chunks of a provider: its text in one part, then its calls in order.
 *
 * @example
 * ```ts
 * import { providerChunksToAssistantMessage } from 'mandate/chat'
 * const message = providerChunksToAssistantMessage([{ type: 'text', text: 'Hel' }, { type: 'text', text: 'lo.' }, { type: 'done' }])
 * message.content // [{ type: 'text', text: 'Hello.' }]
 * ```
 */
export function providerChunksToAssistantMessage(chunks: Iterable<ProviderResponseChunk>): ChatMessage {
  let text = ''
  const calls: MessageContent[] = []
  for (const chunk of chunks) {
    for (const part of partsOf(chunk)) {
      if (part.type === 'text-delta') text += part.text
      if (part.type !== 'tool-call') continue
      const { toolCallId, name } = part
      calls.push({ type: 'tool_call', toolCallId, name, arguments: writeArguments(part) })
    }
    if (chunk.type === 'done') break
  }
  const said: MessageContent[] = text === '' && calls.length > 0 ? [] : [{ type: 'text', text }]
  const id = newId('message', systemClock, systemRandom)
  return { id, role: 'assistant', createdAt: systemClock.now(), content: [...said, ...calls] }
}
