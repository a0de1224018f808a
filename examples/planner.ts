// An agent needs no model: a planner decides, an executor acts, a reflector judges. What they decided is journaled, so they need not be deterministic.
import { Agent, planSteps } from 'mandate'
import { kv } from 'mandate/connect'

const agent = new Agent({
  id: 'housekeeper',
  tools: [...kv()],
  planner: planSteps(
    { type: 'tool', toolId: 'kv_set', input: { key: 'lamp', value: 'on' } },
    [
      { type: 'internal', message: 'The lamp should be on now; better look.' },
      { type: 'tool', toolId: 'kv_get', input: { key: 'lamp' } },
    ],
    { type: 'finish', message: 'The lamp is on.' },
  ),
  reflector: {
    reflect: ({ turn, lastActions }) =>
      lastActions.some(({ ok }) => !ok) ? { done: true, result: `failed in turn ${turn}` } : undefined,
  },
})

const result = await agent.run('Switch the lamp on.')
console.log(
  result.status,
  result.text,
  result.actions.map(({ toolId, output }) => `${toolId}: ${JSON.stringify(output)}`),
)
await agent.stop()
