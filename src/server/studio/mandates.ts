import type { Call, Route } from '../http/route.ts'
import { plain } from '../http/routes/run-schemas.ts'

/**
 * `GET /api/studio/mandates`: returns the mandate of each agent that the caller may run: its rules, budgets and lists, in addition to the mandate of the
 * host.
 */
export const mandatesRoute: Route = {
  method: 'GET',
  path: '/api/studio/mandates',
  summary: 'The mandates of the agents that the caller may run.',
  tag: 'policy',
  access: 'identity',
  permission: ['change-policy', 'read-journal'],
  answer: {
    status: 200,
    schema: {
      type: 'object',
      properties: {
        agents: {
          type: 'array',
          items: { type: 'object', properties: { id: { type: 'string' }, mandate: { type: 'object' } } },
        },
      },
      required: ['agents'],
    },
  },
  handle: async ({ service }: Call) => ({
    agents: service.agents().map(({ id, mandate }) => ({ id, mandate: plain(mandate) })),
  }),
}
