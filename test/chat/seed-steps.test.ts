import { describe, expect, test } from 'vitest'
import { Atlas, agent, chatText, tool } from 'mandate/chat'
import type { AtlasOptions, ChatMessage, ToolHandlerContext } from 'mandate/chat'
import { call, done, testProvider, text } from './provider.fixture.ts'
import type { Answer, TestProvider } from './provider.fixture.ts'

const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }

interface Bench {
  readonly atlas: Atlas
  readonly provider: TestProvider
  readonly contexts: ToolHandlerContext[]
  readonly events: { readonly name: string; readonly payload: unknown }[]
}

const NAMES = [
  ...['message:sent', 'message:received', 'stream:start', 'stream:chunk', 'stream:end', 'tool:called', 'tool:result'],
  'error',
]

function bench(answers: readonly Answer[], options: AtlasOptions = {}): Bench {
  const provider = testProvider(answers)
  const contexts: ToolHandlerContext[] = []
  const weather = tool<{ city: string }>(
    { name: 'weather', description: 'Tells the weather.', parameters, risk: 'read' },
    async ({ city }, context) => {
      contexts.push(context)
      return `sunny in ${city}`
    },
  )
  const helper = agent({
    id: 'helper',
    provider: 'test',
    model: 'gpt-test',
    systemPrompt: 'Be brief.',
    tools: [weather],
  })
  const atlas = new Atlas({ providers: [provider], agents: [helper], systemPrompt: 'Be kind.', ...options })
  const events: Bench['events'] = []
  for (const name of NAMES) atlas.on(name, (payload) => void events.push({ name, payload }))
  return { atlas, provider, contexts, events }
}

const names = ({ events }: Bench): string[] => events.map(({ name }) => name)
const withTool: readonly Answer[] = [
  [...text('Let me look.'), call('weather', { city: 'Rome' }, 'c1'), done],
  [...text('It is ', 'sunny.'), done],
]

describe('§5.1: ask', () => {
  test('1 and 10: it resolves with the answer of the agent', async () => {
    const { atlas } = bench([[...text('A socket that stays open.'), done]])
    const reply = await atlas.ask('Explain WebSockets')
    expect(reply).toMatchObject({ role: 'assistant', content: [{ type: 'text', text: 'A socket that stays open.' }] })
  })

  test('2: the user message has an id, a time and one text part, passes the interceptor, and is stored', async () => {
    const seen: ChatMessage[] = []
    const outgoingMessage = (message: ChatMessage): ChatMessage => {
      seen.push(message)
      return { ...message, content: [{ type: 'text', text: 'Explain WebSockets, please' }] }
    }
    const { atlas } = bench([[...text('Yes.'), done]], { interceptors: { outgoingMessage } })
    await atlas.ask('Explain WebSockets')
    expect(seen).toEqual([
      {
        id: expect.any(String),
        role: 'user',
        createdAt: expect.any(Number),
        content: [{ type: 'text', text: 'Explain WebSockets' }],
      },
    ])
    const { messages } = await atlas.getConversation()
    expect(messages[0]).toEqual({ ...seen[0], content: [{ type: 'text', text: 'Explain WebSockets, please' }] })
  })

  test('3: the agent of the option answers, else the current one', async () => {
    const { atlas, provider } = bench([
      [...text('one'), done],
      [...text('two'), done],
    ])
    atlas.registerAgent({ id: 'other', provider: 'test', model: 'large' })
    await atlas.ask('Hi.', { agentId: 'other' })
    await atlas.ask('Hi.')
    expect(provider.asked.map(({ model }) => model)).toEqual(['large', 'gpt-test'])
  })

  test('4: the request has the prompts of Atlas and agent first, then each message once, and the tools', async () => {
    const { atlas, provider } = bench([
      [...text('one'), done],
      [...text('two'), done],
    ])
    await atlas.ask('First?')
    await atlas.ask('Second?')
    expect(provider.asked[1]).toMatchObject({
      model: 'gpt-test',
      messages: [
        { role: 'system', content: 'Be kind.\n\nBe brief.' },
        { role: 'user', content: 'First?' },
        { role: 'assistant', content: 'one' },
        { role: 'user', content: 'Second?' },
      ],
      tools: [{ name: 'weather', description: 'Tells the weather.', parameters }],
    })
  })

  test('4: tools are not sent to a provider that cannot call them', async () => {
    const deaf = testProvider([[...text('one'), done]], { tools: false }, 'deaf')
    const { atlas } = bench([], { providers: [deaf, testProvider([])] })
    const parrot = tool({ name: 'parrot', parameters: { type: 'object', properties: {} }, risk: 'read' }, () => 'hi')
    await atlas.setAgent(agent({ id: 'deaf', provider: 'deaf', model: 'm', tools: [parrot] })).ask('Hi.')
    expect(deaf.asked[0]).not.toHaveProperty('tools')
  })

  test('5: the provider is asked with `complete`', async () => {
    const { atlas, provider } = bench(withTool)
    await atlas.ask('How is the weather?')
    expect(provider.methods).toEqual(['complete', 'complete'])
  })

  test('6: the texts of the chunks make one text part', async () => {
    const { atlas } = bench([[...text('It ', 'is ', 'noon.'), done]])
    expect((await atlas.ask('Time?')).content).toEqual([{ type: 'text', text: 'It is noon.' }])
  })

  test('7: a call and its result are messages, and the provider is asked again with them', async () => {
    const { atlas, provider } = bench(withTool)
    await atlas.ask('How is the weather?')
    expect(provider.asked[1]!.messages.slice(2)).toEqual([
      {
        role: 'assistant',
        content: 'Let me look.',
        tool_calls: [{ id: 'c1', name: 'weather', arguments: { city: 'Rome' } }],
      },
      { role: 'tool', content: 'sunny in Rome', tool_call_id: 'c1', name: 'weather' },
    ])
    const { messages } = await atlas.getConversation()
    expect(messages.map(({ role, content }) => [role, content])).toEqual([
      ['user', [{ type: 'text', text: 'How is the weather?' }]],
      ['assistant', [{ type: 'tool_call', toolCallId: 'c1', name: 'weather', arguments: { city: 'Rome' } }]],
      ['tool', [{ type: 'tool_result', toolCallId: 'c1', status: 'ok', result: 'sunny in Rome' }]],
      ['assistant', [{ type: 'text', text: 'Let me look.\nIt is sunny.' }]],
    ])
  })

  test('9: every message is there once, and the events are told', async () => {
    const made = bench(withTool)
    const reply = await made.atlas.ask('How is the weather?')
    const { messages } = await made.atlas.getConversation()
    expect(new Set(messages.map(({ id }) => id)).size).toBe(4)
    expect(names(made)).toEqual(['message:sent', 'tool:called', 'tool:result', 'message:received'])
    expect(made.events[0]!.payload).toEqual(messages[0])
    expect(made.events[3]!.payload).toEqual(reply)
    expect(messages[3]).toEqual(reply)
  })
})

