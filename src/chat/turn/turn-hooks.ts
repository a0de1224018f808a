import type { MandateError } from '../../core/index.ts'
import type { HistoryWindow, PendingCall } from '../../agent/index.ts'
import type { ChatMessage } from '../message/chat-message.ts'
import type { TurnEvent } from './turn-fold.ts'

/** An event of a turn: of its run, of its start and end, or of its answer. */
type TurnNews =
  | TurnEvent
  | { readonly type: 'start'; readonly resumed: boolean }
  | {
      readonly type: 'end'
      readonly cancelled?: true
      readonly suspended?: true
      readonly failed?: true
      readonly pending?: readonly PendingCall[]
    }
  | { readonly type: 'received'; readonly message: ChatMessage }
  | { readonly type: 'error'; readonly error: MandateError }

/** Identifies the turn of an event. */
export interface TurnContext {
  readonly conversationId: string
  readonly streamId: string
  /** The agent that the caller named, if any. */
  readonly agentId?: string | undefined
}

/** Hooks into a turn, for callers such as Atlas. */
export interface TurnHooks {
  /** Called before the user's message is stored: null rejects it. */
  outgoing(message: ChatMessage): Promise<ChatMessage | null>
  /** Called when the message is stored: returns the agent that answers. Absent if the agent is known before. */
  readonly choose?: ((message: ChatMessage, context: TurnContext) => Promise<string>) | undefined
  /** The history window of agents that have none of their own. */
  readonly window?: HistoryWindow | undefined
  /** Called before the answer is stored: null rejects it, and so does an exception. Absent if there is no interceptor. */
  readonly incoming?: ((message: ChatMessage) => Promise<ChatMessage | null>) | undefined
  tell(news: TurnNews, context: TurnContext): void
}

/** Hooks that change nothing. */
export const NO_HOOKS: TurnHooks = {
  outgoing: async (message) => message,
  tell: () => {},
}
