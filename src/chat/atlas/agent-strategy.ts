import type { ChatAgent } from '../chat-agent.ts'
import type { ChatMessage } from '../message/chat-message.ts'
import type { Atlas } from './atlas.ts'

/** What a strategy is passed besides the message. */
interface RoutingContext {
  readonly atlas: Atlas
  /** The agents that were registered with Atlas. */
  readonly agents: readonly ChatAgent[]
  /** The agent that answers when the strategy returns none. */
  readonly current: ChatAgent | null
}

/**
 * Chooses the agent that answers a message: returns an agent or its id, or nothing to keep the current agent. It may be asynchronous, for example to ask a
 * model. When it throws, the current agent answers and listeners to `error` are called.
 *
 * @example
 * ```ts
 * import { Atlas, agent } from 'mandate/chat'
 * import type { MultiAgentStrategy } from 'mandate/chat'
 * import { scripted } from 'mandate/model'
 * const byTopic: MultiAgentStrategy = ({ content: [part] }) => (part?.type === 'text' && part.text.includes('invoice') ? 'billing' : 'support')
 * const [support, billing] = ['support', 'billing'].map((id) => agent({ id, model: scripted([`Here is ${id}.`]) }))
 * const atlas = new Atlas({ agents: [support!, billing!] }).routeMessage(byTopic)
 * ```
 */
export type MultiAgentStrategy = (
  message: ChatMessage,
  context: RoutingContext,
) => ChatAgent | string | null | undefined | Promise<ChatAgent | string | null | undefined>
