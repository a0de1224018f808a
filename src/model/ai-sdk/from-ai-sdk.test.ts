import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { textOf, toolCallsOf } from '../message.ts'
import { collectReply } from '../reply.ts'
import { callNow, end, fakeModel, hear } from './ai-sdk.fixture.ts'
import { fromAiSdk } from './from-ai-sdk.ts'
import type { WirePart } from './spec.ts'

test('the text of a reply is what its deltas say, in the order in which their blocks began', async () => {
  const block = fc.record({
    kind: fc.constantFrom('text', 'reasoning'),
    id: fc.constantFrom('0', '1'),
    pieces: fc.array(fc.string({ minLength: 1 }), { minLength: 1, maxLength: 4 }),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(block, { minLength: 1, maxLength: 6 }), async (blocks) => {
      const parts = blocks.flatMap(({ kind, id, pieces }): WirePart[] => [
        { type: `${kind}-start`, id },
        ...pieces.map((delta) => ({ type: `${kind}-delta`, id, delta })),
        { type: `${kind}-end`, id },
      ])
      const reply = await hear([...parts, end])
      expect(reply.message.content).toEqual(blocks.map(({ kind, pieces }) => ({ type: kind, text: pieces.join('') })))
    }),
  )
})

test('what is attached to the start, a delta or the end of a block is on the part', async () => {
  const reply = await hear([
    { type: 'reasoning-start', id: 'r', providerMetadata: { a: { start: 1 } } },
    { type: 'reasoning-delta', id: 'r', delta: 'hm' },
    { type: 'reasoning-delta', id: 'r', delta: '', providerMetadata: { b: { signature: 's' } } },
    { type: 'reasoning-end', id: 'r' },
    { type: 'text-start', id: 't' },
    { type: 'text-end', id: 't', providerMetadata: { a: { itemId: 'i', nothing: undefined } } },
    end,
  ])
  expect(reply.message.content).toEqual([
    { type: 'reasoning', text: 'hm', providerMetadata: { a: { start: 1 }, b: { signature: 's' } } },
    { type: 'text', text: '', providerMetadata: { a: { itemId: 'i' } } },
  ])
})

test('parts that this code does not know are kept under their own names, with all they carry', async () => {
  const reply = await hear([
    { type: 'source', id: 's1', sourceType: 'url', url: 'https://a.example', title: 'A' } as WirePart,
    { type: 'custom', kind: 'openai.compaction', providerMetadata: { openai: { itemId: 'c' } } },
    { type: 'from-the-future', when: 2030, providerMetadata: { x: { y: 1 } } } as WirePart,
    { type: 'tool-approval-request', approvalId: 'a', toolCallId: 'c' } as WirePart,
    end,
  ])
  expect(reply.message.content).toEqual([
    { type: 'custom', kind: 'source', data: { id: 's1', sourceType: 'url', url: 'https://a.example', title: 'A' } },
    { type: 'custom', kind: 'openai.compaction', data: {}, providerMetadata: { openai: { itemId: 'c' } } },
    { type: 'custom', kind: 'from-the-future', data: { when: 2030 }, providerMetadata: { x: { y: 1 } } },
    { type: 'custom', kind: 'tool-approval-request', data: { approvalId: 'a', toolCallId: 'c' } },
  ])
})

test('files come as base64 or by their address, in the shapes of every specification', async () => {
  const bytes = new Uint8Array(20_000).fill(7)
  const files = [
    'AAAA',
    bytes,
    { type: 'data', data: 'BBBB' },
    { type: 'data', data: new Uint8Array([1, 2, 3]) },
    { type: 'url', url: new URL('https://a.example/f.png') },
  ]
  const reply = await hear([
    ...files.map((data) => ({ type: 'file', mediaType: 'image/png', data })),
    { type: 'reasoning-file', mediaType: 'text/plain', data: { type: 'data', data: 'CCCC' } },
    end,
  ])
  expect(reply.message.content).toEqual([
    { type: 'image', mediaType: 'image/png', data: 'AAAA' },
    { type: 'image', mediaType: 'image/png', data: Buffer.from(bytes).toString('base64') },
    { type: 'image', mediaType: 'image/png', data: 'BBBB' },
    { type: 'image', mediaType: 'image/png', data: 'AQID' },
    { type: 'image', mediaType: 'image/png', url: 'https://a.example/f.png' },
    { type: 'custom', kind: 'reasoning-file', data: { mediaType: 'text/plain', data: 'CCCC' } },
  ])
})

