import { expect, test } from 'vitest'
import { fromAiSdk, scripted } from '../../model/index.ts'
import type { ModelRequest } from '../../model/index.ts'
import { defineTool } from '../../tool/index.ts'
import { Agent } from '../agent.ts'

const look = defineTool({ name: 'look', inputSchema: { type: 'object' }, risk: 'read', run: () => 'seen' })
const script = [{ toolCalls: [{ name: 'look', input: {} }] }, 'Done.']

function agent(toolChoice?: string) {
  const model = scripted(script)
  return { model, agent: new Agent({ id: 'a', model, tools: [look], toolChoice }) }
}

const choices = (requests: readonly ModelRequest[]): unknown[] => requests.map(({ toolChoice }) => toolChoice)

test.each<[string | undefined, unknown[]]>([
  [undefined, [undefined, undefined]],
  ['auto', ['auto', 'auto']],
  ['required', ['required', 'auto']],
  ['look', [{ tool: 'look' }, 'auto']],
])('an agent with the choice %s tells its model: a call is demanded once', async (choice, told) => {
  const made = agent(choice)
  expect(await made.agent.run('Go.')).toMatchObject({ status: 'completed' })
  expect(choices(made.model.requests)).toEqual(told)
})

test('`none` is sent in every turn, and a call that comes nevertheless is refused', async () => {
  const made = agent('none')
  const { messages, actions } = await made.agent.run('Go.')
  expect(choices(made.model.requests)).toEqual(['none', 'none'])
  expect(actions).toMatchObject([{ toolId: 'look', performed: false }])
  expect(messages[1]).toMatchObject({
    content: [{ status: 'error', value: expect.stringContaining('`toolChoice` is "none"') }],
  })
})

test('a run may override it, and records the original choice', async () => {
  const model = scripted(script)
  const made = new Agent({ id: 'a', model, tools: [look], toolChoice: 'none', instructions: 'Be brief.' })
  const { id } = await made.run('Go.', { toolChoice: 'look', instructions: 'Be kind.' })
  expect(choices(model.requests)).toEqual([{ tool: 'look' }, 'auto'])
  expect(model.requests[0]!.messages[0]).toMatchObject({ role: 'system', content: [{ text: 'Be kind.\n\nBe brief.' }] })
  expect(await made.service.replay(id)).toMatchObject({ identical: true })
})

test('a choice that the agent does not have is refused, with the nearest', async () => {
  expect(() => agent('lok')).toThrow('Did you mean "look"?')
  await expect(agent().agent.run('Go.', { toolChoice: 'nothing like it' })).rejects.toMatchObject({
    code: 'INPUT_INVALID',
  })
})

test('a model of the AI SDK gets it', async () => {
  const asked: unknown[] = []
  const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } }
  const doStream = async (options: { toolChoice?: unknown }) => {
    asked.push(options.toolChoice)
    const parts = [{ type: 'finish', finishReason: { unified: 'stop' }, usage }]
    const start = (controller: ReadableStreamDefaultController): void => {
      for (const part of parts) controller.enqueue(part)
      controller.close()
    }
    return { stream: new ReadableStream({ start }) }
  }
  const model = fromAiSdk({
    specificationVersion: 'v3',
    provider: 'p',
    modelId: 'm',
    supportedUrls: {},
    doStream,
  } as never)
  for (const toolChoice of ['look', 'none', 'required', 'auto'])
    await new Agent({ id: 'a', model, tools: [look] }).run('Go.', { toolChoice })
  expect(asked).toEqual([{ type: 'tool', toolName: 'look' }, { type: 'none' }, { type: 'required' }, { type: 'auto' }])
})
