import * as fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { MandateError } from '../../core/index.ts'
import { type ModelBehaviour, modelConformance } from '../../testing/index.ts'
import { userMessage } from '../../model/index.ts'
import { collectReply } from '../../model/index.ts'
import { scripted } from '../../model/index.ts'
import { answers, detours, essence, fixed, requests } from './adapters.fixture.ts'
import type {
  Provider as AtlasProvider,
  ProviderRequest as AtlasRequest,
  ProviderResponseChunk as AtlasChunk,
} from '../../chat/index.ts'
import type { ChatProvider, ChatRequest, ChatResponse } from './chat-types.ts'
import { fromAtlasProvider } from '../../chat/index.ts'
import { fromChatProvider } from './from-chat.ts'
import { fromLlmClient } from './from-llm-client.ts'
import type { LlmClient } from './llm-client-types.ts'
import { toAtlasProvider } from '../../chat/index.ts'
import { toChatProvider } from './to-chat.ts'
import { toLlmClient } from './to-llm-client.ts'
import { scriptFor } from '../../../test/contracts/scripted-behaviour.fixture.ts'

const call = { signal: new AbortController().signal, attempt: 1, idempotencyKey: 'k' }
const hello = { messages: [userMessage('Hello.')] }

describe.each(detours)('through %s and back', (_name, detour) => {
  test('every answer keeps its text, ids, names, arguments, counts and reason', async () => {
    await fc.assert(
      fc.asyncProperty(answers, async (parts) => {
        const straight = await collectReply(fixed(parts).stream(hello, call))
        const around = await collectReply(detour(fixed(parts)).stream(hello, call))
        expect(essence(around)).toEqual(essence(straight))
      }),
    )
  })

  test('every conversation keeps its texts, ids, names and arguments', async () => {
    await fc.assert(
      fc.asyncProperty(requests, async (request) => {
        const model = fixed([{ type: 'finish', reason: 'stop' }])
        await collectReply(detour(model).stream(request, call))
        const { messages, ...rest } = model.asked[0]!
        expect(messages).toEqual(request.messages)
        expect(rest).toEqual({ tools: request.tools, maxOutputTokens: request.maxOutputTokens })
      }),
    )
  })
})

for (const [name, detour] of detours) {
  const open = (behaviour: ModelBehaviour): { model: ReturnType<typeof detour> } => ({
    model: detour(scripted(() => scriptFor(behaviour))),
  })
  // Where nothing is streamed, there is nothing to stop reading.
  const cannot = name.includes('/') ? (['say-unknown'] as const) : (['say-unknown', 'hang'] as const)
  modelConformance({ name: `scripted, through ${name}`, open, cannot }, { describe, it, expect })
}

describe('complete/stream', () => {
  const chunks: AtlasChunk[] = [
    { type: 'text', text: 'Let me ' },
    { type: 'text', text: 'look.' },
    { type: 'tool_call', toolCall: { id: 'a', name: 'look', arguments: { at: 1 } } },
    { type: 'tool_call', toolCall: { id: 'b', name: 'look', arguments: '{"at":2}' } },
    { type: 'done' },
  ]
  const provider = (asked: AtlasRequest[] = []): AtlasProvider => ({
    id: 'openai',
    capabilities: { streaming: true, tools: true },
    async complete(request) {
      asked.push(request)
      return chunks
    },
    async *stream(request) {
      asked.push(request)
      yield* chunks
    },
  })

  test('a provider gives its own chunks again, through a model and back', async () => {
    const again = toAtlasProvider(fromAtlasProvider(provider(), 'gpt-4o'))
    const whole = await again.complete({ model: 'gpt-4o', messages: [{ role: 'user', content: 'Hi' }] })
    expect(
      whole
        .filter(({ type }) => type === 'text')
        .map(({ text }) => text)
        .join(''),
    ).toBe('Let me look.')
    expect(whole.flatMap(({ toolCall }) => toolCall ?? [])).toEqual([
      { id: 'a', name: 'look', arguments: { at: 1 } },
      { id: 'b', name: 'look', arguments: { at: 2 } },
    ])
    expect(whole.at(-1)).toMatchObject({ type: 'done', metadata: { finishReason: 'tool-calls' } })
    expect(again).toMatchObject({ id: 'openai', capabilities: { streaming: true, tools: true } })
  })

  test('tools are sent only where they are taken, and a choice that has no word is noted', async () => {
    const asked: AtlasRequest[] = []
    const tools = [{ name: 'look', inputSchema: { type: 'object' } }]
    const deaf = { ...provider(asked), capabilities: { streaming: true, tools: false } }
    await collectReply(fromAtlasProvider(deaf, 'm').stream({ ...hello, tools, toolChoice: 'required' }, call))
    expect(asked[0]).toEqual({ model: 'm', messages: [{ role: 'user', content: 'Hello.' }] })
    const model = fromAtlasProvider(provider(asked), 'm')
    const reply = await collectReply(model.stream({ ...hello, tools, toolChoice: 'required' }, call))
    expect(asked[1]).toMatchObject({ toolChoice: 'auto', tools: [{ name: 'look', parameters: { type: 'object' } }] })
    expect(reply.warnings.join()).toContain('left to choose')
    await collectReply(model.stream({ ...hello, tools, toolChoice: { tool: 'look' } }, call))
    expect(asked[2]).toMatchObject({ toolChoice: 'look' })
  })

  test('results without an id are matched to their calls by name', async () => {
    const model = fixed([{ type: 'finish', reason: 'stop' }])
    await toAtlasProvider(model).complete({
      model: 'm',
      toolChoice: 'look',
      messages: [
        { role: 'assistant', content: null, tool_calls: [{ id: 'a', name: 'look', arguments: { at: 1 } }] },
        { role: 'tool', content: 'seen', name: 'look' },
      ],
    })
    expect(model.asked[0]).toMatchObject({ toolChoice: { tool: 'look' } })
    expect(model.asked[0]!.messages[1]!.content).toMatchObject([{ toolCallId: 'a', name: 'look', value: 'seen' }])
  })

  test('the model that a request names is the one that is asked', async () => {
    const small = fixed([{ type: 'text-delta', text: 'small' }])
    const large = fixed([{ type: 'text-delta', text: 'large' }])
    const both = toAtlasProvider((name) => (name === 'small' ? small : large), 'mine')
    const texts: unknown[] = []
    for await (const chunk of both.stream({ model: 'large', messages: [] })) texts.push(chunk.text)
    expect(texts[0]).toBe('large')
    expect(both.id).toBe('mine')
  })

  test('pictures are left out with a word about it', async () => {
    const image = { type: 'image' as const, mediaType: 'image/png', data: 'AA==' }
    const reply = await collectReply(
      fromAtlasProvider(provider(), 'm').stream({ messages: [userMessage([image])] }, call),
    )
    expect(reply.warnings.join()).toContain('takes only text')
  })
})

