import type { Json } from '../../../src/core/index.ts'

/** The summary of a run, as returned by `GET /api/runs`. */
export interface RunInfo {
  readonly id: string
  readonly kind: string
  readonly name: string
  readonly sessionId: string
  readonly parent?: string
  readonly state: 'running' | 'suspended' | 'completed' | 'failed' | 'cancelled'
  readonly suspendReason?: string
  readonly wakeAt?: number
  readonly createdAt: number
  readonly updatedAt: number
  readonly entries: number
  readonly waiting: number
  /** Where and why the journal of the run cannot be read; absent where it is whole, or not looked at. */
  readonly damage?: string
}

export interface AgentInfo {
  readonly id: string
  readonly name: string
  readonly description: string
  readonly models: readonly string[]
  readonly tools: readonly { readonly name: string; readonly description: string; readonly risk: string }[]
  readonly agents: readonly string[]
  readonly maxTurns: number
}

/** A request that waits for a person. */
export interface WaitingItem {
  readonly id: string
  readonly run: string
  readonly key: string
  readonly reason: 'approval' | 'question' | 'in-doubt'
  readonly kind: string
  readonly name: string
  readonly input: Json
  readonly hash: string
  readonly rule?: string
  readonly text: string
  readonly risk?: string
  readonly at?: number
  readonly expiresAt?: number
  /** The rules and the mind that an approval for all runs would be bound to; absent if such an approval is not possible. */
  readonly binding?: { readonly rules: readonly string[]; readonly mind: string }
}

export interface InboxPage {
  readonly requests: readonly WaitingItem[]
  /** Runs whose requests cannot be read. */
  readonly unreadable: readonly { readonly run: string; readonly problem: string }[]
  readonly next?: string
}
