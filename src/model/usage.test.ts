import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { estimateRequest, estimateTokens } from './estimate.ts'
import { assistantMessage, userMessage } from './message.ts'
import { addUsage } from './usage-sum.ts'
import { NO_USAGE, tokenUsage } from './usage.ts'

test('usages are added member by member, and members of only one are kept', () => {
  const sum = addUsage(
    { ...tokenUsage(10, 5), cachedInputTokens: 4 },
    { ...tokenUsage(1, 2), reasoningTokens: 2, estimated: true },
  )
  expect(sum).toEqual({
    inputTokens: 11,
    outputTokens: 7,
    totalTokens: 18,
    cachedInputTokens: 4,
    reasoningTokens: 2,
    estimated: true,
  })
  expect(addUsage(NO_USAGE, tokenUsage(1, 2))).toEqual(tokenUsage(1, 2))
})

test('the estimate is on the safe side of the usual rule of four characters to a token, and not wildly so', () => {
  const texts = [
    'The quick brown fox jumps over the lazy dog.',
    'Governance is what remains when the demonstration is over and the invoice arrives.',
    '{"status":"ok","items":[1,2,3],"next":null}',
    'function add(a, b) {\n  return a + b;\n}',
  ]
  for (const text of texts) {
    expect(estimateTokens(text)).toBeGreaterThan(text.length / 4)
    expect(estimateTokens(text)).toBeLessThan(text.length / 1.5)
  }
  const dense = '東京は日本の首都です。'
  expect(estimateTokens(dense)).toBe(dense.length)
})

test('more text never estimates to fewer tokens', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), (a, b) => {
      expect(estimateTokens(a + b)).toBeGreaterThanOrEqual(estimateTokens(a))
    }),
  )
})

test('messages, calls, pictures and tool definitions all count', () => {
  const bare = estimateTokens([userMessage('hi')])
  const call = assistantMessage([{ type: 'tool-call', toolCallId: 'a', name: 'lookup', input: { city: 'Oslo' } }])
  expect(estimateTokens([userMessage('hi'), call])).toBeGreaterThan(bare + 8)
  expect(
    estimateTokens([userMessage([{ type: 'image', mediaType: 'image/png', url: 'https://a.example/p.png' }])]),
  ).toBeGreaterThan(1_000)
  const tools = [{ name: 'lookup', description: 'Looks a city up', inputSchema: { type: 'object' } }]
  expect(estimateRequest({ messages: [userMessage('hi')], tools })).toBeGreaterThan(bare + 10)
})