describe('chat/chatStream', () => {
  const response: ChatResponse = {
    textBlocks: ['One.', 'Two.'],
    toolCalls: [{ id: 'a', name: 'look', input: { at: 1 } }],
    stopReason: 'tool_use',
    usage: { inputTokens: 5, outputTokens: 3 },
  }

  test('a provider gives its own response again, through a model and back', async () => {
    const provider: ChatProvider = { name: 'p', chat: async () => response }
    const again = toChatProvider(fromChatProvider(provider, 'm'))
    expect(await again.chat({ model: 'm', messages: [{ role: 'user', content: 'Hi' }] })).toEqual(response)
    const deltas: string[] = []
    const streamed = await again.chatStream!(
      { model: 'm', messages: [] },
      { onTextDelta: (delta) => deltas.push(delta) },
    )
    expect(streamed).toEqual(response)
    expect(deltas).toEqual(['One.', 'Two.'])
  })

  test('text that was not streamed comes after what was, and text that differs is noted', async () => {
    const streaming = (shown: string): ChatProvider => ({
      name: 'p',
      chat: async () => response,
      chatStream: async (_request, { onTextDelta }) => {
        onTextDelta?.(shown)
        return response
      },
    })
    const late = await collectReply(fromChatProvider(streaming('One.T'), 'm').stream(hello, call))
    expect(essence(late)).toMatchObject({ text: 'One.Two.' })
    const other = await collectReply(fromChatProvider(streaming('Three.'), 'm').stream(hello, call))
    expect(essence(other)).toMatchObject({ text: 'Three.' })
    expect(other.warnings.join()).toContain('differs')
  })

  test('results are said by the user, with their failures, and pictures are sent', async () => {
    const asked: ChatRequest[] = []
    const chat = async (request: ChatRequest): Promise<ChatResponse> => {
      asked.push(request)
      return response
    }
    const model = fromChatProvider({ name: 'p', chat }, 'm')
    const failed = {
      type: 'tool-result' as const,
      toolCallId: 'a',
      name: 'look',
      status: 'denied' as const,
      value: { why: 'no' },
    }
    const image = { type: 'image' as const, mediaType: 'image/png', data: 'AA==' }
    const messages = [userMessage([image]), { role: 'tool' as const, content: [failed] }]
    await collectReply(model.stream({ messages }, call))
    expect(asked[0]!.messages).toMatchObject([
      { role: 'user', content: [{ type: 'image', source: { media_type: 'image/png', data: 'AA==' } }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: '{"why":"no"}', is_error: true }] },
    ])
    const inner = fixed([{ type: 'finish', reason: 'length' }])
    const back = await toChatProvider(inner).chat(asked[0]!)
    expect(inner.asked[0]!.messages).toMatchObject([
      { role: 'user', content: [image] },
      { role: 'tool', content: [{ toolCallId: 'a', status: 'error', value: '{"why":"no"}' }] },
    ])
    expect(back.stopReason).toBe('max_tokens')
  })

  test('a failure of the provider is a failed call', async () => {
    const broken: ChatProvider = {
      name: 'p',
      chat: () => Promise.reject(Object.assign(new Error('busy'), { status: 503 })),
    }
    const error = await collectReply(fromChatProvider(broken, 'm').stream(hello, call)).catch(
      (thrown: unknown) => thrown,
    )
    expect(MandateError.isInstance(error)).toBe(true)
    expect(error).toMatchObject({ code: 'MODEL_FAILED', info: { status: 503, retriable: true } })
  })
})

