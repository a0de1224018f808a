import { MandateError } from '../../../core/index.ts'
import type { Json } from '../../../core/index.ts'
import type { Call, Route } from '../route.ts'

/**
 * Wraps a route about one run (`{runId}`). For a caller who may not see the run, every refusal becomes the error for a run that does not exist. A caller who
 * may see the run gets the actual refusal.
 */
export function aboutRun(route: Route): Route {
  if (!route.path.includes('{runId}')) return route
  return { ...route, handle: (call) => seen(call, () => route.handle(call)) }
}

async function seen(call: Call, work: () => Promise<Response | Json>): Promise<Response | Json> {
  try {
    return await work()
  } catch (error) {
    const runId = call.params['runId']!
    if (!isRefusal(error) || (await isKnown(call, runId))) throw error
    throw new MandateError('NOT_FOUND', `There is no run ${JSON.stringify(runId)}. List the runs to see what there is.`)
  }
}

/** Includes ids that no run can have, which are reported as not found as well. */
function isRefusal(error: unknown): boolean {
  return MandateError.isInstance(error) && (error.code === 'DENIED' || error.code === 'ID_INVALID')
}

async function isKnown({ service }: Call, runId: string): Promise<boolean> {
  try {
    await service.summary(runId)
    return true
  } catch {
    return false
  }
}
