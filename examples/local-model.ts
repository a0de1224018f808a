// An agent with a tool on a model on your own machine: Ollama, LM Studio, vLLM, llama.cpp, or anything that speaks the chat API of
// OpenAI. Needs the package `@ai-sdk/openai-compatible`.
//
//   OLLAMA_HOST=127.0.0.1:11434 node --conditions=mandate-source examples/local-model.ts ollama/llama3.2
//   OPENAI_COMPATIBLE_BASE_URL=http://127.0.0.1:8080/v1 node … examples/local-model.ts openai-compatible/my-model
//
// Without a model it speaks to a server on this machine that pretends to be one.
import { Agent, defineTool } from 'mandate'
import { DEFAULT_PRICES, resolveModel, withPrices } from 'mandate/model'
import { pretendProvider } from './pretended/provider.ts'

const id = process.argv[2]
if (id === undefined) console.log('No model was named: speaking to a pretended one.')
const env = id === undefined ? { OPENAI_COMPATIBLE_BASE_URL: await pretendProvider() } : process.env
const model = await resolveModel(id ?? 'openai-compatible/pretended', { load: (name) => import(name), env })

const weather = defineTool({
  name: 'weather',
  description: 'Tells how warm it is in a city.',
  inputSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  risk: 'read',
  run: ({ city }: { city: string }) => ({ city, degrees: 21 }),
})

const agent = new Agent(
  { id: 'meteorologist', model, tools: [weather], budget: { money: 0, modelCalls: 5 } },
  {
    // A price that is not known fails closed under a limit on money. This one is known: nothing.
    prices: withPrices(DEFAULT_PRICES, '2026-11-15', { [model.id]: { inputPerMillion: 0, outputPerMillion: 0 } }),
    // Small machines take their time.
    limits: { modelTimeoutMs: 10 * 60_000 },
  },
)

const { status, text, error } = await agent.run('How warm is it in Oslo? Answer in one short sentence.')
console.log(error === undefined ? text : error.message)
console.log(status)
await agent.stop()
process.exitCode = status === 'completed' ? 0 : 1
