import { createAgentUIStreamResponse, tool as aiTool } from 'ai'
import type { Agent as AiSdkAgent, InferAgentUIMessage, TextStreamPart, ToolSet } from 'ai'
import { Agent, defineTool } from 'mandate'
import type { AgentCallOptions, AiSdkToolSet } from '../../src/agent/ai-sdk/agent-shapes.ts'
import type { AiSdkStreamPart } from '../../src/agent/ai-sdk/part-shapes.ts'
import { scripted } from 'mandate/model'
import { expect, expectTypeOf, test } from 'vitest'
import { z } from 'zod'

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

const city = z.object({ city: z.string() })
const typed = new Agent({
  model: scripted(['Hi.']),
  output: z.object({ answer: z.string() }),
  tools: {
    weather: aiTool({ inputSchema: city, execute: async () => ({ degrees: 21 }) }),
    locate: aiTool({ inputSchema: city, outputSchema: z.object({ street: z.string() }) }),
    confirm: aiTool({ inputSchema: city }),
    ping: defineTool({ name: 'ping', inputSchema: { type: 'object', properties: {} }, run: () => 'pong' }),
  },
})

test('the messages of `useChat` know the tools of our agent, with their inputs and outputs', async () => {
  type Part = InferAgentUIMessage<typeof typed>['parts'][number]
  type Weather = Extract<Part, { type: 'tool-weather' }>
  expectTypeOf<Extract<Weather, { state: 'input-available' }>['input']>().toEqualTypeOf<{ city: string }>()
  expectTypeOf<Extract<Weather, { state: 'output-available' }>['output']>().toEqualTypeOf<{ degrees: number }>()
  type Ping = Extract<Part, { type: 'tool-ping'; state: 'output-available' }>
  expectTypeOf<Ping['output']>().toEqualTypeOf<string>()
  expectTypeOf<Extract<Part, { type: 'tool-pong' }>>().toBeNever()
  type Locate = Extract<Part, { type: 'tool-locate'; state: 'output-available' }>
  expectTypeOf<Locate['input']>().toEqualTypeOf<{ city: string }>()
  expectTypeOf<Locate['output']>().toEqualTypeOf<{ street: string }>()
  type Confirm = Extract<Part, { type: 'tool-confirm'; state: 'output-available' }>
  expectTypeOf<Confirm['output']>().toEqualTypeOf<unknown>()
  const response = await createAgentUIStreamResponse({
    agent: typed,
    uiMessages: [{ id: '1', role: 'user', parts: [{ type: 'text', text: 'Hi' }] }],
  })
  expect(await response.text()).toContain('Hi.')
})

test('the calls and results of `generate` are told apart by the names of the tools', async () => {
  const { toolCalls, toolResults } = await new Agent({ model: scripted(['Hi.']) }).generate({ prompt: 'Hi' })
  expect([toolCalls, toolResults]).toEqual([[], []])
  type Generated = Awaited<ReturnType<typeof typed.generate>>
  type Call = Extract<Generated['toolCalls'][number], { toolName: 'weather'; dynamic?: false }>
  expectTypeOf<Call['input']>().toEqualTypeOf<{ city: string }>()
  type Result = Extract<Generated['toolResults'][number], { toolName: 'weather'; dynamic?: false }>
  expectTypeOf<Result['output']>().toEqualTypeOf<{ degrees: number }>()
  expectTypeOf<Generated['result']['result']>().toEqualTypeOf<{ answer: string } | null>()
})
