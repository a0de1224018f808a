import { createTool } from '@mastra/core/tools'
import { Agent, defineTool } from 'mandate'
import { scripted } from 'mandate/model'
import type { Tool } from 'mandate/tool'
import { expect, expectTypeOf, test } from 'vitest'
import { z } from 'zod'

const weather = createTool({
  id: 'weather',
  description: 'The weather of a city.',
  inputSchema: z.object({ city: z.string().describe('Where to'), days: z.number().int().default(1) }),
  outputSchema: z.object({ text: z.string() }),
  execute: async ({ city, days }) => ({ text: `${city}: sun for ${days} days` }),
})

test('a tool of Mastra has the types of its schemas', () => {
  const tool = defineTool(weather)
  expectTypeOf(tool).toEqualTypeOf<Tool<'weather', { city: string; days: number }, { text: string }>>()
  expect(tool).toMatchObject({ name: 'weather', description: 'The weather of a city.' })
})

test('a tool of Mastra runs in an agent as it is, and the model is told its schema', async () => {
  const call = { toolCalls: [{ name: 'weather', input: { city: 'Oslo' } }] }
  const model = scripted([call, 'Sun.'])
  const agent = new Agent({ model, tools: [weather] })
  const result = await agent.run('How is the weather?')
  expect(result.text).toBe('Sun.')
  expect(result.actions).toMatchObject([{ toolId: 'weather', output: { text: 'Oslo: sun for 1 days' } }])
  const told = model.requests[0]!.tools![0]!
  expect(told).toMatchObject({
    name: 'weather',
    inputSchema: {
      type: 'object',
      properties: { city: { type: 'string', description: 'Where to' } },
      required: ['city'],
    },
  })
})
