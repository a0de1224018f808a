import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { MandateError } from '../core/index.ts'
import { textOf, userMessage } from './message.ts'
import type { ModelPart } from './model.ts'
import { collectReply, parseToolInput } from './reply.ts'

const finish: ModelPart = { type: 'finish', reason: 'stop' }
const usage: ModelPart = { type: 'usage', usage: { inputTokens: 5, outputTokens: 3, totalTokens: 8 } }

async function failureOf(promise: Promise<unknown>): Promise<MandateError> {
  const error = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  expect(MandateError.isInstance(error)).toBe(true)
  return error as MandateError
}

async function* failing(parts: ModelPart[], error: unknown): AsyncGenerator<ModelPart> {
  yield* parts
  throw error
}

test('the text that listeners saw is the text of the reply, however it was cut into pieces', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.string(), { maxLength: 20 }), async (pieces) => {
      let seen = ''
      const parts: ModelPart[] = [...pieces.map((text): ModelPart => ({ type: 'text-delta', text })), usage, finish]
      const reply = await collectReply(parts, (part) => {
        if (part.type === 'text-delta') seen += part.text
      })
      expect(textOf(reply.message)).toBe(seen)
      expect(seen).toBe(pieces.join(''))
    }),
  )
})

test('neighbouring deltas make one part; a call between them starts a new one; ids keep interleaved blocks apart', async () => {
  const reply = await collectReply([
    { type: 'reasoning-delta', text: 'hm', id: 'r1' },
    { type: 'text-delta', text: 'a', id: 't1' },
    { type: 'reasoning-delta', text: 'm', id: 'r1', providerMetadata: { p: { signature: 's' } } },
    { type: 'text-delta', text: 'b', id: 't1' },
    { type: 'text-delta', text: 'c', id: 't2' },
    { type: 'tool-call', toolCallId: 'x', name: 't', input: { a: 1 }, providerMetadata: { p: { mark: 1 } } },
    { type: 'text-delta', text: 'd' },
    { type: 'text-delta', text: 'e' },
    usage,
    { type: 'finish', reason: 'tool-calls', providerMetadata: { p: { id: 'resp' } } },
  ])
  expect(reply.message.content).toEqual([
    { type: 'reasoning', text: 'hmm', providerMetadata: { p: { signature: 's' } } },
    { type: 'text', text: 'ab' },
    { type: 'text', text: 'c' },
    { type: 'tool-call', toolCallId: 'x', name: 't', input: { a: 1 }, providerMetadata: { p: { mark: 1 } } },
    { type: 'text', text: 'de' },
  ])
  expect(reply.finishReason).toBe('tool-calls')
  expect(reply.providerMetadata).toEqual({ p: { id: 'resp' } })
})

test('a stream without usage and finish reason is accepted, with estimates and warnings', async () => {
  const request = { messages: [userMessage('What is the answer?')] }
  const reply = await collectReply([{ type: 'text-delta', text: 'Forty-two.' }], undefined, request)
  expect(reply.finishReason).toBe('stop')
  expect(reply.usage.estimated).toBe(true)
  expect(reply.usage.inputTokens).toBeGreaterThan(0)
  expect(reply.usage.totalTokens).toBe(reply.usage.inputTokens + reply.usage.outputTokens)
  expect(reply.warnings).toHaveLength(2)
  expect((await collectReply([])).finishReason).toBe('other')
  expect((await collectReply([{ type: 'tool-call', toolCallId: '1', name: 't', input: {} }])).finishReason).toBe(
    'tool-calls',
  )
})

test('the last usage counts, and nonsense in it cannot reach a budget', async () => {
  const nonsense = { type: 'usage', usage: { inputTokens: Number.NaN, outputTokens: -5 } } as unknown as ModelPart
  const reply = await collectReply([{ type: 'text-delta', text: 'some words' }, nonsense, finish], undefined, {
    messages: [userMessage('Hi')],
  })
  expect(reply.usage.inputTokens).toBeGreaterThan(0)
  expect(reply.usage.outputTokens).toBeGreaterThan(0)
  expect(reply.usage.estimated).toBe(true)
  expect(reply.warnings).toEqual([expect.stringContaining('inputTokens: NaN, outputTokens: -5')])
  expect((await collectReply([nonsense, usage, finish])).usage).toEqual({
    inputTokens: 5,
    outputTokens: 3,
    totalTokens: 8,
  })
})