const ranByFake = { mandate: { ranBy: 'fake' } }

test('calls are read from their text; what the provider runs itself is marked, and a first look at a result is not the result', async () => {
  const seen: string[] = []
  const model = fakeModel([
    { type: 'tool-input-start', id: 'a', toolName: 'look' },
    { type: 'tool-input-delta', id: 'a', delta: '{"x"' },
    { type: 'tool-input-end', id: 'a' },
    { type: 'tool-call', toolCallId: 'a', toolName: 'look', input: '{"x":1}', providerMetadata: { p: { sig: 's' } } },
    { type: 'tool-call', toolCallId: 'b', toolName: 'look', input: '' },
    { type: 'tool-call', toolCallId: 'c', toolName: 'look', input: '{oops' },
    { type: 'tool-call', toolCallId: 'd', toolName: 'search', input: '{}', providerExecuted: true },
    { type: 'tool-result', toolCallId: 'd', toolName: 'search', result: 'half', preliminary: true },
    { type: 'tool-result', toolCallId: 'd', toolName: 'search', result: { hits: 1 }, isError: true },
    end,
  ])
  const reply = await collectReply(fromAiSdk(model).stream({ messages: [] }, callNow()), (part) => seen.push(part.type))
  expect(toolCallsOf(reply.message)).toEqual([
    { type: 'tool-call', toolCallId: 'a', name: 'look', input: { x: 1 }, providerMetadata: { p: { sig: 's' } } },
    { type: 'tool-call', toolCallId: 'b', name: 'look', input: {} },
    { type: 'tool-call', toolCallId: 'c', name: 'look', input: null, invalid: '{oops' },
  ])
  expect(reply.message.content.slice(3)).toEqual([
    {
      type: 'tool-call',
      toolCallId: 'd',
      name: 'search',
      input: {},
      providerExecuted: true,
      providerMetadata: ranByFake,
    },
    {
      type: 'tool-result',
      toolCallId: 'd',
      name: 'search',
      status: 'error',
      value: { hits: 1 },
      providerExecuted: true,
      providerMetadata: ranByFake,
    },
  ])
  expect(seen.filter((type) => type === 'custom')).toHaveLength(4)
})

test('the first error part fails the call; what comes after it is not read, and the stream is let go', async () => {
  let isCancelled = false
  const parts: WirePart[] = [
    { type: 'text-delta', id: '0', delta: 'half' },
    { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } },
    { type: 'error', error: new Error('another') },
    end,
  ]
  const stream = new ReadableStream<WirePart>({
    pull: (controller) => controller.enqueue(parts.shift()!),
    cancel: () => void (isCancelled = true),
  })
  const model = { ...fakeModel([]), doStream: async () => ({ stream }) }
  await expect(collectReply(fromAiSdk(model).stream({ messages: [] }, callNow()))).rejects.toMatchObject({
    code: 'MODEL_FAILED',
    message: 'fake/model-1 failed: Overloaded',
    info: { retriable: true },
  })
  expect(isCancelled).toBe(true)
})

test('an answer that never says that it is whole is not taken for one', async () => {
  const text: WirePart = { type: 'text-delta', id: '0', delta: 'half' }
  const interrupted = { ...end, finishReason: { unified: 'interrupted', raw: undefined } }
  for (const parts of [[text], [text, interrupted], [], [text, { ...end, finishReason: 'unknown' }]]) {
    await expect(hear(parts)).rejects.toMatchObject({ code: 'MODEL_FAILED', info: { retriable: true } })
  }
  const started: WirePart = { type: 'tool-input-start', id: 'a', toolName: 'look' }
  await expect(hear([text, started], { acceptUnfinished: true })).rejects.toThrow('may be cut')
  await expect(hear([], { acceptUnfinished: true })).rejects.toThrow('ended without an answer')
  expect(textOf((await hear([text], { acceptUnfinished: true })).message)).toBe('half')
  await expect(hear([text, { ...end, finishReason: { unified: 'error', raw: 'MALFORMED' } }])).rejects.toThrow(
    'MALFORMED',
  )
})

