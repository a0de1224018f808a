import { describe, expect, test } from 'vitest'
import { Atlas, ProviderError, agent, chatText, tool } from 'mandate/chat'
import type { AtlasStream, ChatMessage, ProviderResponseChunk } from 'mandate/chat'
import { scripted } from 'mandate/model'
import { call, done, failing, firstPiece, hanging, testProvider, text } from './provider.fixture.ts'
import type { Answer } from './provider.fixture.ts'

const NO_INPUT = { type: 'object', properties: {} }
const once = (name: string, run: (signal: AbortSignal) => unknown) =>
  tool({ name, parameters: NO_INPUT, risk: 'read' }, (_args, { signal }) => run(signal))

function atlasWith(answers: readonly Answer[], tools: ReturnType<typeof once>[] = [], more = {}) {
  const provider = testProvider(answers)
  const atlas = new Atlas({
    providers: [provider],
    agents: [agent({ id: 'helper', provider: 'test', model: 'm', tools })],
    ...more,
  })
  const events: string[] = []
  for (const name of ['stream:end', 'message:received', 'tool:called', 'tool:result', 'error'])
    atlas.on(name, (payload) => void events.push(name === 'stream:end' ? JSON.stringify(payload) : name))
  return { atlas, provider, events }
}

describe('§8: one provider for each agent', () => {
  test('an agent of the same id with another provider is refused: it is another agent', () => {
    const [one, two] = [testProvider([], {}, 'one'), testProvider([], {}, 'two')]
    const atlas = new Atlas({ providers: [one, two], agents: [agent({ id: 'helper', provider: 'one', model: 'm' })] })
    expect(() => atlas.registerAgent({ id: 'helper', provider: 'two', model: 'm' })).toThrow('already registered')
    expect(() => atlas.setAgent(agent({ id: 'helper', provider: 'two', model: 'm' }))).toThrow('already registered')
    expect(atlas.getAgent()?.options.provider).toBe('one')
  })
})

describe('§8: names of tools', () => {
  test('two tools of one name within an agent are refused', () => {
    const tools = [once('look', () => 1), once('look', () => 2)]
    expect(() => agent({ id: 'a', model: 'm', tools })).toThrow('two tools named "look"')
  })

  test('two agents may have tools of one name that do different things', async () => {
    const answers = [
      [call('look', {}), done],
      [...text('Done.'), done],
    ]
    const provider = testProvider([...answers, ...answers])
    const agents = ['one', 'two'].map((id) =>
      agent({ id, provider: 'test', model: id, tools: [once('look', () => `seen by ${id}`)] }),
    )
    const atlas = new Atlas({ providers: [provider], agents })
    await atlas.ask('Look.')
    await atlas.setAgentById('two').ask('Look.')
    expect(provider.asked[1]!.messages.at(-1)!.content).toBe('seen by one')
    expect(provider.asked[3]!.messages.at(-1)!.content).toBe('seen by two')
  })
})

describe('§8: the history window', () => {
  const rounds = (count: number): Answer[] =>
    Array.from({ length: count }, (_, index) => [...text(`answer ${index + 1}`), done])

  test('maxMessages shows the last ones, and the system prompt always', async () => {
    const { atlas, provider } = atlasWith(rounds(4), [], { history: { maxMessages: 3 }, systemPrompt: 'Be kind.' })
    for (const question of ['q1', 'q2', 'q3', 'q4']) await atlas.ask(question)
    expect(provider.asked[3]!.messages.map(({ content }) => content)).toEqual(['Be kind.', 'q3', 'answer 3', 'q4'])
    expect((await atlas.getConversation()).messages).toHaveLength(8)
  })

  test('maxTokens shows what fits', async () => {
    const { atlas, provider } = atlasWith(rounds(3), [], { history: { maxTokens: 40 } })
    for (const question of ['a '.repeat(60), 'b '.repeat(10), 'c '.repeat(10)]) await atlas.ask(question)
    const shown = provider.asked[2]!.messages.map(({ content }) => content!.slice(0, 1)).join('')
    expect(shown).not.toContain('a b')
    expect(provider.asked[2]!.messages.at(-1)!.content).toContain('c ')
    expect(provider.asked[2]!.messages.length).toBeLessThan(5)
  })

  test('a call is never shown without its result', async () => {
    const answers: Answer[] = [
      [call('look', {}), done],
      [...text('one'), done],
      [...text('two'), done],
    ]
    for (const maxMessages of [1, 2, 3, 4]) {
      const { atlas, provider } = atlasWith(answers, [once('look', () => 'seen')], { history: { maxMessages } })
      await atlas.ask('q1')
      await atlas.ask('q2')
      for (const { messages } of provider.asked) {
        const calls = messages.flatMap(({ tool_calls = [] }) => tool_calls.map(({ id }) => id))
        expect(messages.flatMap(({ tool_call_id }) => tool_call_id ?? [])).toEqual(calls)
      }
    }
  })
})

