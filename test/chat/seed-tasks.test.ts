import { describe, expect, test } from 'vitest'
import {
  AgentRuntime,
  Atlas,
  ProviderRegistry,
  agent,
  chatText,
  conversationToProviderRequest,
  providerChunksToAssistantMessage,
  tool,
} from 'mandate/chat'
import type { ChatMessage, Conversation } from 'mandate/chat'
import { MandateError } from 'mandate'
import { scripted } from 'mandate/model'
import { call, done, testProvider, text } from './provider.fixture.ts'

const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
const weather = tool<{ city: string }>({ name: 'weather', parameters, risk: 'read' }, ({ city }) => `sunny in ${city}`)
const said = (role: ChatMessage['role'], content: ChatMessage['content'], id = `${role}-1`): ChatMessage => ({
  ...{ id, role, createdAt: 1, content },
})
const words = (value: string): ChatMessage['content'] => [{ type: 'text', text: value }]

const history: Conversation = {
  id: 'c1',
  messages: [
    said('user', words('How is Rome?'), 'u1'),
    said('assistant', [{ type: 'tool_call', toolCallId: 'k1', name: 'weather', arguments: { city: 'Rome' } }], 'a1'),
    said('tool', [{ type: 'tool_result', toolCallId: 'k1', status: 'ok', result: { sky: 'blue' } }], 't1'),
    said('assistant', words('Sunny.'), 'a2'),
  ],
}

describe('§7.1: the least that works', () => {
  test('agents are plain data that says what was given', () => {
    const options = {
      id: 'helper',
      provider: 'test',
      model: 'm',
      systemPrompt: 'Be brief.',
      temperature: 0.5,
      maxTokens: 99,
    }
    expect(agent(options)).toEqual({ id: 'helper', options })
    expect(() => agent({ id: 'a b', model: 'm' })).toThrow('The agent id')
    expect(() => agent({ id: 'a', model: 'm', sistemPrompt: 'x' } as never)).toThrow('`systemPrompt`')
    expect(() => agent({ id: 'a', provider: 'test', model: scripted(['x']) })).toThrow('leave `provider` out')
  })

  test('a runtime is made of an agent and a registry, and answers without streaming', async () => {
    const provider = testProvider([[...text('Hello ', 'there.'), done]])
    const runtime = new AgentRuntime(
      agent({ id: 'helper', provider: 'test', model: 'm', tools: [weather] }),
      new ProviderRegistry([provider]),
    )
    expect(runtime).toMatchObject({ providerId: 'test', agent: { id: 'helper' } })
    expect([...runtime.tools.keys()]).toEqual(['weather'])
    const result = await runtime.chat(history, 'And now?')
    expect(result).toMatchObject({
      assistantMessage: { role: 'assistant', content: words('Hello there.') },
      intermediateMessages: [],
    })
    expect(provider.methods).toEqual(['complete'])
    expect(provider.asked[0]!.messages.map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'tool',
      'assistant',
      'user',
    ])
  })

  test('a message that is already the last of the conversation is asked once', async () => {
    const provider = testProvider([[...text('Yes.'), done]])
    const runtime = new AgentRuntime(
      agent({ id: 'helper', provider: 'test', model: 'm' }),
      new ProviderRegistry([provider]),
    )
    const next = said('user', words('Again?'), 'u2')
    await runtime.chat({ ...history, messages: [...history.messages, next] }, next)
    expect(provider.asked[0]!.messages.filter(({ content }) => content === 'Again?')).toHaveLength(1)
  })

  test('a registry knows its providers, and refuses what is none or there already', () => {
    const providers = new ProviderRegistry([testProvider([])])
    expect(providers.has('test')).toBe(true)
    expect(() => providers.get('other')).toThrow('Registered: test')
    expect(() => providers.register(testProvider([]))).toThrow('already registered')
    expect(() => providers.register({ id: 'x' } as never)).toThrow('no `complete`')
  })

  test('a conversation is translated without loss', () => {
    const helper = agent({
      id: 'helper',
      provider: 'test',
      model: 'm',
      systemPrompt: 'Be brief.',
      tools: [weather],
      temperature: 0.1,
      maxTokens: 50,
      toolChoice: 'weather',
    })
    const providers = [testProvider([])]
    expect(conversationToProviderRequest(history, helper, { systemPrompt: 'Be kind.', providers })).toEqual({
      model: 'm',
      messages: [
        { role: 'system', content: 'Be kind.\n\nBe brief.' },
        { role: 'user', content: 'How is Rome?' },
        { role: 'assistant', content: '', tool_calls: [{ id: 'k1', name: 'weather', arguments: { city: 'Rome' } }] },
        { role: 'tool', content: '{"sky":"blue"}', tool_call_id: 'k1', name: 'weather' },
        { role: 'assistant', content: 'Sunny.' },
      ],
      tools: [{ name: 'weather', parameters }],
      toolChoice: 'weather',
      temperature: 0.1,
      maxTokens: 50,
    })
    const deaf = [testProvider([], { tools: false })]
    expect(conversationToProviderRequest(history, helper, { providers: deaf })).not.toHaveProperty('tools')
  })

  test('chunks make one message: the text, then the calls', () => {
    const chunks = [
      ...text('Let me '),
      ...text('look.'),
      call('weather', { city: 'Rome' }, 'k1'),
      call('weather', '{"city":', 'k2'),
      done,
      ...text('late'),
    ]
    expect(providerChunksToAssistantMessage(chunks)).toEqual({
      id: expect.any(String),
      role: 'assistant',
      createdAt: expect.any(Number),
      content: [
        { type: 'text', text: 'Let me look.' },
        { type: 'tool_call', toolCallId: 'k1', name: 'weather', arguments: { city: 'Rome' } },
        { type: 'tool_call', toolCallId: 'k2', name: 'weather', arguments: '{"city":' },
      ],
    })
  })
})

