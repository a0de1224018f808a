import { createAgentUIStreamResponse } from 'ai'
import type { Agent as AiSdkAgent, TextStreamPart, ToolSet } from 'ai'
import { Agent } from 'mandate'
import type { AiSdkStreamPart } from 'mandate'
import { scripted } from 'mandate/model'
import { expect, expectTypeOf, test } from 'vitest'

test('the parts of our streams are parts of theirs', () => {
  expectTypeOf<AiSdkStreamPart>().toExtend<TextStreamPart<ToolSet>>()
})

test('our agent is an agent for the AI SDK, without a cast', async () => {
  expectTypeOf<Agent>().toExtend<AiSdkAgent<never, ToolSet>>()
  const agent = new Agent({ model: scripted(['Hi.']) })
  const response = await createAgentUIStreamResponse({
    agent,
    uiMessages: [{ id: '1', role: 'user', parts: [{ type: 'text', text: 'Hi' }] }],
  })
  expect(await response.text()).toContain('Hi.')
})
