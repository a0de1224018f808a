import { tool as langChain } from '@langchain/core/tools'
import { createTool } from '@mastra/core/tools'
import { jsonSchema, tool, zodSchema } from 'ai'
import { toolsFrom } from 'mandate/tool'
import { z } from 'zod'

const schema = z.object({ city: z.string().describe('Where to'), odd: z.coerce.date() })
const plain = { type: 'object', properties: { city: { type: 'string', description: 'Where to' } }, required: ['city'] }
const safe = z.object({ city: z.string().describe('Where to') })

const tools = toolsFrom({
  sdk: tool({ inputSchema: schema, execute: async ({ city }) => city }),
  sdkJson: tool({ inputSchema: jsonSchema(plain), execute: async ({ city }) => city }),
  sdkZod: tool({ inputSchema: zodSchema(safe), outputSchema: zodSchema(safe), execute: async (input) => input }),
  langChain: langChain(async ({ city }) => city, { name: 'langChain', description: 'Goes.', schema }),
  mastra: createTool({ id: 'mastra', description: 'Goes.', inputSchema: schema, execute: async ({ city }) => city }),
})

const context = { signal: new AbortController().signal }
const told = {}
for (const one of tools) {
  const { value } = await one.validate({ city: 'Oslo', odd: '2026-01-02T00:00:00.000Z' })
  told[one.name] = [one.inputSchema, await one.run(value, context)]
}
process.stdout.write(JSON.stringify(told))
