import { jsonSchema, tool } from 'ai-6'
import type { EmbeddingModel, LanguageModel, Tool as AiTool } from 'ai-6'
import { createOpenAI } from 'ai-provider-v3'
import { Agent, defineTool } from 'mandate'
import { type AiSdkEmbeddingModel, fromAiSdk, scripted } from 'mandate/model'
import type { Tool } from 'mandate/tool'
import { expect, expectTypeOf, test } from 'vitest'
import { z } from 'zod'
import type { AiSdkLanguageModel } from '../../src/model/index.ts'
import type { ToolLike } from '../../src/tool/index.ts'

const inputSchema = z.object({ city: z.string().describe('Where to') })

const shapes = {
  zod: tool({ description: 'Goes.', inputSchema, outputSchema: z.string(), execute: async ({ city }) => city }),
  json: tool({
    inputSchema: jsonSchema<{ city: string }>({
      type: 'object',
      properties: { city: { type: 'string', description: 'Where to' } },
      required: ['city'],
    }),
    execute: ({ city }, { toolCallId, messages, abortSignal }) =>
      toolCallId !== '' && Array.isArray(messages) && abortSignal !== undefined ? city : 'no options',
  }),
  steps: tool({
    inputSchema,
    async *execute({ city }) {
      yield 'on the way'
      yield city
    },
  }),
  strict: tool({
    inputSchema,
    strict: true,
    title: 'Go',
    needsApproval: async () => false,
    execute: ({ city }) => city,
  }),
}

test('every shape of a tool of AI SDK 6 type-checks, runs, and its schema reaches the model', async () => {
  expectTypeOf<AiTool>().toExtend<ToolLike>()
  const adder = defineTool(shapes.zod, { name: 'go' })
  expectTypeOf(adder).toEqualTypeOf<Tool<'go', { city: string }, string>>()
  const names = Object.keys(shapes)
  const model = scripted([{ toolCalls: names.map((name) => ({ name, input: { city: 'Oslo' } })) }, 'There.'])
  const result = await new Agent({ model, tools: shapes }).run('Go.')
  const made = Object.fromEntries(result.actions.map(({ toolId, output }) => [toolId, output]))
  expect(made).toEqual(Object.fromEntries(names.map((name) => [name, 'Oslo'])))
  for (const { inputSchema: told } of model.requests[0]!.tools!)
    expect(told).toMatchObject({
      properties: { city: { type: 'string', description: 'Where to' } },
      required: ['city'],
    })
})

test('a tool of AI SDK 6 that asks for an approval waits for it', async () => {
  const asking = tool({ inputSchema, needsApproval: ({ city }) => city === 'Oslo', execute: ({ city }) => city })
  const model = scripted([{ toolCalls: [{ name: 'asking', input: { city: 'Oslo' } }] }, 'There.'])
  expect(await new Agent({ model, tools: { asking } }).run('Go.')).toMatchObject({ suspendReason: 'approval' })
})

test('models of AI SDK 6 are taken as they are', () => {
  type Object<T> = Exclude<T, string>
  expectTypeOf<Object<LanguageModel>>().toExtend<AiSdkLanguageModel>()
  expectTypeOf<Object<EmbeddingModel>>().toExtend<AiSdkEmbeddingModel>()
  const model: Object<LanguageModel> = createOpenAI({ apiKey: 'k' })('gpt-5')
  expect(fromAiSdk(model).id).toBe('openai/gpt-5')
  expect(new Agent({ model }).id).toBeTypeOf('string')
})
