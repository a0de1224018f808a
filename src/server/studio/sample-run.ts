import { scripted } from '../../model/index.ts'
import { defineTool } from '../../tool/index.ts'
import type { Call, Route } from '../http/route.ts'

const AGENT = 'sample'

/**
 * `POST /api/studio/sample`: starts a run of an agent with scripted answers. The run makes no external calls and costs nothing, and contains everything that
 * a run has: model calls, a tool, decisions of the gate.
 */
export const sampleRunRoute: Route = {
  method: 'POST',
  path: '/api/studio/sample',
  summary: 'Starts a sample run: a scripted model, no key, no cost.',
  tag: 'studio',
  access: 'identity',
  permission: 'create-agent',
  answer: { status: 201, schema: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] } },
  async handle({ service }: Call): Promise<Response> {
    if (!service.agents().some(({ id }) => id === AGENT)) registerSample(service)
    const { id } = await service.run(AGENT, 'Which tea pot pours best, and what does it cost?')
    return Response.json({ id }, { status: 201 })
  },
}

function registerSample(service: Call['service']): void {
  const prices = defineTool({
    name: 'look_up_price',
    description: 'Looks up what a tea pot costs.',
    risk: 'read',
    run: () => ({ pot: 'Brown Betty', price: 29, currency: 'USD' }),
  })
  service.register({
    id: AGENT,
    description: 'Answers from a script: no key, no cost.',
    tools: [prices],
    model: scripted(
      [
        {
          text: 'I look up the price first.',
          toolCalls: [{ name: 'look_up_price', input: { pot: 'Brown Betty' } }],
        },
        'The **Brown Betty** pours best. It costs $29.',
      ],
      { name: AGENT },
    ),
  })
}
