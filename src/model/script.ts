import type { Json } from '../core/index.ts'
import type { FinishReason, ModelRequest } from './model.ts'
import type { TokenUsage } from './usage.ts'

interface ScriptedCall {
  readonly name: string
  readonly input?: Json | undefined
  /** The arguments as text, which need not be JSON. */
  readonly rawInput?: string | undefined
  /** Derived from the position by default. */
  readonly toolCallId?: string | undefined
}

export interface ScriptedReply {
  readonly text?: string | undefined
  readonly reasoning?: string | undefined
  readonly toolCalls?: readonly ScriptedCall[] | undefined
  readonly usage?: Partial<TokenUsage> | undefined
  readonly finishReason?: FinishReason | undefined
  readonly warnings?: readonly string[] | undefined
  /** The delay before the first part. */
  readonly delayMs?: number | undefined
  /** The pieces in which the text is streamed, or their number; words by default. */
  readonly chunks?: number | readonly string[] | undefined
}

export interface ScriptedFault {
  readonly error: string
  readonly retriable?: boolean | undefined
  readonly retryAfterMs?: number | undefined
  readonly status?: number | undefined
  /** Streamed before the failure. */
  readonly text?: string | undefined
  readonly delayMs?: number | undefined
}

/** Emits nothing until the call is aborted. */
export interface ScriptedHang {
  readonly hang: true
  readonly text?: string | undefined
}

type ScriptedItem = string | ScriptedReply | ScriptedFault | ScriptedHang

export interface ScriptedMoment {
  /** The number of earlier replies in this conversation (or calls, with `by: 'call'`). */
  readonly position: number
  /** Starts at 1. */
  readonly attempt: number
}

/** One reply of a scripted model, or a function that returns one for a request. */
export type ScriptedStep =
  | ScriptedItem
  | ((request: ModelRequest, moment: ScriptedMoment) => ScriptedItem | Promise<ScriptedItem>)
