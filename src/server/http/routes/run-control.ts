import type { Json } from '../../../core/index.ts'
import type { ForkOptions } from '../../../run/index.ts'
import type { Route } from '../route.ts'
import { limitsSchema } from './run-schemas.ts'
import { anything, count, object, text, texts } from './schemas.ts'

const done = object({ id: text })

/** Routes that cancel or steer a run. */
export const controlRoutes: readonly Route[] = [
  {
    method: 'POST',
    path: '/api/runs/{runId}/cancel',
    summary: 'Ends a run, wherever it is. One that is over stays as it is.',
    tag: 'runs',
    access: 'identity',
    body: object({ 'reason?': text }),
    answer: { status: 202, schema: done },
    async handle({ service, params, body }) {
      await service.cancel(params['runId']!, (body as { readonly reason?: string }).reason)
      return { id: params['runId']! }
    },
  },
  {
    method: 'POST',
    path: '/api/runs/{runId}/steer',
    summary:
      'Sends a message to a run; its agent reads it at its next turn, and once where it is sent again under the same `id`.',
    tag: 'runs',
    access: 'identity',
    body: object({ message: anything, 'id?': text }),
    answer: { status: 202, schema: done },
    async handle({ service, params, body }) {
      const { message, ...options } = body as { readonly message: Json; readonly id?: string }
      await service.steer(params['runId']!, message, options)
      return { id: params['runId']! }
    },
  },
]

export const forkRoute: Route = {
  method: 'POST',
  path: '/api/runs/{runId}/fork',
  summary:
    'Makes a run that shares the beginning of another, in the name of the caller. It is not driven yet: resume it.',
  tag: 'runs',
  access: 'identity',
  permission: 'run-agent',
  body: object({
    'at?': count,
    'edit?': { anyOf: [object({ input: anything }), object({ key: text, value: anything })] },
    'budget?': limitsSchema,
    'without?': texts,
    'message?': anything,
  }),
  answer: { status: 201, schema: done },
  async handle({ service, params, body }) {
    const id = await service.fork(params['runId']!, body as unknown as Omit<ForkOptions, 'identity'>)
    return Response.json({ id }, { status: 201, headers: { location: `/api/runs/${encodeURIComponent(id)}` } })
  },
}
