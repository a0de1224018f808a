import { expect, expectTypeOf, test } from 'vitest'
import type { Json } from '../core/index.ts'
import { type Message, type Part, textOf, toolCallsOf, toolMessage, toolResultsOf, userMessage } from './message.ts'
import type { ModelPart, ModelRequest } from './model.ts'
import type { PriceTable } from './prices/prices.ts'
import type { ModelReply } from './reply.ts'
import type { TranscriptProblem } from './transcript.ts'

test('everything that goes into a journal is assignable to Json without a cast', () => {
  expectTypeOf<Message>().toExtend<Json>()
  expectTypeOf<ModelRequest>().toExtend<Json>()
  expectTypeOf<ModelPart>().toExtend<Json>()
  expectTypeOf<ModelReply>().toExtend<Json>()
  expectTypeOf<PriceTable>().toExtend<Json>()
  expectTypeOf<TranscriptProblem>().toExtend<Json>()
  const reply: ModelReply = {
    message: userMessage('a'),
    finishReason: 'stop',
    usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 },
    warnings: [],
  }
  const asJson: Json = reply
  expect(JSON.parse(JSON.stringify(asJson))).toEqual(reply)
})

test('the text of a message is its text parts in order, without reasoning', () => {
  const content: Part[] = [
    { type: 'text', text: 'one ' },
    { type: 'reasoning', text: 'hidden' },
    { type: 'text', text: 'two' },
  ]
  expect(textOf({ role: 'assistant', content })).toBe('one two')
})

test('the calls of a message are those the host must perform, not those the provider performs itself', () => {
  const message: Message = {
    role: 'assistant',
    content: [
      { type: 'tool-call', toolCallId: 'a', name: 'ours', input: {} },
      { type: 'tool-call', toolCallId: 'b', name: 'theirs', input: {}, providerExecuted: true },
    ],
  }
  expect(toolCallsOf(message).map((call) => call.name)).toEqual(['ours'])
})

test('results are found in the message that tools make', () => {
  const message = toolMessage([{ type: 'tool-result', toolCallId: 'a', name: 't', status: 'ok', value: 1 }])
  expect(toolResultsOf(message).map((result) => result.value)).toEqual([1])
})
