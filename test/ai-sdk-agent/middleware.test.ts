import type { LanguageModelV4StreamPart, LanguageModelV4Usage } from '@ai-sdk/provider'
import { generateText, isStepCount, jsonSchema, streamText, tool, wrapLanguageModel } from 'ai'
import { MockLanguageModelV4, simulateReadableStream } from 'ai/test'
import { createOpenAI as createOpenAI3 } from 'ai-provider-v3'
import { MandateError, mandateMiddleware } from 'mandate'
import type { MiddlewareOptions } from 'mandate'
import { entriesOfType, memoryJournal, readAll } from 'mandate/journal'
import { cassette } from 'mandate/model'
import { Kernel } from 'mandate/kit'
import { expect, test } from 'vitest'

const usage: LanguageModelV4Usage = {
  inputTokens: { total: 100, noCache: 100, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 50, text: 50, reasoning: undefined },
}
const stop = { unified: 'stop' as const, raw: 'stop' }
const prices = {
  date: '2026-11-15',
  currency: 'USD' as const,
  models: { 'mock/*': { inputPerMillion: 1_000, outputPerMillion: 1_000 } },
}

function parts(...words: string[]): LanguageModelV4StreamPart[] {
  const deltas = words.map((delta) => ({ type: 'text-delta' as const, id: '1', delta }))
  return [
    { type: 'stream-start', warnings: [] },
    { type: 'response-metadata', id: 'r1', timestamp: new Date(1_000) },
    { type: 'text-start', id: '1' },
    ...deltas,
    { type: 'text-end', id: '1' },
    { type: 'finish', usage, finishReason: stop },
  ]
}

function mock(): MockLanguageModelV4 {
  return new MockLanguageModelV4({
    provider: 'mock',
    modelId: 'small',
    doGenerate: async () => ({ content: [{ type: 'text', text: 'Hello.' }], finishReason: stop, usage, warnings: [] }),
    doStream: async () => ({ stream: simulateReadableStream({ chunks: parts('Hel', 'lo.') }) }),
  })
}

function wrapped(options: MiddlewareOptions, model: MockLanguageModelV4 = mock()) {
  const middleware = mandateMiddleware(options)
  return { model: wrapLanguageModel({ model, middleware }), inner: model, middleware }
}

test('answers pass through unchanged, whole and streamed, and are settled in one run', async () => {
  const journal = memoryJournal()
  const { model, middleware } = wrapped({ journal, prices, budget: { money: 10 } })
  expect((await generateText({ model, prompt: 'Hi' })).text).toBe('Hello.')
  const streamed = streamText({ model, prompt: 'Hi' })
  expect(await streamed.text).toBe('Hello.')
  expect((await streamed.usage).totalTokens).toBe(150)
  const { runId } = middleware
  await middleware.close()
  const entries = await readAll(journal, runId!)
  expect(entries.filter(({ type }) => type === 'effect-start').map(({ key }) => key)).toEqual(['call:1', 'call:2'])
  // The same question twice is written down once.
  expect(entries.filter(({ type }) => type === 'message-append')).toHaveLength(1)
  const [end] = entriesOfType(entries.slice(-1), 'run-end')
  expect(end!.data.spent).toMatchObject({
    money: 0.3,
    modelCalls: 2,
  })
  expect(await new Kernel({ journal }).verify(runId!)).toMatchObject({ ok: true })
  await expect(generateText({ model, prompt: 'Hi', maxRetries: 0 })).rejects.toThrow(/closed/)
})

test('a model that the mandate does not allow is not asked', async () => {
  const { model, inner } = wrapped({ mandate: { deny: ['model:mock/*'] } })
  await expect(generateText({ model, prompt: 'Hi', maxRetries: 0 })).rejects.toMatchObject({ code: 'DENIED' })
  const errors: unknown[] = []
  const streamed = streamText({ model, prompt: 'Hi', maxRetries: 0, onError: ({ error }) => void errors.push(error) })
  await streamed.consumeStream()
  expect(errors).toEqual([expect.objectContaining({ code: 'DENIED' })])
  expect(inner.doGenerateCalls.length + inner.doStreamCalls.length).toBe(0)
})

