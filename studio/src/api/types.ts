import type { Json } from '../../../src/core/index.ts'

/** One line about a run, as `GET /api/runs` gives it. */
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

/** Something that waits for a person. */
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
  /** What an approval for all runs would be bound to; absent where there can be none. */
  readonly binding?: { readonly rules: readonly string[]; readonly mind: string }
}

export interface InboxPage {
  readonly requests: readonly WaitingItem[]
  /** Runs with requests that cannot be read. */
  readonly unreadable: readonly { readonly run: string; readonly problem: string }[]
  readonly next?: string
}
