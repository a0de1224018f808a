import { Agent, defineTool } from 'mandate'
import { scripted } from 'mandate/model'

/** The least that is still an agent: a model, a tool, a task. Its size and its declarations are what every user pays. */
const add = defineTool({
  name: 'add',
  description: 'Adds two numbers.',
  inputSchema: {
    type: 'object',
    properties: { a: { type: 'number' }, b: { type: 'number' } },
    required: ['a', 'b'],
  },
  risk: 'read',
  run: ({ a, b }: { a: number; b: number }) => ({ sum: a + b }),
})
const model = scripted([{ toolCalls: [{ name: 'add', input: { a: 1, b: 2 } }] }, 'It is 3.'])
const agent = new Agent({ id: 'adder', model, tools: [add] })
const { status, text } = await agent.run('What is 1 + 2?')
await agent.stop()
console.log(JSON.stringify({ status, text }))
