import type { EffectKind } from '../../journal/index.ts'
import { SPAWN_TOOL } from '../loop/spawn.ts'
import type { AgentSpec } from './config-types.ts'

/** What an agent can call by name besides its tools: the field that grants it, and the kind of effect of the call. */
export const CALLABLE = { agents: 'agent', graphs: 'graph', programs: 'program' } as const

/** Kinds of effects that are calls of a model, of a planner or of a cell by name. */
export const CALLS: ReadonlySet<EffectKind> = new Set(['tool', ...Object.values(CALLABLE)])

export type Callable = Pick<AgentSpec, keyof typeof CALLABLE | 'agentTypes'>

/** Returns the names of the agents, graphs and programs that an agent can call. */
export function callableNames({ agents, graphs, programs, agentTypes }: Callable): readonly string[] {
  return [...agents, ...graphs, ...programs, ...(agentTypes.length === 0 ? [] : [SPAWN_TOOL])]
}
