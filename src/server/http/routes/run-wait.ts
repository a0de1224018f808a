import { hasBegun } from '../../../agent/index.ts'
import type { AgentResult, AgentRun } from '../../../agent/index.ts'
import { onAbort, systemClock } from '../../../core/index.ts'
import type { Json } from '../../../core/index.ts'
import type { ServerLimits } from '../options.ts'
import type { Call, JsonSchema, Route } from '../route.ts'
import { shownResult } from './run-schemas.ts'
import { object } from './schemas.ts'

/** The query schema of routes that wait for a result. `waitingAtMost` adds the limit of the server, also to routes of other parts. */
export const WAITING: JsonSchema = waitOf()

function waitOf(bounds: JsonSchema = {}): JsonSchema {
  return object({ 'wait?': { type: 'number', minimum: 0, ...bounds } })
}

export function waitingAtMost(route: Route, { waitSeconds }: ServerLimits): Route {
  return route.query === WAITING ? { ...route, query: waitOf({ maximum: waitSeconds }) } : route
}

/** Answers a request that drives a run: with its result if it arrives within `?wait` seconds, otherwise with 202 and the location of the run. */
export async function answerFor(call: Call, run: AgentRun<Json>, status = 200): Promise<Response> {
  call.drives(run)
  // Every answer that comes before the end of a run waits for this: it is proof that the run goes on.
  await hasBegun(run)
  const seconds = Number(call.query['wait'] ?? 0)
  const result = seconds === 0 ? undefined : await resultWithin(call, run, seconds * 1_000)
  const headers = { location: `/api/runs/${encodeURIComponent(run.id)}` }
  if (result !== undefined) return Response.json(shownResult(result), { status, headers })
  const { sessionId, state } = await call.service.summary(run.id)
  return Response.json({ id: run.id, sessionId, state }, { status: 202, headers })
}

/** Returns the result if it arrives in time, while the client is connected and the server is open. Otherwise the run continues without the request. */
async function resultWithin(
  { signal, closing }: Call,
  run: AgentRun<Json>,
  ms: number,
): Promise<AgentResult<Json> | undefined> {
  const { promise: late, resolve } = Promise.withResolvers<undefined>()
  const end = (): void => resolve(undefined)
  const ends = [systemClock.timer(ms, end), onAbort(signal, end), onAbort(closing, end)]
  try {
    return await Promise.race([run.then((result) => result), late])
  } finally {
    for (const stop of ends) stop()
  }
}
