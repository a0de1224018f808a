// The same run once more, up to the point where a tool gave something else. What came before is shared, not paid for again.
import { Agent, defineTool } from 'mandate'
import { scripted, toolResultsOf } from 'mandate/model'

const weather = defineTool({
  name: 'weather',
  description: 'Tells the weather.',
  inputSchema: { type: 'object' },
  risk: 'read',
  run: () => 'rain',
})

const agent = new Agent({
  id: 'dresser',
  model: scripted([
    { toolCalls: [{ name: 'weather', input: {} }] },
    (request) => (toolResultsOf(request.messages.at(-1)!)[0]?.value === 'rain' ? 'Take an umbrella.' : 'Take a hat.'),
  ]),
  tools: [weather],
})

const first = await agent.run('What shall I take with me?')
const fork = await agent.service.fork(first.id, { edit: { key: 'turn:1/tool:1', value: 'sunshine' } })
const second = await agent.resume(fork)
console.log(first.text, second.text, second.usage.totalTokens, 'tokens in the fork, shared ones included')
console.log(await agent.service.replay(fork))
await agent.stop()
