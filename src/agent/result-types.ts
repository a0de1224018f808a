import type { Json } from '../core/index.ts'
import type { PendingItem, SuspendReason } from '../journal/index.ts'
import type { MemoryChange } from '../memory/index.ts'
import type { Message, TokenUsage } from '../model/index.ts'
import type { AgentStatus } from './output-types.ts'
import type { Phase } from './phase.ts'

/** One tool call, as it went. */
export interface ActionRecord {
  readonly id: string
  readonly toolId: string
  readonly input: Json
  readonly output: Json
  readonly ok: boolean
  readonly status: string
  readonly error?: { readonly code: string; readonly message: string } | undefined
  readonly startedAt: string
  readonly finishedAt: string
  readonly durationMs: number
}

/** One model call, as it went. */
export interface ModelCall {
  readonly id: string
  readonly provider: string
  readonly model: string
  /** Where the prompt can be found: the journal entry that started the call. */
  readonly promptRef: string
  readonly startedAt: string
  readonly finishedAt: string
  readonly tokenUsage: TokenUsage
  readonly costEstimate?: number | undefined
  readonly finishReason?: string | undefined
}

/** Both spellings of every count, so that no caller has to translate. */
export interface ResultUsage extends TokenUsage {
  readonly promptTokens: number
  readonly completionTokens: number
}

export interface ResultMetrics {
  readonly durationMs: number
  /** Mean latency per tool. */
  readonly toolLatencyMs: { readonly [tool: string]: number }
  readonly toolCalls: { readonly [tool: string]: number }
  readonly toolErrors: { readonly [tool: string]: number }
  readonly modelLatencyMs: number
}

/** What a run came to. One frozen object for all callers; everything optional is a fold over the journal. */
export interface AgentResult<T = Json> {
  /** The run's id. */
  readonly id: string
  readonly sessionId: string
  readonly success: boolean
  /** The same as `success`. */
  readonly done: boolean
  readonly status: AgentStatus
  readonly phase: Phase
  readonly result: T | null
  /** The text of all turns, told apart by line breaks. */
  readonly text: string
  /** The text of the last turn that had any. */
  readonly lastText: string
  /** The same as `text`. */
  readonly summary: string
  /** The same as `text`. */
  readonly response: string
  readonly assistantMessage: Message | null
  readonly intermediateMessages: readonly Message[]
  readonly toolsUsed: readonly string[]
  readonly tokenUsage: ResultUsage
  /** The same as `tokenUsage`. */
  readonly usage: ResultUsage
  /** US dollars; absent when a price was not known. */
  readonly costEstimate?: number | undefined
  readonly steps: number
  readonly actions: readonly ActionRecord[]
  readonly modelCalls: readonly ModelCall[]
  readonly memoryDeltas: readonly MemoryChange[]
  readonly provenance: { readonly models: readonly string[]; readonly pins: Json; readonly head: { readonly seq: number; readonly hash: string } }
  readonly diagnostics: { readonly warnings: readonly string[]; readonly traces: readonly string[] }
  readonly metrics: ResultMetrics
  readonly retryInfo: { readonly attempts: number; readonly lastError?: string | undefined }
  readonly seed: string
  readonly deterministic: boolean
  readonly aborted: boolean
  /** Where the events are: the run's journal. */
  readonly eventStream: string
  readonly attachments: { readonly [name: string]: string }
  readonly startedAt: string
  readonly finishedAt: string
  readonly error?: { readonly code: string; readonly message: string; readonly info?: unknown } | undefined
  /** Why the run waits, and for what, when `status` is `await_user`. */
  readonly suspendReason?: SuspendReason | undefined
  readonly pending: readonly PendingItem[]
}
