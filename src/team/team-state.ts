import type { Entry } from '../journal/index.ts'
import { TEAM_NOTE } from './planned/team-event.ts'
import type { TeamEvent } from './planned/team-event.ts'
import type { Task, TaskEvent } from './tasks/task.ts'
import { TaskGraph } from './tasks/task-graph.ts'

/** The state of a planned team. */
export interface TeamState {
  readonly phase: 'planning' | 'executing' | 'synthesising' | 'completed' | 'failed' | 'cancelled'
  /** Version of the tasks; a change names it. */
  readonly version: number
  readonly tasks: readonly Task[]
  /** All events, in order. */
  readonly events: readonly TeamEvent[]
}

/** The part of a service that is needed to read a run. */
interface RunReader {
  entries(runId: string): AsyncIterable<Entry>
}

/**
 * Reads the state of a planned team's run from its journal.
 *
 * @example
 * ```ts
 * import { AgentService } from 'mandate'
 * import { teamState } from 'mandate/team'
 * const service = new AgentService()
 * async function addTask(runId: string) {
 *   const { version } = await teamState(service, runId)
 *   const task = { id: 'prices', description: 'Find the prices.' }
 *   await service.steer(runId, { expectedVersion: version, patches: [{ op: 'add', task }] })
 * }
 * ```
 */
export async function teamState(service: RunReader, runId: string): Promise<TeamState> {
  const events: TeamEvent[] = []
  let end: 'completed' | 'failed' | 'cancelled' | undefined
  for await (const { type, data } of service.entries(runId)) {
    if (data === null) continue
    if (type === 'run-end') end = data.state
    if (type === 'note' && data.name === TEAM_NOTE) events.push((data.value as unknown as { value: TeamEvent }).value)
  }
  const plan = events.find((event) => event.type === 'plan')
  if (plan === undefined) return { phase: end ?? 'planning', version: 0, tasks: [], events }
  const graph = TaskGraph.replay(plan.tasks, events.filter(isTaskEvent))
  return {
    phase: end ?? (graph.isSettled ? 'synthesising' : 'executing'),
    version: graph.version,
    tasks: graph.tasks,
    events,
  }
}

function isTaskEvent(event: TeamEvent): event is { readonly type: 'tasks' } & TaskEvent {
  return event.type === 'tasks'
}
