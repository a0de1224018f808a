import type {
  BudgetLimits,
  BudgetUnit,
  EffectLabels,
  ErrorCode,
  ErrorInfo,
  Json,
  Label,
  Outcome,
} from '../core/index.ts'

/** How much of each kind something took, or may take at most. */
export type Spend = { readonly [U in BudgetUnit]?: number | undefined }

/** Who acts. */
export interface Identity {
  readonly id: string
  readonly roles: readonly string[]
  /** Set by the kernel when an agent acts for itself: such an identity can never approve anything. */
  readonly agent?: boolean | undefined
}

export type MindKind = 'agent' | 'program' | 'cell' | 'graph'
export type EffectKind = 'model' | 'embed' | 'tool' | MindKind | 'memory' | 'database' | 'prompt' | 'question' | 'sleep'
export type Durability = 'sync' | 'batch' | 'exit'
/** Why a run waits. */
export type SuspendReason = 'approval' | 'question' | 'in-doubt' | 'timer' | 'disk' | 'interrupt'
export type RunEndState = 'completed' | 'failed' | 'cancelled'
export type RunState = 'running' | 'suspended' | RunEndState

export interface RunStartData {
  /** The version of the rules by which minds and kernel speak; a resume under other rules is refused. */
  readonly protocol: number
  readonly mind: MindKind
  /** The name under which the mind is registered. */
  readonly name: string
  readonly sessionId: string
  readonly input: Json
  /** What the input was made from, where that is not clean. */
  readonly labels?: readonly Label[] | undefined
  readonly identity: Identity
  readonly seed: string
  readonly depth: number
  readonly durability: Durability
  readonly budget: BudgetLimits
  /** Child runs draw on their parent's budget; one that runs elsewhere has its own allotment. */
  readonly allotted?: boolean | undefined
  readonly parent?: { readonly run: string; readonly key: string } | undefined
  /** Where the mind was loaded from, to load it again on resume. */
  readonly source?: string | undefined
  readonly forkOf?:
    | {
        readonly run: string
        readonly seq: number
        readonly hash: string
        /** The time that the shared part took. */
        readonly activeMs?: number | undefined
      }
    | undefined
  /** Hashes of the large content in the input, which the store keeps beside the entries. */
  readonly blobs?: readonly string[] | undefined
  /** What a later release could change: prompt texts, tool schemas, limits, policy hash, cost table. Resume uses these. */
  readonly pins: Json
}

export interface PendingItem {
  readonly key: string
  readonly reason: SuspendReason
  /** The id to approve, reject or answer by. */
  readonly approvalId?: string | undefined
  /** The run that waits, when it is a child. */
  readonly run?: string | undefined
  readonly wakeAt?: number | undefined
}

export interface RunSuspendData {
  readonly reason: SuspendReason
  readonly pending: readonly PendingItem[]
  readonly wakeAt?: number | undefined
  /** The time of the segments so far, in which the run was driven. */
  readonly activeMs: number
  /** What the mind itself has used so far and no effect says: fuel. */
  readonly spent?: Spend | undefined
}

interface RunResumeData {
  readonly epoch: number
}

export interface RunEndData {
  readonly state: RunEndState
  readonly output?: Json | undefined
  readonly error?: ErrorInfo | undefined
  readonly activeMs: number
  readonly spent: Spend
  /** What the output was made from, where that is not clean. */
  readonly labels?: readonly Label[] | undefined
}

export type VerdictAction = 'allow' | 'modify' | 'ask' | 'deny' | 'kill'

export interface Decision {
  readonly verdict: VerdictAction
  /** The guard, and the rule inside it, that decided. */
  readonly rule: string
  readonly reason: string
  readonly code?: ErrorCode | undefined
  readonly risk?: string | undefined
  /** Of an `ask` that an approval with the scope `rule` lifted: the id under which that was given. */
  readonly standing?: string | undefined
}

export interface EffectRequest {
  readonly kind: EffectKind
  readonly name: string
  readonly input: Json
  /** SHA-256 of kind, name and input. */
  readonly hash: string
  /** What the input was made from, where that is not clean. */
  readonly labels?: EffectLabels | undefined
}

export interface EffectDecideData extends EffectRequest {
  readonly decision: Decision
}

export interface EffectStartData extends EffectRequest {
  readonly decision: Decision
  /** Hash of what the mind asked for, where a guard or an approver changed the input. */
  readonly asked?: string | undefined
  /** What was reserved for it; stays counted while its end is missing. */
  readonly reserved: Spend
  /** May be performed again after a crash without asking. */
  readonly repeatable: boolean
  /** What was declared about it, where something was. */
  readonly intent?: Json | undefined
  /** The key it was made with, where another run made it: a fork carries over what was in flight there. */
  readonly idempotencyKey?: string | undefined
  /** The time in which the run was driven until now, where a limit on it holds: a segment that ends in a crash has nothing else that says it. */
  readonly activeMs?: number | undefined
}

