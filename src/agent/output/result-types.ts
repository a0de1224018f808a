import type { Json, Label } from '../../core/index.ts'
import type { EffectKind, SuspendReason } from '../../journal/index.ts'
import type { MemoryChange } from '../../memory/index.ts'
import type { Message, TokenUsage } from '../../model/index.ts'
import type { AnyTools, ToolTypes } from '../../tool/index.ts'
import type { ToolRequest } from '../session/agent-events.ts'
import type { AgentStatus } from './output-types.ts'
import type { Phase } from '../session/phase.ts'

/** One call of a tool or of another agent, as it went. */
export interface ActionRecord {
  /** The key of its effect. */
  readonly id: string
  readonly toolId: string
  readonly input: Json
  readonly output: Json
  readonly ok: boolean
  readonly status: string
  readonly error?: { readonly code: string; readonly message: string }
  readonly startedAt: string
  readonly finishedAt: string
  readonly durationMs: number
}

/** One model call, as it went. */
export interface ModelCall {
  readonly id: string
  readonly provider: string
  readonly model: string
  /** Where the prompt can be found: the journal entry that started the call, as `journal:<run>#<seq>`. */
  readonly promptRef: string
  readonly startedAt: string
  readonly finishedAt: string
  readonly tokenUsage: TokenUsage
  readonly costEstimate?: number
  readonly finishReason?: string
}

export interface ResultMetrics {
  readonly durationMs: number
  /** Mean latency per tool. */
  readonly toolLatencyMs: { readonly [tool: string]: number }
  readonly toolCalls: { readonly [tool: string]: number }
  readonly toolErrors: { readonly [tool: string]: number }
  readonly modelLatencyMs: number
}

/** What a run waits for: the call or the question itself, so that a person can be asked without reading anything else. */
export interface PendingCall {
  /** Why it waits: an approval, a question, a call in doubt, a timer, disk space. */
  readonly reason: SuspendReason
  /** The run that waits: this one, or one below it. */
  readonly run: string
  /** The key of the effect; absent when the run waits for its store. */
  readonly key?: string
  /** The id to approve, reject or answer by; absent when no answer is needed. */
  readonly approvalId?: string
  /** The kind of the effect: a `tool`, a `question`, an `agent`. */
  readonly kind?: EffectKind
  /** The tool, or what else is called. */
  readonly name?: string
  /** The whole input, redacted as in the journal. */
  readonly input?: Json
  /** The hash that an approval is bound to. */
  readonly hash?: string
  /** The risk that the gate gave the call. */
  readonly risk?: string
  /** Why it is asked, or the question itself. */
  readonly text: string
  /** When the run goes on by itself, in milliseconds since 1970: the request expires, or the timer fires. */
  readonly wakeAt?: number
}

/** What a run waits for, as a union by `kind` and `name` where the tools of its agent are known. */
type PendingOf<Tools extends ToolTypes> = string extends keyof Tools
  ? PendingCall
  : ToolRequest<PendingCall, Tools> | (PendingCall & { readonly kind?: Exclude<EffectKind, 'tool'> })

/** What a result stands on. */
export interface Provenance {
  readonly models: string[]
  /** The template of the system prompt and the version that was rendered, where it came from a prompt store. */
  readonly prompt?: { readonly template: string; readonly version: string }
  /** What the run's own random numbers follow from. */
  readonly seed: string
  readonly pins: Json
  readonly head: { readonly seq: number; readonly hash: string }
}

/**
 * How a run went, in full: folds over its journal, worked out when `report()` is called. Lists are typed as plain arrays, because the result types that
 * people already have ask for them.
 */
export interface RunReport {
  /** Tools and agents that were called, each once, in the order of their first call. */
  readonly toolsUsed: string[]
  readonly modelCalls: ModelCall[]
  readonly memoryDeltas: MemoryChange[]
  readonly provenance: Provenance
  readonly diagnostics: { readonly warnings: string[]; readonly traces: string[] }
  readonly metrics: ResultMetrics
  readonly retryInfo: { readonly attempts: number; readonly lastError?: string }
  /** Files that models made: their addresses, or their content as data URLs. */
  readonly attachments: { readonly [name: string]: string }
  /** The number that the service was seeded with; absent without one. */
  readonly seed?: number
  readonly deterministic: boolean
  /** How results with untrusted labels came before the model: as they are, or as handles. */
  readonly toolResults: 'shown' | 'handles'
  /** Where the events are: the run's journal. */
  readonly eventStream: string
}

/** What a run came to, frozen all the way down. `report()` tells the rest. */
export interface AgentResult<Output = unknown, Tools extends ToolTypes = AnyTools> {
  /** The run's id. */
  readonly id: string
  /** The session that it belongs to. */
  readonly sessionId: string
  /** How it ended, or that it waits. */
  readonly status: AgentStatus
  /** Where the loop stood when it came to rest. */
  readonly phase: Phase
  /** The answer, checked against the agent's `output` schema; `null` while there is none. Of a run of a program, what the program gave. */
  readonly result: Output | null
  /** The text of all turns, told apart by line breaks. */
  readonly text: string
  /** The text of the last turn that had any. */
  readonly lastText: string
  /** What was said in this run, the calls and results included. */
  readonly messages: Message[]
  /** Turns that were begun. */
  readonly steps: number
  /** The calls that were performed, in order. */
  readonly actions: ActionRecord[]
  /** Tokens of all model calls of the run. */
  readonly usage: TokenUsage
  /** US dollars; absent when a price was not known. */
  readonly cost?: number
  /** What the run was told was made from, where that is not clean: give it on with whatever of the result goes elsewhere. */
  readonly labels?: readonly Label[]
  /** When it was started, as ISO text. */
  readonly startedAt: string
  /** When it last came to rest, as ISO text. */
  readonly finishedAt: string
  /** Why the run failed or was cancelled; absent when it completed, and while it waits. */
  readonly error?: { readonly code: string; readonly message: string; readonly info?: unknown }
  /** Why the run waits, when `status` is `await_user`. */
  readonly suspendReason?: SuspendReason
  /** What it waits for, each with its call. */
  readonly pending: PendingOf<Tools>[]
  /** Model calls, changes of memory, provenance, diagnostics, metrics: all that follows from the journal. */
  report(): RunReport
}
