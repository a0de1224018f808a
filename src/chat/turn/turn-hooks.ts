import type { MandateError } from '../../core/index.ts'
import type { HistoryWindow, PendingCall } from '../../agent/index.ts'
import type { ChatMessage } from '../message/chat-message.ts'
import type { TurnEvent } from './turn-fold.ts'

/** What is told of a turn besides what happens in its run. */
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

/** Which turn is spoken of. */
export interface TurnContext {
  readonly conversationId: string
  readonly streamId: string
  /** The agent that the caller named, if any. */
  readonly agentId?: string | undefined
}

/** What whoever takes turns may have a say in. */
export interface TurnHooks {
  /** Before the user's message is stored: null vetoes it. */
  outgoing(message: ChatMessage): Promise<ChatMessage | null>
  /** The message is stored: says which agent answers. Absent where that is known before. */
  readonly choose?: ((message: ChatMessage, context: TurnContext) => Promise<string>) | undefined
  /** How much of the conversation an agent is given that does not say it itself. */
  readonly window?: HistoryWindow | undefined
  /** Before the answer is stored: null vetoes it. Absent where nobody looks at it. */
  readonly incoming?: ((message: ChatMessage) => Promise<ChatMessage | null>) | undefined
  tell(news: TurnNews, context: TurnContext): void
}

/** For those who have no say. */
export const NO_HOOKS: TurnHooks = {
  outgoing: async (message) => message,
  tell: () => {},
}
