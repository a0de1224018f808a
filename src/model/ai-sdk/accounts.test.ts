import { expect, test } from 'vitest'
import { endingOf, usageOf, warningText } from './accounts.ts'

const request = {
  messages: [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'How many tokens?' }] }],
}

test('usage is read in the shapes of every specification', () => {
  const v2 = { inputTokens: 10, outputTokens: 5, totalTokens: 15, reasoningTokens: 2, cachedInputTokens: 4 }
  expect(usageOf(v2, request, 'openai')).toEqual({ ...v2, estimated: undefined })
  const v4 = {
    inputTokens: { total: 10, noCache: 5, cacheRead: 4, cacheWrite: 1 },
    outputTokens: { total: 5, text: 3, reasoning: 2 },
  }
  expect(usageOf(v4, request, 'openai')).toEqual({ ...v2, cacheWriteInputTokens: 1 })
})

test('what was told only in parts is added up, and what was not told at all is left to others', () => {
  const parts = { inputTokens: { noCache: 5, cacheRead: 4 }, outputTokens: { text: 3, reasoning: 2 } }
  expect(usageOf(parts, request, 'p')).toMatchObject({ inputTokens: 9, outputTokens: 5, totalTokens: 14 })
  expect(usageOf({ inputTokens: undefined, outputTokens: undefined }, request, 'p')).toBeUndefined()
  expect(usageOf({ inputTokens: {}, outputTokens: {} }, request, 'p')).toBeUndefined()
  expect(usageOf(undefined, request, 'p')).toBeUndefined()
  expect(usageOf({ inputTokens: Number.NaN, outputTokens: -1 }, request, 'p')).toBeUndefined()
})

test('a side that was left out is estimated and said to be', () => {
  const usage = usageOf({ inputTokens: undefined, outputTokens: 5, totalTokens: undefined }, request, 'p')
  expect(usage).toMatchObject({ outputTokens: 5, estimated: true })
  expect(usage!.inputTokens).toBeGreaterThan(0)
  expect(usageOf({ inputTokens: 10, totalTokens: 14 }, request, 'p')).toMatchObject({
    outputTokens: 4,
    estimated: true,
  })
})

test('our input contains what came from the cache, and our output what was thought, whoever counted', () => {
  const anthropic = { inputTokens: 10, outputTokens: 5, totalTokens: 15, cachedInputTokens: 4 }
  expect(usageOf(anthropic, request, 'anthropic')).toMatchObject({ inputTokens: 14, totalTokens: 19 })
  const apart = { inputTokens: 10, outputTokens: 5, totalTokens: 15, cachedInputTokens: 100 }
  expect(usageOf(apart, request, 'other')).toMatchObject({ inputTokens: 110 })
  const thought = { inputTokens: { total: 10 }, outputTokens: { total: 2, reasoning: 300 } }
  expect(usageOf(thought, request, 'other')).toMatchObject({ outputTokens: 302, reasoningTokens: 300 })
})

test('reasons are read as words and as records; one that is newer than this code is "other" and keeps its word', () => {
  expect(endingOf('tool-calls')).toEqual({ reason: 'tool-calls', isTold: true })
  expect(endingOf({ unified: 'length', raw: 'MAX_TOKENS' })).toEqual({
    reason: 'length',
    raw: 'MAX_TOKENS',
    isTold: true,
  })
  expect(endingOf({ unified: 'paused', raw: undefined })).toEqual({ reason: 'other', raw: 'paused', isTold: true })
  expect(endingOf({ unified: 'other', raw: 'compaction' })).toEqual({
    reason: 'other',
    raw: 'compaction',
    isTold: true,
  })
})

test('no reason is told apart from a reason of its own kind', () => {
  const silent = [
    'unknown',
    { unified: 'interrupted', raw: undefined },
    { unified: 'other', raw: undefined },
    undefined,
    {},
  ]
  for (const reason of silent) expect(endingOf(reason)).toMatchObject({ reason: 'other', isTold: false })
  expect(endingOf('other')).toEqual({ reason: 'other', isTold: true })
})

test('warnings of every specification become sentences', () => {
  expect(warningText({ type: 'unsupported-setting', setting: 'topK', details: 'ignored' })).toBe(
    'unsupported-setting: topK (ignored)',
  )
  expect(warningText({ type: 'unsupported-tool', tool: { name: 'search' } })).toBe('unsupported-tool: search')
  expect(warningText({ type: 'unsupported', feature: 'seed' })).toBe('unsupported: seed')
  expect(warningText({ type: 'deprecated', setting: 'x', message: 'Use y.' })).toBe('Use y.')
  expect(warningText(null)).toBe('warning')
})