test('an error part fails the call with what a retry needs to know, and nothing after it is read', async () => {
  const seen: string[] = []
  const parts: ModelPart[] = [
    { type: 'text-delta', text: 'half' },
    { type: 'error', message: 'slow down', status: 429, retryAfterMs: 1500 },
    finish,
  ]
  const error = await failureOf(collectReply(parts, (part) => seen.push(part.type)))
  expect(error.code).toBe('MODEL_FAILED')
  expect(error.message).toBe('slow down')
  expect(error.info).toEqual({ retriable: true, retryAfterMs: 1500, status: 429 })
  expect(seen).toEqual(['text-delta', 'error'])
})

test('anything that a model throws becomes one kind of error, retriable if it looks transient', async () => {
  const reset = Object.assign(new TypeError('fetch failed'), { cause: { code: 'ECONNRESET' } })
  expect((await failureOf(collectReply(failing([], reset)))).info).toEqual({ retriable: true })
  expect((await failureOf(collectReply(failing([], new Error('bad key'))))).info).toEqual({ retriable: false })
  const api = Object.assign(new Error('x'), {
    statusCode: 503,
    isRetryable: true,
    responseHeaders: { 'retry-after': '2' },
  })
  expect((await failureOf(collectReply(failing([], api)))).info).toEqual({
    retriable: true,
    retryAfterMs: 2000,
    status: 503,
  })
  expect((await failureOf(collectReply(failing([], { status: 400 })))).info).toEqual({ retriable: false, status: 400 })
  expect((await failureOf(collectReply(failing([], new DOMException('a', 'AbortError'))))).code).toBe('CANCELLED')
  expect((await failureOf(collectReply(failing([], new DOMException('t', 'TimeoutError'))))).code).toBe('MODEL_TIMEOUT')
  const own = new MandateError('CANCELLED', 'cut')
  expect(await failureOf(collectReply(failing([], own)))).toBe(own)
})

test("a listener's error is not blamed on the model", async () => {
  const broken = new Error('listener broke')
  const run = collectReply([finish], () => {
    throw broken
  })
  await expect(run).rejects.toBe(broken)
})

test('two calls with one id in one reply are distinguished, and a call without an id gets one', async () => {
  const reply = await collectReply([
    { type: 'tool-call', toolCallId: 'call_x', name: 'a', input: {} },
    { type: 'tool-call', toolCallId: 'call_x', name: 'b', input: {} },
    { type: 'tool-call', toolCallId: '', name: 'c', input: {} },
    finish,
    usage,
  ])
  const ids = reply.message.content.map((part) => (part.type === 'tool-call' ? part.toolCallId : ''))
  expect(new Set(ids).size).toBe(3)
  expect(ids).not.toContain('')
})

test('parts for listeners only, parts of providers and parts newer than this code each go where they belong', async () => {
  const reply = await collectReply([
    { type: 'custom', kind: 'tool-input-delta', data: 'x', ephemeral: true },
    { type: 'custom', kind: 'source', data: { url: 'https://a.example' } },
    { type: 'file', mediaType: 'image/png', data: 'AA==' },
    { type: 'tool-result', toolCallId: 'p', name: 'search', status: 'ok', value: [1] },
    { type: 'from-the-future' } as unknown as ModelPart,
    usage,
    finish,
  ])
  expect(reply.message.content.map((part) => part.type)).toEqual(['custom', 'image', 'tool-result'])
  expect(reply.message.content[2]).toMatchObject({ providerExecuted: true })
  expect(reply.warnings.join()).toContain('from-the-future')
})

test('arguments that are not JSON are kept as they were written; no arguments mean none', () => {
  expect(parseToolInput('{"a":1}')).toEqual({ input: { a: 1 } })
  expect(parseToolInput('')).toEqual({ input: {} })
  expect(parseToolInput('{"a":')).toEqual({ input: null, invalid: '{"a":' })
})