describe('§7.2: tools', () => {
  test('a tool is its definition and its handler', () => {
    expect(weather).toMatchObject({ definition: { name: 'weather', parameters }, handler: expect.any(Function) })
    expect(() => tool({ name: 'x' }, undefined as never)).toThrow('a function as its handler')
    expect(() => tool({ name: 'x', rsik: 'read' } as never, () => 1)).toThrow('`risk`')
  })

  test('a definition alone is bound to the handler that Atlas has, or refused', async () => {
    const provider = testProvider([
      [call('weather', { city: 'Oslo' }), done],
      [...text('Snow.'), done],
    ])
    const helper = agent({
      id: 'helper',
      provider: 'test',
      model: 'm',
      tools: [{ name: 'weather', description: 'Ours.', parameters }],
    })
    expect(() => new Atlas({ providers: [provider], agents: [helper] })).toThrow('nothing says what it does')
    const atlas = new Atlas({ providers: [provider], agents: [helper], tools: [weather] })
    await atlas.ask('Oslo?')
    expect(provider.asked[0]!.tools).toEqual([{ name: 'weather', description: 'Ours.', parameters }])
    expect(provider.asked[1]!.messages.at(-1)!.content).toBe('sunny in Oslo')
  })

  test('chat carries out the calls of a reply, several at once, and asks again until there are none', async () => {
    const provider = testProvider([
      [call('weather', { city: 'Rome' }, 'k1'), call('weather', { city: 'Oslo' }, 'k2'), done],
      [call('weather', { city: 'Bern' }, 'k1'), done],
      [...text('All sunny.'), done],
    ])
    const runtime = new AgentRuntime(
      agent({ id: 'helper', provider: 'test', model: 'm', tools: [weather] }),
      new ProviderRegistry([provider]),
    )
    const { assistantMessage, intermediateMessages } = await runtime.chat({ id: 'c', messages: [] }, 'Everywhere?')
    expect(chatText(assistantMessage)).toBe('All sunny.')
    expect(intermediateMessages.map(({ role, content }) => [role, content.length])).toEqual([
      ['assistant', 2],
      ['tool', 1],
      ['tool', 1],
      ['assistant', 1],
      ['tool', 1],
    ])
    expect(
      intermediateMessages.flatMap(({ content }) =>
        content.flatMap((part) => (part.type === 'tool_result' ? [part.result] : [])),
      ),
    ).toEqual([...['sunny in Rome', 'sunny in Oslo', 'sunny in Bern']])
  })
})