describe('call/stream', () => {
  test('bare strings are text, and a client that only calls is enough', async () => {
    const client: LlmClient = { call: async () => 'Hello.' }
    const model = fromLlmClient(client, 'ollama/qwen3')
    expect(essence(await collectReply(model.stream(hello, call)))).toMatchObject({
      text: 'Hello.',
      finishReason: 'stop',
    })
    expect(model).toMatchObject({
      id: 'ollama/qwen3',
      provider: 'ollama',
      modelId: 'qwen3',
      capabilities: { streaming: false },
    })
    expect(() => fromLlmClient(client, 'qwen3')).toThrow('provider/model')
  })

  test('a client says about its model what it knows, and closing one closes the other', async () => {
    let isClosed = false
    const client: LlmClient = {
      call: async () => 'x',
      getModelInfo: async () => ({ name: 'qwen3', maxTokens: 4_096, supportsStreaming: false }),
      close: async () => void (isClosed = true),
    }
    const model = fromLlmClient(client, 'ollama/qwen3')
    expect(await model.info!()).toEqual({ name: 'qwen3', maxOutputTokens: 4_096, streaming: false })
    const again = toLlmClient(model)
    expect(await again.getModelInfo!()).toEqual({ name: 'qwen3', maxTokens: 4_096, supportsStreaming: false })
    await again.close!()
    expect(isClosed).toBe(true)
    expect(await toLlmClient(fixed([])).getModelInfo!()).toEqual({ name: 'fixed/model', supportsStreaming: true })
    await expect(toLlmClient(fixed([])).close!()).resolves.toBeUndefined()
  })

  test('a prompt may be a string, and options reach the model', async () => {
    const model = fixed([{ type: 'text-delta', text: 'Hi.' }])
    const response = await toLlmClient(model).call('Hello.', { maxTokens: 5, temperature: 0, seed: 1 })
    expect(response).toMatchObject({ text: 'Hi.' })
    expect(model.asked[0]).toEqual({ ...hello, maxOutputTokens: 5, temperature: 0, seed: 1 })
  })

  test('a failure in a stream reaches whoever reads it', async () => {
    const client = toLlmClient(
      fixed([
        { type: 'text-delta', text: 'x' },
        { type: 'error', message: 'broke', status: 500 },
      ]),
    )
    const read = async (): Promise<void> => {
      for await (const _ of client.stream!('Hello.'));
    }
    await expect(read()).rejects.toMatchObject({ code: 'MODEL_FAILED', info: { retriable: true } })
  })
})

describe('what is no provider, and what is no answer', () => {
  test.each([
    ['an empty object', () => fromAtlasProvider({} as AtlasProvider, 'm'), /no `complete` and no `id`/],
    ['nothing', () => fromAtlasProvider(undefined as never, 'm'), /no `complete`/],
    ['one without a name', () => fromChatProvider({ chat: async () => ({}) } as never, 'm'), /no `name`/],
    ['a text', () => fromChatProvider('gpt' as never, 'm'), /no `chat`/],
    ['a client that cannot be called', () => fromLlmClient({ close: () => {} } as never, 'a/m'), /no `call`/],
  ])('%s is refused at once, with what is missing', (_name, make, message) => {
    expect(make).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID', message: expect.stringMatching(message) }))
  })

  test.each([
    ['no chunks', fromAtlasProvider({ id: 'a', complete: async () => 5, capabilities: {} } as never, 'm')],
    ['no lists', fromChatProvider({ name: 'a', chat: async () => ({ text: 'x' }) } as never, 'm')],
    ['nothing', fromChatProvider({ name: 'a', chat: async () => undefined } as never, 'm')],
    ['nothing to a client', fromLlmClient({ call: async () => undefined } as never, 'a/m')],
  ])('an answer with %s is a failed call that names the provider', async (_name, model) => {
    await expect(collectReply(model.stream(hello, call))).rejects.toMatchObject({
      code: 'MODEL_FAILED',
      message: expect.stringContaining('"a" answered with'),
      info: { retriable: false },
    })
  })
})