test('a model that listens to nothing is left when the call is cut, before the stream and within it', async () => {
  for (const doStream of [
    () => new Promise<never>(() => {}),
    async () => ({ stream: new ReadableStream<WirePart>({ pull: () => new Promise<void>(() => {}) }) }),
  ]) {
    const cutter = new AbortController()
    const model = fromAiSdk({ ...fakeModel([]), doStream })
    const asked = collectReply(model.stream({ messages: [] }, callNow(cutter.signal)))
    setTimeout(() => cutter.abort(), 5)
    await expect(asked).rejects.toMatchObject({ code: 'CANCELLED' })
  }
  const late = collectReply(fromAiSdk(fakeModel([end])).stream({ messages: [] }, callNow(AbortSignal.abort())))
  await expect(late).rejects.toMatchObject({ code: 'CANCELLED' })
})

test('a stream that comes after the call was cut is closed, not leaked', async () => {
  const cutter = new AbortController()
  const { promise, resolve } = Promise.withResolvers<{ stream: ReadableStream<WirePart> }>()
  const model = fromAiSdk({ ...fakeModel([]), doStream: () => promise })
  const asked = collectReply(model.stream({ messages: [] }, callNow(cutter.signal)))
  setTimeout(() => cutter.abort(), 1)
  await expect(asked).rejects.toMatchObject({ code: 'CANCELLED' })
  const closed = Promise.withResolvers<boolean>()
  resolve({ stream: new ReadableStream<WirePart>({ cancel: () => closed.resolve(true) }) })
  expect(await closed.promise).toBe(true)
})

test('an answer of one piece gives the same reply as its stream', async () => {
  const call = { type: 'tool-call', toolCallId: 'a', toolName: 'look', input: '{}' }
  const metadata = { p: { id: 'x' } }
  const streamed = await hear([
    { type: 'stream-start', warnings: [{ type: 'other', message: 'careful' }] },
    { type: 'response-metadata', id: 'r1', modelId: 'm', timestamp: new Date(0) },
    { type: 'text-start', id: 't' },
    { type: 'text-delta', id: 't', delta: 'Hi' },
    { type: 'text-end', id: 't', providerMetadata: metadata },
    call,
    { ...end, providerMetadata: metadata },
  ])
  const { finishReason, usage } = end
  const response = { id: 'r1', modelId: 'm', timestamp: new Date(0) }
  const warnings = [{ type: 'other', message: 'careful' }]
  const content = [{ type: 'text', text: 'Hi', providerMetadata: metadata }, call]
  const whole = await hear({ content, finishReason, usage, warnings, response, providerMetadata: metadata })
  expect(whole).toEqual(streamed)
  expect(whole.providerMetadata).toEqual({
    p: { id: 'x' },
    response: { id: 'r1', modelId: 'm', timestamp: '1970-01-01T00:00:00.000Z' },
  })
  expect(whole.warnings).toEqual(['careful'])
})

test('what a model says about itself is told, as far as it does', () => {
  const supportedUrls = { 'image/*': [/^https:/], 'application/pdf': [/^https:/] }
  expect(fromAiSdk({ ...fakeModel([]), supportedUrls }).capabilities).toEqual({
    tools: true,
    streaming: true,
    modalities: ['image', 'file'],
  })
  const told = fromAiSdk(fakeModel([]), { streaming: false, capabilities: { contextTokens: 1_000 } })
  expect(told.capabilities).toEqual({ tools: true, streaming: false, contextTokens: 1_000 })
  expect(told).toMatchObject({ id: 'fake/model-1', provider: 'fake', modelId: 'model-1' })
  expect(fromAiSdk(fakeModel([]), { id: 'mine/a/b' })).toMatchObject({ provider: 'mine', modelId: 'a/b' })
  expect(() => fromAiSdk(fakeModel([]), { id: 'nothing' })).toThrow('provider/model')
})