describe('§7.3: streams', () => {
  test('chat streams the provider, calls in mid-stream included', async () => {
    const provider = testProvider([
      [...text('Look'), ...text('ing.'), call('weather', { city: 'Rome' }), done],
      [...text('Sun', 'ny.'), done],
    ])
    const runtime = new AgentRuntime(
      agent({ id: 'helper', provider: 'test', model: 'm', tools: [weather] }),
      new ProviderRegistry([provider]),
    )
    const stream = await runtime.chat({ id: 'c', messages: [] }, 'Rome?', { streaming: true })
    const pieces: string[] = []
    for await (const piece of stream) pieces.push(piece)
    expect(pieces).toEqual(['Look', 'ing.', '\nSun', 'ny.'])
    expect(provider.methods).toEqual(['stream', 'stream'])
    expect(chatText((await stream.result).assistantMessage)).toBe(pieces.join(''))
    expect(await stream.finalMessage).toEqual((await stream.result).assistantMessage)
    expect(stream.streamId).toEqual(expect.any(String))
  })

  test('a provider that cannot stream gives its text to the stream in one piece', async () => {
    const provider = testProvider([[...text('All at once.'), done]], { streaming: false })
    const atlas = new Atlas({ providers: [provider], agents: [agent({ id: 'helper', provider: 'test', model: 'm' })] })
    const pieces: string[] = []
    for await (const piece of atlas.send('Hi.')) pieces.push(piece)
    expect(pieces).toEqual(['All at once.'])
    expect(provider.methods).toEqual(['complete'])
  })
})

describe('§7.4: several agents', () => {
  const two = ['first', 'second'].map((id) =>
    agent({ id, model: scripted([`I am ${id}.`, `Still ${id}.`], { name: id }) }),
  )

  test('agents are given in the options; the default one answers, else the first', async () => {
    expect(new Atlas().getAgent()).toBeNull()
    expect(new Atlas({ agents: two }).getAgent()?.id).toBe('first')
    const atlas = new Atlas({ agents: two, defaultAgentId: 'second' })
    expect(atlas.getAgent()).toBe(two[1])
    expect(chatText(await atlas.ask('Who?'))).toBe('I am second.')
    expect(() => new Atlas({ agents: two, defaultAgentId: 'third' })).toThrow('no agent "third"')
  })

  test('setAgent and setAgentById change who answers from then on', async () => {
    const atlas = new Atlas({ agents: [two[0]!] })
    expect(atlas.setAgent(two[1]!).getAgent()).toBe(two[1])
    expect(chatText(await atlas.ask('Who?'))).toBe('I am second.')
    expect(atlas.setAgentById('first').getAgent()).toBe(two[0])
    expect(() => atlas.setAgentById('third')).toThrow(MandateError)
  })

  test('ask and send go to the agent that is named, and to the current one otherwise', async () => {
    const atlas = new Atlas({ agents: two })
    const named = await atlas.ask('Who?', { agentId: 'second' })
    const sent = await atlas.send('Who?').finalMessage
    expect([named.metadata, sent.metadata]).toEqual([{ agentId: 'second' }, { agentId: 'first' }])
    await expect(atlas.ask('Who?', { agentId: 'nobody' })).rejects.toThrow('no agent "nobody"')
  })

  test('nobody to answer is an error, and the message stays', async () => {
    const atlas = new Atlas()
    await expect(atlas.ask('Anyone?')).rejects.toThrow('no agent to answer')
    expect((await atlas.getConversation()).messages.map(chatText)).toEqual(['Anyone?'])
    atlas.setAgent(two[0]!)
    expect(chatText(await atlas.ask('Who?'))).toBe('I am first.')
  })
})
