import type { AgentService } from '../../../agent/index.ts'
import type { Route } from '../route.ts'
import { forkRoute, controlRoutes } from './run-control.ts'
import { listRuns } from './run-list.ts'
import { historyRoutes } from './run-history.ts'
import { limitsSchema, plain, runAccepted, runInfo, runResult, shownResult, shownRun } from './run-schemas.ts'
import { WAITING, answerFor } from './run-wait.ts'
import { anything, flag, list, object, openObject, text, texts } from './schemas.ts'
import { RunStarts } from './start-run.ts'

const PAGE_MAX = 500

const startBody = object({
  agent: text,
  'prompt?': { anyOf: [text, openObject({ role: text, content: list(openObject({ type: text })) })] },
  'sessionId?': text,
  'model?': text,
  'context?': anything,
  'history?': list(openObject({ role: text })),
  'labels?': texts,
  'historyLabels?': texts,
  'budget?': limitsSchema,
  'toolChoice?': text,
})

const listQuery = object({
  'state?': texts,
  'agent?': text,
  'sessionId?': text,
  'parent?': text,
  'waiting?': flag,
  'limit?': { type: 'integer', minimum: 1, maximum: PAGE_MAX },
  'after?': text,
})

/** Routes that return the summary, result and report of a run. */
const lookRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/api/runs/{runId}',
    summary: 'One line about a run.',
    tag: 'runs',
    access: 'identity',
    answer: { status: 200, schema: runInfo },
    handle: async ({ service, params }) => shownRun(await service.summary(params['runId']!)),
  },
  {
    method: 'GET',
    path: '/api/runs/{runId}/result',
    summary: 'What a run came to, or how far it came.',
    tag: 'runs',
    access: 'identity',
    answer: { status: 200, schema: runResult },
    handle: async ({ service, params }) => shownResult(await service.result(params['runId']!)),
  },
  {
    method: 'GET',
    path: '/api/runs/{runId}/report',
    summary: 'How a run went in full: model calls, metrics, provenance.',
    tag: 'runs',
    access: 'identity',
    answer: { status: 200, schema: openObject({ toolsUsed: texts, modelCalls: list(openObject({ id: text })) }) },
    handle: async ({ service, params }) => plain((await service.result(params['runId']!)).report()),
  },
]

const resumeRoute: Route = {
  method: 'POST',
  path: '/api/runs/{runId}/resume',
  summary: 'Goes on with a run that was suspended. A `budget` takes the permission to approve.',
  tag: 'runs',
  access: 'identity',
  permission: 'run-agent',
  query: WAITING,
  body: object({ 'budget?': limitsSchema }),
  answer: { status: 200, schema: runResult, also: { 202: runAccepted } },
  handle: (call) => answerFor(call, call.service.resume(call.params['runId']!, call.body as object)),
}

/** Returns the routes that start, list, read and resume runs. */
export function runRoutes(service: AgentService): readonly Route[] {
  const starts = new RunStarts(service)
  return [
    {
      method: 'POST',
      path: '/api/runs',
      summary: 'Starts a run. With `wait` the answer is its result if there is one in time; otherwise 202 with its id.',
      tag: 'runs',
      access: 'identity',
      permission: 'run-agent',
      query: WAITING,
      body: startBody,
      answer: { status: 201, schema: runResult, also: { 200: runResult, 202: runAccepted } },
      handle: (call) => starts.start(call),
    },
    {
      method: 'GET',
      path: '/api/runs',
      summary: 'The runs that the caller may know of, newest first, page by page.',
      tag: 'runs',
      access: 'identity',
      query: listQuery,
      answer: { status: 200, schema: object({ runs: list(runInfo), 'next?': text }) },
      handle: listRuns,
    },
    ...[...lookRoutes, resumeRoute, ...controlRoutes, forkRoute, ...historyRoutes],
  ]
}
