import type { Json } from '../../core/index.ts'

// These are type aliases, not interfaces, so that every one of them is assignable to `Json` and can be journaled as it is.

export type TaskStatus = 'pending' | 'in_progress' | 'done' | 'failed' | 'deferred'

/** A task of a plan. */
export type NewTask = {
  readonly id: string
  /** Everything that its worker needs to know. */
  readonly description: string
  /** Id of the worker that does it; the first worker when absent. */
  readonly worker?: string
  /** Ids of tasks that must be done before it. */
  readonly blockedBy?: readonly string[]
  /** Of the tasks that are ready, those with a higher number start first; 0 when absent. */
  readonly priority?: number
}

/** A task of a team, with its status. */
export type Task = {
  readonly id: string
  readonly description: string
  readonly worker?: string
  readonly blockedBy: readonly string[]
  readonly priority: number
  readonly status: TaskStatus
  /** How often a worker has started it. */
  readonly attempts: number
  /** The result of its worker, also before verification. */
  readonly result?: Json
  /** Why it failed or was rejected. */
  readonly reason?: string
}

/** The fields that can change while no worker has the task: neither its id nor its status. */
export type TaskChanges = {
  readonly description?: string
  readonly worker?: string
  readonly blockedBy?: readonly string[]
  readonly priority?: number
}

/** A change from outside. */
export type TaskPatch =
  | { readonly op: 'add'; readonly task: NewTask }
  | { readonly op: 'update'; readonly id: string; readonly changes: TaskChanges }
  | { readonly op: 'remove'; readonly id: string }

/** A change from outside, or a status change by the graph itself. */
export type TaskMove =
  | TaskPatch
  | {
      readonly op: 'move'
      readonly id: string
      readonly changes: Partial<Pick<Task, 'status' | 'attempts' | 'result' | 'reason'>>
    }

/** An event of a graph: the changes that made a version, in order. */
export type TaskEvent = {
  readonly version: number
  readonly action: 'patch' | 'claim' | 'submit' | 'complete' | 'reject' | 'requeue' | 'fail' | 'fail-blocked'
  readonly patches: readonly TaskMove[]
}

/** The result of a change. A stale version is a conflict, and a broken rule is a refusal; neither changes anything. */
export type TaskChange =
  | { readonly status: 'changed'; readonly version: number; readonly event: TaskEvent }
  | { readonly status: 'conflict'; readonly expectedVersion: number; readonly version: number }
  | { readonly status: 'refused'; readonly problem: string }
