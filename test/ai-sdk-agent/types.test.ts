import { createAgentUIStreamResponse } from 'ai'
import type { Agent as AiSdkAgent, TextStreamPart, ToolSet } from 'ai'
import { Agent } from 'mandate'
import type { AgentCallOptions, AiSdkStreamPart, AiSdkToolSet } from '../../src/agent/index.ts'
import { scripted } from 'mandate/model'
import { expect, expectTypeOf, test } from 'vitest'

test('the parts of our streams are parts of theirs', () => {
  expectTypeOf<AiSdkStreamPart>().toExtend<TextStreamPart<ToolSet>>()
})

test('our agent is an agent for the AI SDK, without a cast', async () => {
  const agent = new Agent({ model: scripted(['Hi.']) })
  const theirs: AiSdkAgent<AgentCallOptions | undefined, AiSdkToolSet, Record<string, never>> = agent
  const response = await createAgentUIStreamResponse({
    agent,
    uiMessages: [{ id: '1', role: 'user', parts: [{ type: 'text', text: 'Hi' }] }],
  })
  expect(await response.text()).toContain('Hi.')
  expect(theirs.version).toBe('agent-v1')
})
