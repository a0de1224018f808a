import type { NewTask, TaskEvent } from '../tasks/task.ts'

/** Name of the journal notes about the tasks of a team's run. */
export const TEAM_NOTE = 'team'

/** An event of a planned team: an entry of its run with type `note` and name `team`. */
export type TeamEvent =
  | { readonly type: 'plan'; readonly tasks: readonly NewTask[] }
  | ({ readonly type: 'tasks' } & TaskEvent)
  /** A change that was sent to the run with a stale version. */
  | { readonly type: 'conflict'; readonly expectedVersion: number; readonly version: number }
  | { readonly type: 'refused'; readonly problem: string }
