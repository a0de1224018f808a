import type { Json, Label } from '../../core/index.ts'
import type { EffectKind, SuspendReason } from '../../journal/index.ts'
import type { MemoryChange } from '../../memory/index.ts'
import type { Message, TokenUsage } from '../../model/index.ts'
import type { AnyTools, ToolTypes } from '../../tool/index.ts'
import type { ToolRequest } from '../session/agent-events.ts'
import type { AgentStatus } from './output-types.ts'
import type { Phase } from '../session/phase.ts'

/** One call of a tool, of another agent, a graph or a program, or a question to a person. */
export interface ActionRecord {
  /** The key of its effect. */
  readonly id: string
  /** The name of the tool. */
  readonly toolId: string
  /** The input. */
  readonly input: Json
  /** The result; `null` if there is none, and for a call of a cell, whose result is in the run of the cell. */
  readonly output: Json
  /** Whether it succeeded. */
  readonly ok: boolean
  /** The status of its outcome: `ok`, `failed`, `denied`, `cancelled` or `unknown`. */
  readonly status: string
  /** Whether it was carried out. `false`: it was refused before it started, by the gate, a person, its schema or the loop. */
  readonly performed: boolean
  /** Why it did not succeed. */
  readonly error?: { readonly code: string; readonly message: string }
  /** When it started, or was asked for if it never started, in ISO 8601. */
  readonly startedAt: string
  /** When it ended, in ISO 8601. */
  readonly finishedAt: string
  /** The duration. */
  readonly durationMs: number
}

/** One model call. */
export interface ModelCall {
  readonly id: string
  readonly provider: string
  readonly model: string
  /** The location of the prompt: the journal entry that started the call, as `journal:<run>#<seq>`. */
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

/** A call or question that a run waits for, with everything needed to ask a person. */
export interface PendingCall {
  /** Why it waits: an approval, a question, a call in doubt, a timer, disk space. */
  readonly reason: SuspendReason
  /** The waiting run: this one, or one below it. */
  readonly run: string
  /** The key of the effect; absent if the run waits for its store. */
  readonly key?: string
  /** The id to approve, reject or answer by; absent when no answer is needed. */
  readonly approvalId?: string
  /** The kind of the effect: a `tool`, a `question`, an `agent`. */
  readonly kind?: EffectKind
  /** The tool, or another target. */
  readonly name?: string
  /** The whole input, redacted as in the journal. */
  readonly input?: Json
  /** The hash that an approval is bound to. */
  readonly hash?: string
  /** The risk of the call. */
  readonly risk?: string
  /** The reason for asking, or the question itself. */
  readonly text: string
  /** When the run continues by itself, in milliseconds since 1970: the request expires, or the timer fires. */
  readonly wakeAt?: number
}

/** What a run waits for, as a union by `kind` and `name` if the tools of its agent are known. */
type PendingOf<Tools extends ToolTypes> = string extends keyof Tools
  ? PendingCall
  : ToolRequest<PendingCall, Tools> | (PendingCall & { readonly kind?: Exclude<EffectKind, 'tool'> })

/** What a result is based on. */
export interface Provenance {
  readonly models: string[]
  /** The template of the system prompt and the rendered version, if it comes from a prompt store. */
  readonly prompt?: { readonly template: string; readonly version: string }
  /** In code mode: the template and version of the instructions about cells. */
  readonly code?: { readonly template: string; readonly version: number }
  /** The seed of the run's random numbers. */
  readonly seed: string
  readonly pins: Json
  readonly head: { readonly seq: number; readonly hash: string }
}

/**
 * The full report of a run: folds over its journal, computed when `report()` is called. Lists have plain array types for compatibility with existing
 * result types.
 */
export interface RunReport {
  /** Tools and agents that were called, each once, in the order of their first call. */
  readonly toolsUsed: string[]
  /** Every call of a model, with its usage and cost. */
  readonly modelCalls: ModelCall[]
  /** The writes to memory and the database. */
  readonly memoryDeltas: MemoryChange[]
  /** What the result is based on: models, tools, prompts, versions. */
  readonly provenance: Provenance
  /** Warnings, and a short trace of events. */
  readonly diagnostics: { readonly warnings: string[]; readonly traces: string[] }
  /** Counts and times. */
  readonly metrics: ResultMetrics
  /** The number of retries, and the last error. */
  readonly retryInfo: { readonly attempts: number; readonly lastError?: string }
  /** Files created by models: their URLs, or their content as data URLs. */
  readonly attachments: { readonly [name: string]: string }
  /** The seed of the service, if it has one. */
  readonly seed?: number
  /** Whether it ran with a seed, so that the same seed gives the same journal. */
  readonly deterministic: boolean
  /** How results with untrusted labels were shown to the model: as they are, or as handles. */
  readonly toolResults: 'shown' | 'handles'
  /** The location of the events: the run's journal. */
  readonly eventStream: string
}

/** The result of a run, deeply frozen. `report()` returns the details. */
export interface AgentResult<Output = unknown, Tools extends ToolTypes = AnyTools> {
  /** The run's id. */
  readonly id: string
  /** The session to which it belongs. */
  readonly sessionId: string
  /** How it ended, or that it waits. */
  readonly status: AgentStatus
  /** The phase of the loop when the run ended or suspended. */
  readonly phase: Phase
  /** The answer, validated by the agent's `output` schema; `null` while there is none. For a run of a program, its result. */
  readonly result: Output | null
  /** In code mode: whether a cell gave the answer with `answer(…)`, or a second reply without a cell became the answer. */
  readonly answeredBy?: 'cell' | 'reply'
  /** The text of all turns, separated by line breaks; in code mode, the answer. */
  readonly text: string
  /** The text of the last turn that had any. */
  readonly lastText: string
  /** The messages of this run, including calls and results. */
  readonly messages: Message[]
  /** The number of turns that were started. */
  readonly steps: number
  /**
   * The calls in the order in which they ended, including those that cells report, what an executor of your own carried out, and answers of people to `ask_user`. `performed` is false
   * for those that were refused before they started.
   */
  readonly actions: ActionRecord[]
  /** Tokens of all model calls of the run. `estimated` if a provider did not report some of them; the cost is then estimated too. */
  readonly usage: TokenUsage
  /** US dollars; absent if a price was unknown. */
  readonly cost?: number
  /** The labels of everything that the run was shown, if there are any: pass them on with the result. */
  readonly labels?: readonly Label[]
  /** When it was started, as ISO text. */
  readonly startedAt: string
  /** When it last ended or suspended, as ISO text. */
  readonly finishedAt: string
  /** Why the run failed or was cancelled; absent if it completed or waits. */
  readonly error?: { readonly code: string; readonly message: string; readonly info?: unknown }
  /** Why the run waits, when `status` is `await_user`. */
  readonly suspendReason?: SuspendReason
  /** What it waits for, each with its call. */
  readonly pending: PendingOf<Tools>[]
  /** Model calls, changes of memory, provenance, diagnostics, metrics: all that follows from the journal. */
  report(): RunReport
}
