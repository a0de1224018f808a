// An agent with a tool on a model of Anthropic, made by the AI SDK's own provider. Needs the package `@ai-sdk/anthropic`.
//
//   ANTHROPIC_API_KEY=sk-ant-… node --conditions=mandate-source examples/anthropic.ts
//
// Without a key it speaks to a server on this machine that pretends to be the provider.
import { createAnthropic } from '@ai-sdk/anthropic'
import { Agent, defineTool } from 'mandate'
import { fromAiSdk } from 'mandate/model'
import { pretendProvider } from './pretended/provider.ts'

const apiKey = process.env['ANTHROPIC_API_KEY']
if (!apiKey) console.log('ANTHROPIC_API_KEY is not set: speaking to a pretended provider.')
const anthropic = createAnthropic(apiKey ? { apiKey } : { apiKey: 'none', baseURL: await pretendProvider() })

const model = fromAiSdk(anthropic('claude-haiku-4-5'), {
  // Whatever the provider understands goes with every call.
  settings: { providerOptions: { anthropic: { sendReasoning: true } } },
})

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

const result = await agent.run('How warm is it in Oslo?')
// A run that fails has no text, but an error.
console.log(result.error?.message ?? result.text)
for (const call of result.report().modelCalls)
  console.log(`${call.model}: ${call.finishReason}, ${call.tokenUsage.totalTokens} tokens`)
console.log(`${result.status}, $${result.cost}`)
await agent.stop()
process.exitCode = result.status === 'completed' ? 0 : 1
