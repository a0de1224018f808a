import { expect, test } from 'vitest'
import { Agent } from '../agent/index.ts'
import { scripted, textOf } from '../model/index.ts'
import { defineTool } from '../tool/index.ts'
import { agentChatResult, turnResult } from './results.ts'

const add = defineTool({
  name: 'add',
  description: 'Adds two numbers.',
  inputSchema: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } } },
  risk: 'read',
  run: ({ a, b }: { a: number; b: number }) => a + b,
})

function agent(): Agent {
  const model = scripted([
    {
      toolCalls: [
        { name: 'add', input: { a: 1, b: 2 } },
        { name: 'add', input: { a: 2, b: 2 } },
      ],
    },
    'The sums are 3 and 4.',
  ])
  return new Agent({ id: 'sums', model, tools: [add] })
}

test('a turn tells its status, its text, each tool once and what it spent', async () => {
  const result = await agent().run('Add.')
  expect(turnResult(result)).toEqual({
    status: 'completed',
    text: 'The sums are 3 and 4.',
    toolsUsed: ['add'],
    tokenUsage: { inputTokens: result.usage.inputTokens, outputTokens: result.usage.outputTokens },
    phase: 'completed',
  })
})

test('a chat turn has the answer apart from the calls and results on the way to it', async () => {
  const { assistantMessage, intermediateMessages } = agentChatResult(await agent().run('Add.'))
  expect(textOf(assistantMessage!)).toBe('The sums are 3 and 4.')
  expect(intermediateMessages.map(({ role }) => role)).toEqual(['assistant', 'tool'])
})

test('a turn that waits for a person says so', async () => {
  const tool = defineTool({ ...add, name: 'add', needsApproval: true })
  const model = scripted([{ toolCalls: [{ name: 'add', input: { a: 1, b: 2 } }] }])
  const result = await new Agent({ id: 'asks', model, tools: [tool] }).run('Add.')
  expect(turnResult(result)).toMatchObject({ status: 'await_user' })
})
