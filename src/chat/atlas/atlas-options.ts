import { MandateError, checkFields, checkNumbers } from '../../core/index.ts'
import type { FieldNames } from '../../core/index.ts'
import { HISTORY_WINDOW } from '../../agent/index.ts'
import type { AgentService, HistoryWindow, ServiceOptions } from '../../agent/index.ts'
import type { Identity } from '../../journal/index.ts'
import type { DatabaseClient } from '../../memory/index.ts'
import type { ToolLike } from '../../tool/index.ts'
import type { ChatAgent, ChatAgentOptions, ChatTool } from '../chat-agent.ts'
import type { ConversationStore } from '../conversation/conversation-store.ts'
import type { SendOptions } from '../conversation/conversation-room.ts'
import type { ChatMessage } from '../message/chat-message.ts'
import type { Provider } from '../provider/provider-types.ts'
import type { ProviderRegistry } from '../provider/provider-registry.ts'
import type { Atlas } from './atlas.ts'

/** Looks at a message on its way, and gives it on as it is or changed; null vetoes it. */
type Interceptor = (message: ChatMessage) => ChatMessage | null | Promise<ChatMessage | null>

/** Look at messages before they are stored, one after the other. Text that is streamed has been shown by then. */
interface Interceptors {
  readonly outgoingMessage?: Interceptor | readonly Interceptor[] | undefined
  readonly incomingMessage?: Interceptor | readonly Interceptor[] | undefined
}

/** Adds to an Atlas through its events and methods. */
export type AtlasPlugin = (atlas: Atlas) => unknown

/** A store of this package: runs in its journal, conversations in its database. */
type AtlasStore = NonNullable<ServiceOptions['store']> & {
  readonly data?: { database(): DatabaseClient } | undefined
}

/** How an `Atlas` is made: its agents, providers, stores and plugins. */
export interface AtlasOptions {
  readonly agents?: readonly (ChatAgent | ChatAgentOptions)[] | undefined
  /** Who answers first; the first agent when absent. */
  readonly defaultAgentId?: string | undefined
  /** What agents name with `provider`. */
  readonly providers?: ProviderRegistry | readonly Provider[] | undefined
  /** Handlers of tools that agents only define. */
  readonly tools?: readonly (ChatTool | ToolLike)[] | undefined
  /** Told to every agent before its own prompt. */
  readonly systemPrompt?: string | undefined
  /** How much of a conversation models are shown, for agents that do not say it themselves. Nothing that is stored is deleted. */
  readonly history?: HistoryWindow | undefined
  readonly interceptors?: Interceptors | undefined
  readonly plugins?: readonly AtlasPlugin[] | undefined
  /** The conversation that is spoken in; a new one when absent. */
  readonly conversationId?: string | undefined
  /** Where conversations are kept; the database of `store`, or memory, when absent. */
  readonly conversations?: ConversationStore | undefined
  /** Where runs, and conversations, are kept: what `openStore` gives. */
  readonly store?: AtlasStore | undefined
  /** The service in which turns are runs; one of its own when absent. Its agents can be named as well. */
  readonly service?: AgentService | undefined
  /** In whose name; that of the service when absent. */
  readonly identity?: Identity | undefined
}

const OPTIONS: FieldNames<AtlasOptions> = {
  agents: true,
  defaultAgentId: true,
  providers: true,
  tools: true,
  systemPrompt: true,
  history: true,
  interceptors: true,
  plugins: true,
  conversationId: true,
  conversations: true,
  store: true,
  service: true,
  identity: true,
}
const INTERCEPTORS: FieldNames<Interceptors> = { outgoingMessage: true, incomingMessage: true }

/** Refuses what cannot be meant. */
export function checkAtlasOptions(options: AtlasOptions): void {
  checkFields(options, 'an option of Atlas', OPTIONS)
  checkFields(options.interceptors, 'an interceptor', INTERCEPTORS)
  checkFields(options.history, 'a field of `history`', HISTORY_WINDOW)
  checkNumbers(options.history, 'a field of `history`', { maxMessages: 'count+', maxTokens: 'count+' })
  if (options.service !== undefined && options.store !== undefined)
    throw new MandateError(
      'CONFIG_INVALID',
      '`service` has a store of its own. Leave `store` out, and give `conversations` to say where conversations are kept.',
    )
}

/** Passes a message through a chain of interceptors. */
export async function intercept(
  chain: Interceptors[keyof Interceptors],
  message: ChatMessage,
): Promise<ChatMessage | null> {
  const all = chain === undefined ? [] : typeof chain === 'function' ? [chain] : chain
  let current: ChatMessage | null = message
  for (const one of all) {
    current = await one(current)
    if (current === null) return null
  }
  return current
}

/** What one message is sent with. */
export type AskOptions = SendOptions
