import type { AgentService } from '../../../agent/index.ts'
import type { Part } from '../route.ts'
import { livePart } from '../../faces/live-part.ts'
import { metricsPart } from '../../metrics/metrics-part.ts'
import { agentRoutes } from './agents.ts'
import { approvalRoutes } from './approvals.ts'
import { cellRoutes } from './cells/cells.ts'
import { evalRoutes } from '../../metrics/eval-routes.ts'
import { graphReviewRoutes } from './graph-reviews.ts'
import { graphRoutes } from './graphs.ts'
import { policyRoutes } from './policy.ts'
import { promptRoutes } from './prompts.ts'
import { runRoutes } from './runs.ts'
import { scheduleRoutes } from './schedules.ts'
import { systemRoutes } from './system.ts'

/** Returns the parts that every server has. */
export function standardParts(service: AgentService, given: readonly Part[]): readonly Part[] {
  return [
    { routes: [...systemRoutes(service), ...agentRoutes, ...runRoutes(service)] },
    { routes: [...approvalRoutes, ...promptRoutes, ...policyRoutes, ...scheduleRoutes, ...evalRoutes] },
    { routes: [...graphRoutes(service), ...graphReviewRoutes(service), ...cellRoutes(service)] },
    livePart(service),
    metricsPart(service, given),
  ]
}