describe('§5.2: send', () => {
  test('1: the stream is there at once', async () => {
    const { atlas } = bench([[...text('Hi.'), done]])
    const stream = atlas.send('Hello.')
    expect(stream.streamId).toEqual(expect.any(String))
    expect(chatText(await stream.finalMessage)).toBe('Hi.')
  })

  test('2: the message is stored before it is told as sent', async () => {
    const { atlas } = bench([[...text('Hi.'), done]])
    const stored: unknown[] = []
    atlas.on('message:sent', async (message) => {
      const { messages } = await atlas.getConversation()
      stored.push(messages.at(-1)?.id === message.id)
    })
    await atlas.send({ id: 'm1', role: 'user', createdAt: 1, content: [{ type: 'text', text: 'Hello.' }] }).finalMessage
    expect(stored).toEqual([true])
  })

  test('3 and 4: agent and request are found as in ask', async () => {
    const { atlas, provider } = bench([[...text('Hi.'), done]])
    await atlas.send('Hello.').finalMessage
    expect(provider.asked[0]!.messages).toEqual([
      { role: 'system', content: 'Be kind.\n\nBe brief.' },
      { role: 'user', content: 'Hello.' },
    ])
  })

  test('5: the provider is asked with `stream`', async () => {
    const { atlas, provider } = bench(withTool)
    await atlas.send('How is the weather?').finalMessage
    expect(provider.methods).toEqual(['stream', 'stream'])
  })

  test('6: every piece of text is told as it comes', async () => {
    const made = bench([[...text('It ', 'is ', 'noon.'), done]])
    const stream = made.atlas.send('Time?')
    const pieces: string[] = []
    for await (const piece of stream) pieces.push(piece)
    expect(pieces).toEqual(['It ', 'is ', 'noon.'])
    const chunks = made.events.filter(({ name }) => name === 'stream:chunk').map(({ payload }) => payload)
    expect(chunks).toEqual(pieces.map((piece) => ({ chunk: { type: 'text', text: piece }, streamId: stream.streamId })))
  })

  test('7: a call in mid-stream is carried out, told of, and the same stream goes on', async () => {
    const made = bench(withTool)
    const stream = made.atlas.send('How is the weather?')
    const { streamId } = stream
    await stream.finalMessage
    expect(names(made)).toEqual([
      ...['message:sent', 'stream:start', 'stream:chunk', 'tool:called', 'tool:result'],
      ...['stream:chunk', 'stream:chunk', 'stream:end', 'message:received'],
    ])
    expect(made.events[3]!.payload).toEqual({ tool: 'weather', args: { city: 'Rome' }, toolCallId: 'c1', streamId })
    expect(made.events[4]!.payload).toEqual({
      tool: 'weather',
      toolCallId: 'c1',
      status: 'ok',
      result: 'sunny in Rome',
      streamId,
    })
    for (const { name, payload } of made.events)
      if (name.startsWith('stream')) expect(payload).toMatchObject({ streamId })
  })

  test('7: the handler is told of the conversation, the agent and the stream', async () => {
    const { atlas, contexts } = bench(withTool)
    const stream = atlas.send('How is the weather?')
    await stream.finalMessage
    const [context] = contexts
    expect(context).toMatchObject({ requestId: stream.streamId, toolCallId: 'c1', agent: { id: 'helper' } })
    expect(context!.conversation.id).toBe(atlas.conversationId)
    expect(context!.conversation.messages.map(({ role }) => role)).toEqual(['user', 'assistant'])
  })

  test('8: the final message is one text of all passes; the stream ends, then the message is received', async () => {
    const made = bench(withTool)
    const stream = made.atlas.send('How is the weather?')
    let pieces = ''
    for await (const piece of stream) pieces += piece
    const final = await stream.finalMessage
    expect(final.content).toEqual([{ type: 'text', text: pieces }])
    expect(names(made).slice(-2)).toEqual(['stream:end', 'message:received'])
    expect((await made.atlas.getConversation()).messages.at(-1)).toEqual(final)
    expect(stream.status).toBe('completed')
  })

  test('ask and send come to the same text', async () => {
    const [asked, sent] = [bench(withTool), bench(withTool)]
    const whole = await asked.atlas.ask('How is the weather?')
    expect(chatText(await sent.atlas.send('How is the weather?').finalMessage)).toBe(chatText(whole))
  })
})