export interface EffectEndData {
  readonly outcome: Outcome<Json>
  readonly spent: Spend
  readonly durationMs: number
  /** Hash of what the mind asked for: kept for effects that ended without a start (denied, answered, cancelled while parked). */
  readonly asked?: string | undefined
  /** Facts about how it went: provider, model, finish reason, truncation. */
  readonly meta?: Json | undefined
  /** As in the start. */
  readonly activeMs?: number | undefined
  /** Hashes of the large content in the outcome, which the store keeps beside the entries. */
  readonly blobs?: readonly string[] | undefined
  /** What its start said, in journals of an interim build that wrote both as one entry. Read, never written. */
  readonly start?: EffectStartData | undefined
}

export interface EffectRetryData {
  readonly attempt: number
  readonly reason: string
  readonly waitMs: number
  /** What the attempt before this one took; the end of the effect says what the last one took. */
  readonly spent?: Spend | undefined
  /** As in the start. */
  readonly activeMs?: number | undefined
}

export interface ApprovalRequestData extends EffectRequest {
  readonly reason: 'approval' | 'question' | 'in-doubt'
  readonly asked: string
  readonly rule: string
  readonly text: string
  readonly risk?: string | undefined
  readonly expiresAt: number
  /** What an approval with the scope `rule` would be bound to; absent where such an approval cannot be given. */
  readonly binding?: RuleBinding | undefined
}

/** What an approval with the scope `rule` is bound to. It lifts nothing once any of this has changed. */
export interface RuleBinding {
  /** All rules that ask about the call, each after the number of its mandate, nearest first: `0:rules/refund`. */
  readonly rules: readonly string[]
  /** Hash of the mandates over the run. */
  readonly mandates: string
  /** Hash of the tool's definition. */
  readonly definition: string
  /** Kind and name of the mind: `agent/clerk`. */
  readonly mind: string
}

/** `expire` and `withdraw` are the kernel's own: time was over, or the call no longer needed an answer. */
export type ApprovalAnswer =
  | 'approve'
  | 'reject'
  | 'answer'
  | 'happened'
  | 'not-happened'
  | 'unknown'
  | 'expire'
  | 'withdraw'

export interface ApprovalResponseData {
  /** The seq of the request it answers. */
  readonly request: number
  readonly answer: ApprovalAnswer
  readonly by: Identity
  readonly scope?: 'once' | 'run' | 'rule' | undefined
  /** The input that shall run instead. */
  readonly edit?: Json | undefined
  readonly value?: Json | undefined
  readonly text?: string | undefined
  readonly standing?: StandingApproval | undefined
  /** Of the host that took the answer and checked who gave it, where that host has a signing key. */
  readonly signature?: AnswerSignature | undefined
}

/** Vouches for one answer. */
export interface AnswerSignature {
  readonly v: number
  readonly keyId: string
  /** Ed25519, in base64, over the text that `answerText` gives. */
  readonly signature: string
}

/** An approval given ahead of time. It lifts only `ask`, at the approval step; it is not a rule of the gate. */
export interface StandingApproval {
  readonly tool: string
  /** Members that the input must have, with exactly these values; absent means any input. */
  readonly input?: { readonly [name: string]: Json } | undefined
  /** The hash of the only call it covers, where it covers one. */
  readonly hash?: string | undefined
  readonly riskMax: string
  readonly expiresAt: number
  /** Of the scope `rule`: what it is bound to. It then holds for other runs as well, by the service's own journal, and not by the one it stands in. */
  readonly bound?: RuleBinding | undefined
}

export interface MessageAppendData {
  readonly message: Json
}

export interface NoteData {
  readonly name: string
  readonly value: Json
}

/** What the data of an entry is, by the type of the entry. */
export interface EntryDataByType {
  readonly 'run-start': RunStartData
  readonly 'run-suspend': RunSuspendData
  readonly 'run-resume': RunResumeData
  readonly 'run-end': RunEndData
  readonly 'effect-decide': EffectDecideData
  readonly 'effect-start': EffectStartData
  readonly 'effect-end': EffectEndData
  readonly 'effect-retry': EffectRetryData
  readonly 'approval-request': ApprovalRequestData
  readonly 'approval-response': ApprovalResponseData
  readonly 'message-append': MessageAppendData
  readonly note: NoteData
}

/** The name of the note that changes a run's own limits. */
export const BUDGET_NOTE = 'budget-changed'

/** What it says: the limits that hold from then on instead of the earlier ones, and who changed them. */
export interface BudgetNote {
  readonly budget: BudgetLimits
  readonly by: Identity
}
