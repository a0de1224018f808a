import type { Route } from '../http/route.ts'
import { plain } from '../http/routes/run-schemas.ts'
import { count, flag, list, object, openObject, text } from '../http/routes/schemas.ts'

const number = { type: 'number' } as const
const rate = {
  passed: count,
  attempts: count,
  rate: number,
  low: number,
  high: number,
  score: number,
  figures: openObject({}),
}
const base = {
  id: text,
  name: text,
  agent: text,
  startedAt: text,
  finishedAt: text,
  ok: flag,
  replayed: flag,
  left: count,
  total: object(rate),
}
const summary = object({ ...base, regressions: { anyOf: [count, { type: 'null' }] } })
const report = object({
  ...base,
  tasks: list(object({ task: text, tags: list(text), ...rate })),
  attempts: list(openObject({ task: text, attempt: count, run: text, status: text, passed: flag })),
  'judge?': openObject({}),
  'comparison?': openObject({}),
})

/** Routes for the reports of evals, which are stored as runs, as far as the caller may read them. */
export const evalRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/api/evals',
    summary: 'The evals whose reports are kept here, newest first.',
    tag: 'evals',
    access: 'identity',
    permission: 'read-journal',
    query: object({ 'limit?': { type: 'integer', minimum: 1, maximum: 500 } }),
    answer: { status: 200, schema: object({ evals: list(summary) }) },
    async handle({ service, query }) {
      const { listEvals } = await import('../../evals/index.ts')
      return plain({ evals: await listEvals(service, query) })
    },
  },
  {
    method: 'GET',
    path: '/api/evals/{evalId}',
    summary: 'The report of an eval: tasks, attempts with their checks, and how it differs from its baseline.',
    tag: 'evals',
    access: 'identity',
    permission: 'read-journal',
    answer: { status: 200, schema: report },
    async handle({ service, params }) {
      const { readEval } = await import('../../evals/index.ts')
      return plain(await readEval(service, params['evalId']!))
    },
  },
]