test('the worst case is reserved before, the real cost settled after, and the limit that forbids a call is named', async () => {
  // One call may write 100 tokens at most: about 0.1 dollars in reserve, and 0.15 spent by each.
  const { model, inner } = wrapped({ prices, budget: { money: 0.4 }, maxOutputTokens: 100 })
  await generateText({ model, prompt: 'Hi' })
  await generateText({ model, prompt: 'Hi' })
  await expect(generateText({ model, prompt: 'Hi', maxRetries: 0 })).rejects.toMatchObject({
    code: 'LIMIT_EXCEEDED',
    message: expect.stringContaining('money'),
  })
  expect(inner.doGenerateCalls.map(({ maxOutputTokens }) => maxOutputTokens)).toEqual([100, 100])
})

test('a model without a price is refused where money is limited', async () => {
  const { model, inner } = wrapped({ budget: { money: 1 } })
  await expect(generateText({ model, prompt: 'Hi', maxRetries: 0 })).rejects.toMatchObject({ code: 'PRICE_UNKNOWN' })
  expect(inner.doGenerateCalls).toHaveLength(0)
})

test('calls side by side cannot both take the last of a budget', async () => {
  const { model, inner } = wrapped({ budget: { modelCalls: 2 } })
  const calls = await Promise.allSettled(
    [1, 2, 3, 4].map((n) => generateText({ model, prompt: `Hi ${n}`, maxRetries: 0 })),
  )
  expect(calls.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'fulfilled', 'rejected', 'rejected'])
  expect(inner.doGenerateCalls).toHaveLength(2)
})

test('a rule that asks is put to the handler, and is a refusal without one', async () => {
  const mandate = { rules: [{ id: 'ask-models', when: { kind: 'model' }, then: 'ask' as const }] }
  const asked: string[] = []
  const { model } = wrapped({ mandate, onApproval: ({ name }) => (asked.push(name), { answer: 'approve' }) })
  expect((await generateText({ model, prompt: 'Hi' })).text).toBe('Hello.')
  expect(asked).toEqual(['mock/small'])
  const silent = wrapped({ mandate })
  await expect(generateText({ model: silent.model, prompt: 'Hi', maxRetries: 0 })).rejects.toThrow(/onApproval/)
})

test('what the provider threw reaches the caller as it is, also in mid-stream', async () => {
  const failure = new Error('the wire broke')
  const broken = new MockLanguageModelV4({
    provider: 'mock',
    doGenerate: async () => Promise.reject(failure),
    doStream: async () => ({
      stream: new ReadableStream<LanguageModelV4StreamPart>({
        start(controller) {
          for (const part of parts('Hel').slice(0, 4)) controller.enqueue(part)
          controller.error(failure)
        },
      }),
    }),
  })
  const { model } = wrapped({}, broken)
  await expect(generateText({ model, prompt: 'Hi', maxRetries: 0 })).rejects.toBe(failure)
  const { stream } = await model.doStream({ prompt: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }] })
  const read = async (): Promise<void> => {
    for await (const part of stream) expect(part.type).not.toBe('finish')
  }
  await expect(read()).rejects.toBe(failure)
})

