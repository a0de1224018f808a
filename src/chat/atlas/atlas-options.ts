import { MandateError, canonical, checkFields, checkNumbers, messageOf, toPlain } from '../../core/index.ts'
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
import { readMessage } from '../message/given-message.ts'
import type { GivenMessage } from '../message/given-message.ts'
import type { Provider } from '../provider/provider-types.ts'
import type { ProviderRegistry } from '../provider/provider-registry.ts'
import { callGiven, kindOf } from '../turn/turn-failure.ts'
import type { Atlas } from './atlas.ts'

/** Receives a message before it is stored and returns it, changed or unchanged, or a text in its place; null rejects it. */
type Interceptor = (message: ChatMessage) => GivenMessage | null | Promise<GivenMessage | null>

/** Interceptors, called in order before a message is stored. Text that is streamed has been shown by then. */
interface Interceptors {
  readonly outgoingMessage?: Interceptor | readonly Interceptor[] | undefined
  readonly incomingMessage?: Interceptor | readonly Interceptor[] | undefined
}

/** Extends an Atlas through its events and methods. */
export type AtlasPlugin = (atlas: Atlas) => unknown

/** A store as `openStore` returns it: runs in its journal, conversations in its database. */
type AtlasStore = NonNullable<ServiceOptions['store']> & {
  readonly data?: { database(): DatabaseClient } | undefined
}

/** Options of an `Atlas`: its agents, providers, stores and plugins. */
export interface AtlasOptions {
  readonly agents?: readonly (ChatAgent | ChatAgentOptions)[] | undefined
  /** The agent that answers first; the first of `agents` when absent. */
  readonly defaultAgentId?: string | undefined
  /** Providers that agents refer to by `provider`. */
  readonly providers?: ProviderRegistry | readonly Provider[] | undefined
  /** Handlers of tools that agents define without one. */
  readonly tools?: readonly (ChatTool | ToolLike)[] | undefined
  /** System text placed before every agent's own prompt. */
  readonly systemPrompt?: string | undefined
  /** How much of a conversation models are shown, for agents without `history` of their own. Stored messages are not deleted. */
  readonly history?: HistoryWindow | undefined
  readonly interceptors?: Interceptors | undefined
  readonly plugins?: readonly AtlasPlugin[] | undefined
  /** Id of the conversation; a new one when absent. */
  readonly conversationId?: string | undefined
  /** Store of the conversations; the database of `store` when absent, or memory without one. */
  readonly conversations?: ConversationStore | undefined
  /** Store of runs and conversations, as `openStore` returns it. */
  readonly store?: AtlasStore | undefined
  /** Service that runs the turns; a private one when absent. Its agents can be addressed by id as well. */
  readonly service?: AgentService | undefined
  /** Identity that turns run as; the service's own when absent. */
  readonly identity?: Identity | undefined
}

const OPTIONS: FieldNames<AtlasOptions> = {
  agents: 'list',
  defaultAgentId: 'text',
  providers: 'list|object',
  tools: 'list',
  systemPrompt: 'text',
  history: 'object',
  interceptors: 'object',
  plugins: 'list',
  conversationId: 'text',
  conversations: 'object',
  store: 'object',
  service: 'object',
  identity: 'object',
}
const INTERCEPTORS: FieldNames<Interceptors> = { outgoingMessage: 'function|list', incomingMessage: 'function|list' }

/** Throws on unknown options, invalid values and options that exclude each other. */
export function checkAtlasOptions(options: AtlasOptions): void {
  checkFields(options, 'an option of Atlas', OPTIONS)
  checkFields(options.interceptors, 'an interceptor', INTERCEPTORS)
  for (const [name, chain] of Object.entries(options.interceptors ?? {}))
    if (chain !== undefined && ![chain].flat().every((one) => typeof one === 'function'))
      throw new MandateError('CONFIG_INVALID', `The interceptor \`${name}\` must be a function or a list of functions.`)
  checkFields(options.history, 'a field of `history`', HISTORY_WINDOW)
  checkNumbers(options.history, 'a field of `history`', { maxMessages: 'count+', maxTokens: 'count+' })
  if (options.service !== undefined && options.store !== undefined)
    throw new MandateError(
      'CONFIG_INVALID',
      '`service` has a store of its own. Leave `store` out, and give `conversations` to say where conversations are kept.',
    )
}

/** Passes a message through a chain of interceptors. What each returns is checked like any message, before another one or the store gets it. */
export async function intercept(
  name: keyof Interceptors,
  chain: Interceptors[keyof Interceptors],
  message: ChatMessage,
): Promise<ChatMessage | null> {
  let current = message
  for (const one of chainOf(chain)) {
    // A copy, so that a message that is changed in place differs from the one that was given.
    const copy = toPlain(current).value as ChatMessage
    const given: unknown = await callGiven(`The interceptor \`${name}\``, () => one(copy))
    if (given === null) return null
    current = readIntercepted(name, given, current)
  }
  return current
}

function chainOf(chain: Interceptors[keyof Interceptors]): readonly Interceptor[] {
  if (chain === undefined) return []
  return typeof chain === 'function' ? [chain] : chain
}

/** Reads what an interceptor returned. A message that it did not change is not checked: a model may have written a file that no user could send. */
function readIntercepted(name: keyof Interceptors, given: unknown, before: ChatMessage): ChatMessage {
  const { id, role, createdAt, metadata } = before
  if (given === undefined)
    throw refused(name, 'returned nothing. Return the message, changed or unchanged, or null to reject it.')
  const { value } = toPlain(given)
  if (canonical(value) === canonical(before)) return before
  try {
    const read = readMessage(value as never, {
      roles: [role],
      newId: () => id,
      now: () => createdAt,
      mayBeEmpty: role === 'assistant',
    })
    if (role === 'assistant' && read.id !== id)
      throw refused(name, 'changed the `id` of the answer, by which its turn finds it. Leave it as it is.')
    return read.metadata === undefined && metadata !== undefined ? { ...read, metadata } : read
  } catch (error) {
    if (MandateError.isInstance(error) && error.code === 'CONFIG_INVALID') throw error
    throw refused(name, `returned ${kindOf(given)} that is no message. ${messageOf(error)}`, error)
  }
}

function refused(name: keyof Interceptors, what: string, cause?: unknown): MandateError {
  return new MandateError('CONFIG_INVALID', `The interceptor \`${name}\` ${what}`, { cause })
}

/** Options of one message. */
export type AskOptions = SendOptions
