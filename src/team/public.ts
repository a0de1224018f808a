// Exports of `mandate/team`: agents that work together.
export {
  TaskGraph,
  chainTeam,
  handoffTeam,
  plannedTeam,
  routeByChain,
  routeByRole,
  routeBySupervisor,
  routedTeam,
  supervisorTeam,
  teamState,
} from './index.ts'
export type { RoutingStrategy, Task, TaskChange, TaskEvent, TaskPatch, TeamEvent, TeamState } from './index.ts'
