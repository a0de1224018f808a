// An agent with a tool on a model of OpenAI, named by its id. Needs the package `@ai-sdk/openai`.
//
//   OPENAI_API_KEY=sk-… node --conditions=mandate-source examples/openai.ts
//
// Without a key it speaks to a server on this machine that pretends to be the provider.
import { Agent, defineTool } from 'mandate'
import { resolveModel } from 'mandate/model'
import { pretendProvider } from './pretended/provider.ts'

const hasKey = Boolean(process.env['OPENAI_API_KEY'])
const env = hasKey ? process.env : { OPENAI_API_KEY: 'none', OPENAI_BASE_URL: await pretendProvider() }
if (!hasKey) console.log('OPENAI_API_KEY is not set: speaking to a pretended provider.')

// `load` is written here, because packages are looked for from the file that imports them.
const model = await resolveModel('openai/gpt-5-mini', { load: (name) => import(name), env })

const weather = defineTool({
  name: 'weather',
  description: 'Tells how warm it is in a city.',
  inputSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  risk: 'read',
  run: ({ city }: { city: string }) => ({ city, degrees: 21 }),
})

const agent = new Agent({
  id: 'meteorologist',
  model,
  tools: [weather],
  instructions: 'Answer in one short sentence.',
  budget: { money: 0.05, modelCalls: 5 },
})

const run = agent.run('How warm is it in Oslo?')
for await (const text of run.textStream) process.stdout.write(text)

const { status, actions, usage, cost } = await run
const tools = actions.map(({ toolId }) => toolId)
console.log(`\n${status}, tools: ${tools.join(', ')}, ${usage.totalTokens} tokens, $${cost}`)
await agent.stop()
process.exitCode = status === 'completed' ? 0 : 1