test('a caller who leaves in mid-stream or aborts ends the call, and the next one works', async () => {
  let cancelled = 0
  const endless = new MockLanguageModelV4({
    provider: 'mock',
    doGenerate: async () => ({ content: [{ type: 'text', text: 'Hello.' }], finishReason: stop, usage, warnings: [] }),
    doStream: async () => ({
      stream: new ReadableStream<LanguageModelV4StreamPart>({
        start: (controller) =>
          parts('Hel')
            .slice(0, 4)
            .forEach((part) => controller.enqueue(part)),
        cancel: () => void (cancelled += 1),
      }),
    }),
  })
  const journal = memoryJournal()
  const { model, middleware } = wrapped({ journal }, endless)
  const { stream } = await model.doStream({ prompt: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }] })
  await stream.cancel()
  expect((await generateText({ model, prompt: 'Hi' })).text).toBe('Hello.')
  await expect.poll(() => cancelled).toBe(1)
  await middleware.close()
  const ends = entriesOfType(await readAll(journal, middleware.runId!), 'effect-end')
  expect(ends.map(({ data }) => data.outcome.status).toSorted()).toEqual(['failed', 'ok'])
})

test('a loop with tools is counted call by call', async () => {
  const call = { type: 'tool-call' as const, toolCallId: 'c1', toolName: 'add', input: '{"a":1}' }
  let turn = 0
  const looping = new MockLanguageModelV4({
    provider: 'mock',
    doGenerate: async () => {
      turn += 1
      return {
        content: turn === 1 ? [call] : [{ type: 'text', text: 'Two.' }],
        finishReason: turn === 1 ? { unified: 'tool-calls', raw: undefined } : stop,
        usage,
        warnings: [],
      }
    },
  })
  const { model, middleware } = wrapped({ budget: { modelCalls: 2 } }, looping)
  const add = tool({ inputSchema: jsonSchema<{ a: number }>({ type: 'object' }), execute: ({ a }) => a + 1 })
  const { text } = await generateText({ model, tools: { add }, prompt: 'Add.', stopWhen: isStepCount(5) })
  expect(text).toBe('Two.')
  await expect(generateText({ model, prompt: 'More.', maxRetries: 0 })).rejects.toThrow(/modelCalls/)
  await middleware.close()
})

test('what was recorded is played back without the provider, whole and streamed, and a miss says how it differs', async () => {
  const shelf = new Map<string, string>()
  const storage = {
    read: (name: string) => shelf.get(name),
    write: (name: string, text: string) => void shelf.set(name, text),
  }
  const record = cassette({ mode: 'record', storage })
  const first = wrapped({ cassette: record })
  await generateText({ model: first.model, prompt: 'Hi' })
  await streamText({ model: first.model, prompt: 'Hi again' }).text
  await record.close()

  const replay = cassette({ mode: 'replay', storage })
  const dead = new MockLanguageModelV4({ provider: 'mock', modelId: 'small' })
  const second = wrapped({ cassette: replay, budget: { modelCalls: 3 } }, dead)
  expect((await generateText({ model: second.model, prompt: 'Hi' })).text).toBe('Hello.')
  const streamed = streamText({ model: second.model, prompt: 'Hi again' })
  expect(await streamed.text).toBe('Hello.')
  expect((await streamed.response).timestamp).toEqual(new Date(1_000))
  const miss = await generateText({ model: second.model, prompt: 'Bye', maxRetries: 0 }).catch(
    (error: unknown) => error,
  )
  expect(MandateError.isInstance(miss) ? miss.message : '').toContain('Bye')
  expect(dead.doGenerateCalls.length + dead.doStreamCalls.length).toBe(0)
})

test('a model of an earlier specification is wrapped in the same way', async () => {
  const answer = {
    id: 'x',
    object: 'chat.completion',
    created: 1,
    model: 'gpt',
    choices: [{ index: 0, message: { role: 'assistant', content: 'Hi.' }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 7, completion_tokens: 2, total_tokens: 9 },
  }
  const fetch = async (): Promise<Response> => Response.json(answer)
  const middleware = mandateMiddleware({ budget: { totalTokens: 5_000 } })
  const model = wrapLanguageModel({ model: createOpenAI3({ apiKey: 'k', fetch }).chat('gpt-5'), middleware })
  expect((await generateText({ model, prompt: 'Hi' })).text).toBe('Hi.')
})
