import type { BudgetLimits, BudgetUnit, EffectLabels, ErrorCode, ErrorInfo } from '../core/index.ts'
import type { Json, Label, Outcome } from '../core/index.ts'
import type { ForkOrigin } from './fork-origin.ts'
import type { AnswerSignature, ApprovalAnswer, RuleBinding, StandingApproval } from './approvals/approval-data.ts'

/** The amount of each unit that something took, or may take at most. */
export type Spend = { readonly [U in BudgetUnit]?: number | undefined } & {
  /** Some of the amounts are estimated, because the provider did not report them. */
  readonly estimated?: true | undefined
}

/** The identity of a user or a service. */
export interface Identity {
  /** Its id in your system. */
  readonly id: string
  /** The roles that mandates refer to. */
  readonly roles: readonly string[]
  /** Set by the kernel if an agent acts for itself: such an identity can never approve anything. */
  readonly agent?: boolean | undefined
}

export type MindKind = 'agent' | 'program' | 'cell' | 'graph'
export type EffectKind = 'model' | 'embed' | 'tool' | MindKind | 'memory' | 'database' | 'prompt' | 'question' | 'sleep'
export type Durability = 'sync' | 'batch' | 'exit'
/** Why a run waits. */
export type SuspendReason = 'approval' | 'question' | 'in-doubt' | 'timer' | 'disk' | 'interrupt'
export type RunEndState = 'completed' | 'failed' | 'cancelled'
export type RunState = 'running' | 'suspended' | RunEndState

/** The order in which workers take waiting runs. */
export type RunPriority = 'high' | 'normal' | 'low'

export interface RunStartData {
  /** The version of the protocol between minds and kernel; a resume under another version is refused. */
  readonly protocol: number
  /** The kind of its mind. */
  readonly mind: MindKind
  /** The name under which the mind is registered. */
  readonly name: string
  /** The session to which it belongs. */
  readonly sessionId: string
  /** Its input. */
  readonly input: Json
  /** The labels of the input, if it has any. */
  readonly labels?: readonly Label[] | undefined
  /** The identity for which it acts. */
  readonly identity: Identity
  /** The seed of its random numbers and ids. */
  readonly seed: string
  /** The number of runs above it. */
  readonly depth: number
  /** When entries are flushed. */
  readonly durability: Durability
  /** Among workers that share runs: which waiting runs are taken first; `normal` by default. */
  readonly priority?: RunPriority | undefined
  /** Its limits. */
  readonly budget: BudgetLimits
  /** The child has an allotment of its own, because it runs elsewhere, instead of drawing on its parent's budget. */
  readonly allotted?: boolean | undefined
  /** The child is driven apart from its parent, by whichever process has room. */
  readonly apart?: boolean | undefined
  /** The parent run, and the effect there. */
  readonly parent?: { readonly run: string; readonly key: string } | undefined
  /** Where the mind was loaded from, to load it again on resume. */
  readonly source?: string | undefined
  /** The run that it was forked from, and where. */
  readonly forkOf?: ForkOrigin | undefined
  /** Hashes of large files in the input, which the store keeps beside the entries. */
  readonly blobs?: readonly string[] | undefined
  /** What a later release may change: prompt texts, tool schemas, limits, policy hash, price table. A resume uses these. */
  readonly pins: Json
}

export interface PendingItem {
  /** The key of the waiting effect. */
  readonly key: string
  /** What it waits for. */
  readonly reason: SuspendReason
  /** The id to approve, reject or answer by. */
  readonly approvalId?: string | undefined
  /** The waiting run, if it is a child. */
  readonly run?: string | undefined
  /** When it continues by itself, in milliseconds since 1970. */
  readonly wakeAt?: number | undefined
}

export interface RunSuspendData {
  /** What it waits for. */
  readonly reason: SuspendReason
  /** All waiting effects. */
  readonly pending: readonly PendingItem[]
  /** When it continues by itself, in milliseconds since 1970. */
  readonly wakeAt?: number | undefined
  /** The active time of the segments so far. */
  readonly activeMs: number
  /** The spend of the mind itself so far, which is part of no effect: fuel. */
  readonly spent?: Spend | undefined
}

interface RunResumeData {
  /** The fencing token of the process that drives the run now. */
  readonly epoch: number
}

export interface RunEndData {
  /** The final state. */
  readonly state: RunEndState
  /** The output. */
  readonly output?: Json | undefined
  /** The error of a failed run. */
  readonly error?: ErrorInfo | undefined
  /** The active time, without suspensions. */
  readonly activeMs: number
  /** The spend of the run and all runs below it. */
  readonly spent: Spend
  /** The labels of the output, if it has any. */
  readonly labels?: readonly Label[] | undefined
}

export type VerdictAction = 'allow' | 'modify' | 'ask' | 'deny' | 'kill'

export interface Decision {
  /** The verdict. */
  readonly verdict: VerdictAction
  /** The guard that decided, and the rule inside it. */
  readonly rule: string
  /** The reason, for people and for the model. */
  readonly reason: string
  /** The error code of a refusal. */
  readonly code?: ErrorCode | undefined
  /** The risk of the call. */
  readonly risk?: string | undefined
  /** For an `ask` that an approval with the scope `rule` lifted: the id under which that was given. */
  readonly standing?: string | undefined
}

