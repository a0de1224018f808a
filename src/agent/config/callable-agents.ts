import { SPAWN_TOOL } from '../loop/spawn.ts'
import type { AgentSpec } from './config-types.ts'

/** The names under which an agent calls others. */
export function callableAgents({ agents, agentTypes }: AgentSpec): readonly string[] {
  return agentTypes.length === 0 ? agents : [...agents, SPAWN_TOOL]
}