describe('§8: errors', () => {
  test('a handler that throws or rejects gives a result with status error, and the model goes on', async () => {
    const answers: Answer[] = [
      [call('one', {}, 'k1'), call('two', {}, 'k2'), done],
      [...text('Sorry.'), done],
    ]
    const tools = [
      once('one', () => {
        throw new Error('no such thing')
      }),
      once('two', async () => Promise.reject(new Error('not now'))),
    ]
    const { atlas, provider } = atlasWith(answers, tools)
    expect(chatText(await atlas.ask('Try.'))).toBe('Sorry.')
    const { messages } = await atlas.getConversation()
    const results = messages.filter(({ role }) => role === 'tool').flatMap(({ content }) => content)
    expect(results).toEqual([
      { type: 'tool_result', toolCallId: 'k1', status: 'error', result: expect.stringContaining('no such thing') },
      { type: 'tool_result', toolCallId: 'k2', status: 'error', result: expect.stringContaining('not now') },
    ])
    expect(provider.asked[1]!.messages.at(-2)!.content).toContain('no such thing')
  })

  test('a provider that fails rejects with a ProviderError, and is told as an error', async () => {
    const { atlas } = atlasWith([failing('quota used up'), failing('quota used up'), [...text('Back.'), done]])
    const errors: unknown[] = []
    atlas.on('error', (error) => errors.push(error))
    await expect(atlas.ask('Hi.')).rejects.toBeInstanceOf(ProviderError)
    const stream = atlas.send('Hi.')
    await expect(collect(stream)).rejects.toThrow('quota used up')
    expect(stream.status).toBe('failed')
    expect(errors).toHaveLength(2)
    expect(errors[0]).toMatchObject({ name: 'ProviderError', code: 'MODEL_FAILED', status: 400, retriable: false })
    expect(chatText(await atlas.ask('Hi.'))).toBe('Back.')
  })

  test('what a provider said before it failed is kept, and marked', async () => {
    const breaking: Answer = async function* (): AsyncGenerator<ProviderResponseChunk> {
      yield* text('It is ')
      throw Object.assign(new Error('broken'), { status: 400 })
    }
    const { atlas, provider, events } = atlasWith([breaking, [...text('Yes.'), done]])
    const stream = atlas.send('Time?')
    await expect(stream.finalMessage).rejects.toThrow('broken')
    const { messages } = await atlas.getConversation()
    expect(messages.at(-1)).toMatchObject({
      role: 'assistant',
      content: [{ type: 'text', text: 'It is ' }],
      metadata: { failed: true },
    })
    expect(events).toEqual(['error', JSON.stringify({ streamId: stream.streamId, failed: true })])
    await atlas.ask('Again?')
    expect(provider.asked[1]!.messages.map(({ content }) => content)).toEqual(['Time?', 'It is ', 'Again?'])
  })
})

async function collect(stream: AtlasStream): Promise<string> {
  let all = ''
  for await (const piece of stream) all += piece
  return all
}

describe('§8: cancelling a stream', () => {
  test('the provider is cut in mid-sentence; what was said is kept and marked; the end says so', async () => {
    const story = hanging('Once upon')
    const { atlas, provider, events } = atlasWith([story.answer, [...text('Yes.'), done]])
    const stream = atlas.send('Tell me a story.')
    await firstPiece(stream)
    await stream.cancel()
    const final = await stream.finalMessage
    expect(final).toMatchObject({ content: [{ type: 'text', text: 'Once upon' }], metadata: { cancelled: true } })
    expect([story.cuts, stream.status]).toEqual([1, 'cancelled'])
    expect(events[0]).toBe(JSON.stringify({ streamId: stream.streamId, cancelled: true }))
    expect((await atlas.getConversation()).messages.at(-1)).toEqual(final)
    await atlas.ask('More?')
    expect(provider.asked[1]!.messages.map(({ content }) => content)).toEqual([
      'Tell me a story.',
      'Once upon',
      'More?',
    ])
  })

  test('a tool is cut, no further one starts, and the provider is not asked again', async () => {
    const begun: string[] = []
    let isCut = false
    const slow = once('slow', (signal) => {
      begun.push('slow')
      return new Promise((_resolve, reject) =>
        signal.addEventListener('abort', () => {
          isCut = true
          reject(new Error('cut'))
        }),
      )
    })
    const { atlas, provider, events } = atlasWith(
      [
        [...text('Working.'), call('slow', {}, 'k1'), done],
        [...text('Never.'), done],
      ],
      [slow],
    )
    const called = new Promise<void>((resolve) => void atlas.on('tool:called', () => resolve()))
    const stream = atlas.send('Go.')
    await called
    await until(() => begun.length === 1)
    await stream.cancel()
    expect(await stream.finalMessage).toMatchObject({ content: [{ text: 'Working.' }], metadata: { cancelled: true } })
    expect([isCut, provider.asked.length]).toEqual([true, 1])
    expect(events.filter((name) => name === 'tool:called')).toHaveLength(1)
    const { messages } = await atlas.getConversation()
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant'])
    expect(messages[2]).toMatchObject({
      content: [{ toolCallId: 'k1', status: 'error' }],
      metadata: { status: 'cancelled' },
    })
  })

  test('one that waits for its turn is never sent', async () => {
    const { atlas, provider } = atlasWith([hanging('Once').answer, [...text('Third.'), done]])
    const [first, second, third] = ['1', '2', '3'].map((one) => atlas.send(one))
    await firstPiece(first!)
    const cancelled = second!.cancel()
    await first!.cancel()
    await cancelled
    expect(chatText(await third!.finalMessage)).toBe('Third.')
    expect(await second!.finalMessage).toMatchObject({ metadata: { cancelled: true } })
    const { messages } = await atlas.getConversation()
    expect(messages.map((message: ChatMessage) => chatText(message))).toEqual(['1', 'Once', '3', 'Third.'])
    expect(provider.asked).toHaveLength(2)
  })

  test('a signal does the same to ask', async () => {
    const { atlas } = atlasWith([hanging('Once').answer])
    const control = new AbortController()
    atlas.on('message:sent', () => queueMicrotask(() => control.abort()))
    expect(await atlas.ask('Go.', { signal: control.signal })).toMatchObject({ metadata: { cancelled: true } })
  })
})

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise<void>((resolve) => setTimeout(resolve, 1))
}

test('a scripted model needs no provider', async () => {
  const atlas = new Atlas({ agents: [{ id: 'helper', model: scripted(['Hello.']) }] })
  expect(chatText(await atlas.ask('Hi.'))).toBe('Hello.')
})
