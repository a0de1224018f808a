import type { FieldNames, Json } from '../../core/index.ts'

/** The conditions under which an approval with the scope `rule` was given. It lifts nothing once any of them has changed. */
export interface RuleBinding {
  /** All rules that ask about the call, each prefixed with the number of its mandate, nearest first: `0:rules/refund`. */
  readonly rules: readonly string[]
  /** Hash of the mandates of the run. */
  readonly mandates: string
  /** Hash of the tool's definition. */
  readonly definition: string
  /** Kind and name of the mind: `agent/clerk`. */
  readonly mind: string
  /** Hash of what the mind executes, where it is data: a program, a graph, a registered cell. */
  readonly code?: string | undefined
}

/** `expire` and `withdraw` are given by the kernel alone: the time was over, or the call no longer needed an answer. */
export type ApprovalAnswer =
  | 'approve'
  | 'reject'
  | 'answer'
  | 'happened'
  | 'not-happened'
  | 'unknown'
  | 'expire'
  | 'withdraw'

/** The signature of one answer. */
export interface AnswerSignature {
  /** The version of the format. */
  readonly v: number
  /** Names the key, so that verifiers find its public half. */
  readonly keyId: string
  /** Ed25519, in base64, of the text that `answerText` returns. */
  readonly signature: string
}

export const ANSWER_SIGNATURE: FieldNames<AnswerSignature> = { v: 'number', keyId: 'text', signature: 'text' }

/** An approval given ahead of time. It lifts only an `ask`, in the approval step; it is not a rule of the gate. */
export interface StandingApproval {
  /** The tool that it covers. */
  readonly tool: string
  /** Members that the input must have, with exactly these values; absent means any input. */
  readonly input?: { readonly [name: string]: Json } | undefined
  /** The hash of the only call it covers, if it is limited to one. */
  readonly hash?: string | undefined
  /** The highest risk that it covers. */
  readonly riskMax: string
  /** When it ends, in milliseconds since 1970. */
  readonly expiresAt: number
  /** For the scope `rule`: its conditions. It then applies to other runs as well, through the service's journal and not through the one of its own run. */
  readonly bound?: RuleBinding | undefined
}
