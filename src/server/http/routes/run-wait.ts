import type { AgentResult, AgentRun } from '../../../agent/index.ts'
import { onAbort, systemClock } from '../../../core/index.ts'
import type { Json } from '../../../core/index.ts'
import type { ServerLimits } from '../options.ts'
import type { Call, JsonSchema, Route } from '../route.ts'
import { shownResult } from './run-schemas.ts'
import { object } from './schemas.ts'

/** The parameter that keeps a client waiting for a result. How long it may be is a limit of the server, which also holds for the routes of other parts. */
export const WAITING: JsonSchema = waitOf()

function waitOf(bounds: JsonSchema = {}): JsonSchema {
  return object({ 'wait?': { type: 'number', minimum: 0, ...bounds } })
}

export function waitingAtMost(route: Route, { waitSeconds }: ServerLimits): Route {
  return route.query === WAITING ? { ...route, query: waitOf({ maximum: waitSeconds }) } : route
}

/** The answer about a run that a call drives: what it came to within `?wait` seconds, or 202 with where to find it. */
export async function answerFor(call: Call, run: AgentRun<Json>, status = 200): Promise<Response> {
  call.drives(run)
  await begun(run)
  const seconds = Number(call.query['wait'] ?? 0)
  const result = seconds === 0 ? undefined : await resultWithin(call, run, seconds * 1_000)
  const headers = { location: `/api/runs/${encodeURIComponent(run.id)}` }
  if (result !== undefined) return Response.json(shownResult(result), { status, headers })
  const { sessionId, state } = await call.service.summary(run.id)
  return Response.json({ id: run.id, sessionId, state }, { status: 202, headers })
}

/** Waits until the run stands in the journal; one that could not begin throws why. */
async function begun(run: AgentRun<Json>): Promise<void> {
  const { done } = await run[Symbol.asyncIterator]().next()
  // Over without an event: it was refused, or was over before. Its result says which.
  if (done === true) await run
}

/** The result if it comes in time, while the client is there and the server open. The run goes on otherwise. */
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
