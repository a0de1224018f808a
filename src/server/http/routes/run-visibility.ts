import { MandateError } from '../../../core/index.ts'
import type { Json } from '../../../core/index.ts'
import type { Call, Route } from '../route.ts'

/**
 * A route about one run (`{runId}`), for callers who may know of it: to others it is not there, whatever it would have said to them. Those who may see it
 * and may not do this with it are told so.
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

/** Also of ids that no run can have: they are not there either. */
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
