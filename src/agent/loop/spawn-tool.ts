import type { Loop } from './loop.ts'
import type { PlanStep } from '../config/strategies.ts'

/** The tool by which an agent starts another one of a type it may choose. */
export const SPAWN_TOOL = 'spawn_agent'

/** Whether a step is a spawn; an agent without types has no such tool, and may have one of its own by that name. */
export function isSpawn({ pins: { spawns = [] } }: Loop, { toolId }: PlanStep): boolean {
  return toolId === SPAWN_TOOL && spawns.length > 0
}
