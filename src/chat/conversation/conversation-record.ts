import type { JsonObject, Label } from '../../core/index.ts'
import type { PendingCall } from '../../agent/index.ts'
import type { Message } from '../../model/index.ts'
import type { ChatMessage } from '../message/chat-message.ts'

// The records of a conversation in a store: a head, which is replaced as a whole, and blocks of messages, which never change.

/** A turn that has not ended. No other turn of the conversation can begin until it ends. */
export type OpenTurn = {
  /** Id of the run and of its stream. */
  readonly runId: string
  readonly agentId: string | null
  readonly prompt: ChatMessage
  readonly instructions?: string
  readonly toolChoice?: string
  /** Messages that were added before the run began (`before`), and since (`after`). */
  readonly before: readonly ChatMessage[]
  readonly after: readonly ChatMessage[]
  /** `starting` while its agent is chosen. */
  readonly status: 'starting' | 'running' | 'suspended'
  /** An interceptor checks the answer first: readers are shown none of its text until then. */
  readonly isHeld?: true
  /** Expiry of the lease: until then, the process that runs the turn is assumed to be alive. It extends the lease. */
  readonly until?: number
  /** The calls that a suspended turn waits for. */
  readonly pending?: readonly PendingCall[]
  /** The text that a suspended turn has written so far. */
  readonly text?: string
}

/** The state of a conversation. A writer passes the head that it has read: of two concurrent changes, one is rejected. */
export type ConversationHead = {
  readonly id: string
  /** Id of the identity that owns the conversation. */
  readonly owner: string
  /** The key of its blocks. Unique to this conversation: one that had the same id and was deleted had another key. */
  readonly blocksId: string
  /** The agent that answers when a message names none. */
  readonly agentId: string | null
  readonly metadata?: JsonObject
  readonly createdAt: number
  readonly updatedAt: number
  /** Counts changes, so that no two heads are equal. */
  readonly version: number
  /** Number of blocks of messages. */
  readonly blocks: number
  readonly turn: OpenTurn | null
}

/** Messages that were added together: those of a turn, or one that was appended alone. */
export type ConversationBlock = {
  /** The messages as users see them. */
  readonly messages: readonly ChatMessage[]
  /** The same messages as models see them. */
  readonly said: readonly Message[]
  /** Taint labels of the data that the messages were made from, if any. */
  readonly labels?: readonly Label[]
  /** Id of the run, if the messages are those of a turn. */
  readonly runId?: string
}
