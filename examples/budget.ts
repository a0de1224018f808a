// A budget is reserved before each call, for the run and everything below it. What would pass a limit is not made.
import { AgentService, defineTool } from 'mandate'
import { scripted } from 'mandate/model'

const look = defineTool({
  name: 'look',
  description: 'Looks something up.',
  inputSchema: { type: 'object' },
  risk: 'read',
  run: () => 'nothing new',
})

const service = new AgentService({
  agents: [
    {
      id: 'curious',
      // It would go on for ever.
      model: scripted((_request, { position }) => ({
        text: `Look ${position}.`,
        toolCalls: [{ name: 'look', input: { position } }],
      })),
      tools: [look],
      budget: { toolCalls: 3 },
    },
    {
      id: 'priceless',
      model: scripted(['This would cost who knows what.'], { name: 'unknown' }),
      budget: { money: 1 },
    },
  ],
  // No price is known here, and an unknown price is not taken for nothing.
  prices: { date: '2026-11-15', currency: 'USD', models: {} },
})

for (const agent of ['curious', 'priceless']) {
  const { status, error, actions } = await service.run(agent, 'Go.')
  console.log(agent, status, `${actions.length} calls`, error?.code, error?.message)
}
await service.stop()