export interface EffectRequest {
  /** The kind of effect. */
  readonly kind: EffectKind
  /** The model, the tool or another target. */
  readonly name: string
  /** Its input. */
  readonly input: Json
  /** SHA-256 of kind, name and input. */
  readonly hash: string
  /** The labels of the input, if it has any. */
  readonly labels?: EffectLabels | undefined
}

export interface EffectDecideData extends EffectRequest {
  /** The decision of the gate. */
  readonly decision: Decision
}

export interface EffectStartData extends EffectRequest {
  /** The decision of the gate. */
  readonly decision: Decision
  /** Hash of the requested effect, if a guard or an approver changed the input. */
  readonly asked?: string | undefined
  /** The reservation for it; stays counted until there is an end. */
  readonly reserved: Spend
  /** Whether it may be performed again after a crash without asking. */
  readonly repeatable: boolean
  /** The declared intent, if there is one. */
  readonly intent?: Json | undefined
  /** The idempotency key of a call that was started in the original run of a fork. */
  readonly idempotencyKey?: string | undefined
  /** The active time of the run so far, if it is limited: after a crash nothing else records it. */
  readonly activeMs?: number | undefined
}

export interface EffectEndData {
  /** The outcome. */
  readonly outcome: Outcome<Json>
  /** The spend. */
  readonly spent: Spend
  /** The duration. */
  readonly durationMs: number
  /** Hash of the requested effect: for effects that ended without a start (denied, answered, cancelled while parked). */
  readonly asked?: string | undefined
  /** Details of the execution: provider, model, finish reason, truncation. */
  readonly meta?: Json | undefined
  /** As in the start. */
  readonly activeMs?: number | undefined
  /** Hashes of large files in the outcome, which the store keeps beside the entries. */
  readonly blobs?: readonly string[] | undefined
  /** The start, in journals of an interim build that wrote both as one entry. Read, never written. */
  readonly start?: EffectStartData | undefined
}

export interface EffectRetryData {
  /** The number of the next attempt. */
  readonly attempt: number
  /** Why the previous attempt failed. */
  readonly reason: string
  /** The pause before the next attempt. */
  readonly waitMs: number
  /** The spend of the previous attempt; the end of the effect has that of the last one. */
  readonly spent?: Spend | undefined
  /** As in the start. */
  readonly activeMs?: number | undefined
}

export interface ApprovalRequestData extends EffectRequest {
  /** What is asked: whether a call may be made, a question of the agent, or whether a call happened before a crash. */
  readonly reason: 'approval' | 'question' | 'in-doubt'
  /** Hash of the requested effect. */
  readonly asked: string
  /** The rule that asks. */
  readonly rule: string
  /** The text for the person. */
  readonly text: string
  /** The risk of the call. */
  readonly risk?: string | undefined
  /** When it expires and counts as denied, in milliseconds since 1970. */
  readonly expiresAt: number
  /** The conditions to which an approval with the scope `rule` would be bound; absent if that scope is not available. */
  readonly binding?: RuleBinding | undefined
}

export interface ApprovalResponseData {
  /** The seq of the request. */
  readonly request: number
  /** The decision. */
  readonly answer: ApprovalAnswer
  /** Who answered. */
  readonly by: Identity
  /** What the approval covers: this call, further ones of the run, or further runs. */
  readonly scope?: 'once' | 'run' | 'rule' | undefined
  /** The input that replaces the requested one. */
  readonly edit?: Json | undefined
  /** The answer to a question, or the result of a call in doubt. */
  readonly value?: Json | undefined
  /** The given reason. */
  readonly text?: string | undefined
  /** The reach of an approval with the scope `rule`. */
  readonly standing?: StandingApproval | undefined
  /** The signature of the host that received the answer and checked the identity, if the host has a signing key. */
  readonly signature?: AnswerSignature | undefined
}

export interface MessageAppendData {
  /** The message. */
  readonly message: Json
}

export interface NoteData {
  /** The name of the fact. */
  readonly name: string
  /** The fact. */
  readonly value: Json
}

/** The data of each type of entry. */
export interface EntryDataByType {
  /** A run starts: its mind, identity, input and limits. */
  readonly 'run-start': RunStartData
  /** A run suspends, and why. */
  readonly 'run-suspend': RunSuspendData
  /** A run continues in a process. */
  readonly 'run-resume': RunResumeData
  /** A run is over. */
  readonly 'run-end': RunEndData
  /** The gate denied an effect. */
  readonly 'effect-decide': EffectDecideData
  /** An effect was allowed and starts. */
  readonly 'effect-start': EffectStartData
  /** The outcome and the spend of an effect. */
  readonly 'effect-end': EffectEndData
  /** An attempt failed and another follows. */
  readonly 'effect-retry': EffectRetryData
  /** A question to a person. */
  readonly 'approval-request': ApprovalRequestData
  /** The person's answer. */
  readonly 'approval-response': ApprovalResponseData
  /** A message of the conversation. */
  readonly 'message-append': MessageAppendData
  /** A fact recorded by a mind or the kernel. */
  readonly note: NoteData
}

/** The name of the note that changes a run's own limits. */
export const BUDGET_NOTE = 'budget-changed'

/** The data of that note: the limits that replace the earlier ones, and who changed them. */
export interface BudgetNote {
  readonly budget: BudgetLimits
  readonly by: Identity
}
