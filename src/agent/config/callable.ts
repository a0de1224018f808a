import type { EffectKind } from '../../journal/index.ts'
import { SPAWN_TOOL } from '../loop/spawn.ts'
import type { AgentSpec } from './config-types.ts'

/** What an agent calls by name beside its tools: the field that grants it, and the kind of effect that a call is. */
export const CALLABLE = { agents: 'agent', graphs: 'graph', programs: 'program' } as const

/** Kinds of effects that are calls of a model, of a planner or of a cell by name. */
export const CALLS: ReadonlySet<EffectKind> = new Set(['tool', ...Object.values(CALLABLE)])

export type Callable = Pick<AgentSpec, keyof typeof CALLABLE | 'agentTypes'>

/** The names under which an agent calls what is no tool of its own: other agents, graphs and programs. */
export function callableNames({ agents, graphs, programs, agentTypes }: Callable): readonly string[] {
  return [...agents, ...graphs, ...programs, ...(agentTypes.length === 0 ? [] : [SPAWN_TOOL])]
}
