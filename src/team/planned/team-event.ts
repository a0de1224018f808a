import type { NewTask, TaskEvent } from '../tasks/task.ts'

/** Under which the journal of a team's run has what happened to its tasks. */
export const TEAM_NOTE = 'team'

/** What happens in a planned team: entries of its run, type `note`, name `team`. */
export type TeamEvent =
  | { readonly type: 'plan'; readonly tasks: readonly NewTask[] }
  | ({ readonly type: 'tasks' } & TaskEvent)
  /** A change that was sent to the run, and came too late. */
  | { readonly type: 'conflict'; readonly expectedVersion: number; readonly version: number }
  | { readonly type: 'refused'; readonly problem: string }
