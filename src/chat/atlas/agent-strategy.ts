import type { ChatAgent } from '../chat-agent.ts'
import type { ChatMessage } from '../message/chat-message.ts'
import type { Atlas } from './atlas.ts'

/** What a strategy may look at. */
interface RoutingContext {
  readonly atlas: Atlas
  /** The agents that were registered with Atlas. */
  readonly agents: readonly ChatAgent[]
  /** Who answers unless it says otherwise. */
  readonly current: ChatAgent | null
}

/**
 * Chooses who answers a message: an agent or its id; nothing to leave it to whoever answered last. It may take its time, and ask a model. One that throws
 * changes nothing; listeners to `error` are told.
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
