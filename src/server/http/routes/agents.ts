import type { AgentSpec } from '../../../agent/index.ts'
import { MandateError } from '../../../core/index.ts'
import type { Json } from '../../../core/index.ts'
import type { Route } from '../route.ts'
import { count, list, object, text, texts } from './schemas.ts'

const agent = object({
  id: text,
  name: text,
  description: text,
  models: texts,
  tools: list(object({ name: text, description: text, risk: text })),
  agents: texts,
  maxTurns: count,
})

function shown({ id, name, description, models, tools, agents, maxTurns }: AgentSpec): Json {
  return {
    id,
    name,
    description,
    models: models.map((model) => model.id),
    tools: tools.map((tool) => ({ name: tool.name, description: tool.description ?? '', risk: tool.risk ?? '' })),
    agents,
    maxTurns,
  }
}

export const agentRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/api/agents',
    summary: 'The agents that the caller may run.',
    tag: 'agents',
    access: 'identity',
    answer: { status: 200, schema: object({ agents: list(agent) }) },
    handle: async ({ service }) => ({ agents: service.agents().map(shown) }),
  },
  {
    method: 'GET',
    path: '/api/agents/{agentId}',
    summary: 'One agent.',
    tag: 'agents',
    access: 'identity',
    answer: { status: 200, schema: agent },
    async handle({ service, params }) {
      const found = service.agents().find(({ id }) => id === params['agentId'])
      if (found === undefined)
        throw new MandateError('NOT_FOUND', `There is no agent "${params['agentId']}" that you may run.`)
      return shown(found)
    },
  },
]
