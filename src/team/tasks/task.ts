import type { Json } from '../../core/index.ts'

// These are type aliases, not interfaces, so that every one of them is assignable to `Json` and can be journaled as it is.

export type TaskStatus = 'pending' | 'in_progress' | 'done' | 'failed' | 'deferred'

/** A task as a plan has it. */
export type NewTask = {
  readonly id: string
  /** All that its worker has to know. */
  readonly description: string
  /** Who does it, by the id of a worker; the first worker when absent. */
  readonly worker?: string
  /** Tasks that must be done before it. */
  readonly blockedBy?: readonly string[]
  /** Of the tasks that are ready, those with the highest number begin first; 0 when absent. */
  readonly priority?: number
}

/** A task of a team, and where it stands. */
export type Task = {
  readonly id: string
  readonly description: string
  readonly worker?: string
  readonly blockedBy: readonly string[]
  readonly priority: number
  readonly status: TaskStatus
  /** How often a worker has begun it. */
  readonly attempts: number
  /** What its worker gave, also before it is verified. */
  readonly result?: Json
  /** Why it failed, or was given back. */
  readonly reason?: string
}

/** What may be changed in a task that no worker has: not its id, and not where it stands. */
export type TaskChanges = {
  readonly description?: string
  readonly worker?: string
  readonly blockedBy?: readonly string[]
  readonly priority?: number
}

/** One change from outside. */
export type TaskPatch =
  | { readonly op: 'add'; readonly task: NewTask }
  | { readonly op: 'update'; readonly id: string; readonly changes: TaskChanges }
  | { readonly op: 'remove'; readonly id: string }

/** Changes of the graph's own, which move tasks on. */
export type TaskMove =
  | TaskPatch
  | {
      readonly op: 'move'
      readonly id: string
      readonly changes: Partial<Pick<Task, 'status' | 'attempts' | 'result' | 'reason'>>
    }

/** What makes a new version of a graph: everything that happened to it, in order. */
export type TaskEvent = {
  readonly version: number
  readonly action: 'patch' | 'claim' | 'submit' | 'complete' | 'reject' | 'requeue' | 'fail' | 'fail-blocked'
  readonly patches: readonly TaskMove[]
}

/** What came of a change. A stale version is a conflict, and a broken rule a refusal; neither changes anything. */
export type TaskChange =
  | { readonly status: 'changed'; readonly version: number; readonly event: TaskEvent }
  | { readonly status: 'conflict'; readonly expectedVersion: number; readonly version: number }
  | { readonly status: 'refused'; readonly problem: string }
