import type { Json } from '../core/index.ts'
import type { FinishReason, ModelRequest } from './model.ts'
import type { TokenUsage } from './usage.ts'

interface ScriptedCall {
  readonly name: string
  readonly input?: Json | undefined
  /** The arguments as text, also such as are not JSON. */
  readonly rawInput?: string | undefined
  /** Made from the position when absent. */
  readonly toolCallId?: string | undefined
}

export interface ScriptedReply {
  readonly text?: string | undefined
  readonly reasoning?: string | undefined
  readonly toolCalls?: readonly ScriptedCall[] | undefined
  readonly usage?: Partial<TokenUsage> | undefined
  readonly finishReason?: FinishReason | undefined
  readonly warnings?: readonly string[] | undefined
  /** Waits this long before the first part. */
  readonly delayMs?: number | undefined
  /** The pieces in which the text is streamed, or how many; by words when absent. */
  readonly chunks?: number | readonly string[] | undefined
}

export interface ScriptedFault {
  readonly error: string
  readonly retriable?: boolean | undefined
  readonly retryAfterMs?: number | undefined
  readonly status?: number | undefined
  /** Streamed before it fails. */
  readonly text?: string | undefined
  readonly delayMs?: number | undefined
}

/** Says nothing until the call is cut. */
export interface ScriptedHang {
  readonly hang: true
  readonly text?: string | undefined
}

type ScriptedItem = string | ScriptedReply | ScriptedFault | ScriptedHang

export interface ScriptedMoment {
  /** How many replies came before in this conversation (or calls, with `by: 'call'`). */
  readonly position: number
  /** From 1 up. */
  readonly attempt: number
}

/** One reply of a scripted model, or a function of the request that gives one. */
export type ScriptedStep =
  | ScriptedItem
  | ((request: ModelRequest, moment: ScriptedMoment) => ScriptedItem | Promise<ScriptedItem>)
