import type { AgentService } from '../../../agent/index.ts'
import type { ServerLimits } from '../options.ts'
import type { Part } from '../route.ts'
import { livePart } from '../../faces/live-part.ts'
import { agentRoutes } from './agents.ts'
import { runRoutes } from './runs.ts'
import { systemRoutes } from './system.ts'

/** What every server has. */
export function standardParts(service: AgentService, limits: ServerLimits): readonly Part[] {
  return [{ routes: [...systemRoutes(service), ...agentRoutes, ...runRoutes(limits)] }, livePart(service)]
}
