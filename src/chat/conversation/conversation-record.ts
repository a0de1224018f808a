import type { JsonObject, Label } from '../../core/index.ts'
import type { PendingCall } from '../../agent/index.ts'
import type { Message } from '../../model/index.ts'
import type { ChatMessage } from '../message/chat-message.ts'

// What a store keeps of a conversation: a head, which is replaced as a whole, and blocks of messages, which never change.

/** A turn that is not over: the conversation is its own until then. */
export type OpenTurn = {
  /** The run, which is also the stream. */
  readonly runId: string
  readonly agentId: string | null
  readonly prompt: ChatMessage
  readonly instructions?: string
  readonly toolChoice?: string
  /** Messages that were added before the run began, and since. */
  readonly before: readonly ChatMessage[]
  readonly after: readonly ChatMessage[]
  /** `starting` while its agent is chosen. */
  readonly status: 'starting' | 'running' | 'suspended'
  /** An interceptor sees its answer first: nobody is shown any text of it before. */
  readonly isHeld?: true
  /** Whoever has the turn is believed to be there until then, and puts it off. */
  readonly until?: number
  /** What a suspended turn waits for. */
  readonly pending?: readonly PendingCall[]
  /** What a suspended turn has said so far. */
  readonly text?: string
}

/** Where a conversation stands. Whoever changes it gives the head that they have read: of two changes at once, one is made. */
export type ConversationHead = {
  readonly id: string
  /** The id of the identity whose conversation it is. */
  readonly owner: string
  /** Under which its blocks are kept. Never that of another conversation, also not of one that had the same id and was deleted. */
  readonly blocksId: string
  /** The agent that answers where nobody says otherwise. */
  readonly agentId: string | null
  readonly metadata?: JsonObject
  readonly createdAt: number
  readonly updatedAt: number
  /** Counts changes, so that no two heads are the same. */
  readonly version: number
  /** How many blocks of messages there are. */
  readonly blocks: number
  readonly turn: OpenTurn | null
}

/** Messages that were added together: those of a turn, or one that was added alone. */
export type ConversationBlock = {
  /** As people are shown them. */
  readonly messages: readonly ChatMessage[]
  /** The same as models are shown it. */
  readonly said: readonly Message[]
  /** What they were made from, where that is not clean. */
  readonly labels?: readonly Label[]
  /** The run, where it was a turn. */
  readonly runId?: string
}
