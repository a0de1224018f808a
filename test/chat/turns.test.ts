import { describe, expect, test } from 'vitest'
import { AgentService } from 'mandate'
import type { MandateError } from 'mandate'
import { Atlas, agent, chatText, databaseConversations, tool } from 'mandate/chat'
import type { AtlasOptions, ChatMessage } from 'mandate/chat'
import { inMemoryDatabase } from 'mandate/memory'
import { secretRedactor } from 'mandate/redact'
import { scripted } from 'mandate/model'
import { call, done, failing, testProvider, text } from './provider.fixture.ts'
import type { Answer } from './provider.fixture.ts'

const NO_INPUT = { type: 'object', properties: {} }
const look = tool(
  { name: 'look', parameters: { ...NO_INPUT, properties: { at: { type: 'string' } }, required: ['at'] }, risk: 'read' },
  ({ at }: { at: string }) => `seen ${at}`,
)

function talk(answers: readonly Answer[], options: AtlasOptions = {}) {
  const provider = testProvider(answers)
  const helper = agent({ id: 'helper', provider: 'test', model: 'm', tools: [look], maxTurns: 3 })
  const atlas = new Atlas({ providers: [provider], agents: [helper], ...options })
  const events: [string, unknown][] = []
  for (const name of ['tool:called', 'tool:result', 'error', 'message:sent', 'stream:chunk', 'message:received'])
    atlas.on(name, (payload) => void events.push([name, payload]))
  return { atlas, provider, events }
}

test('the window of Atlas holds for agents of the service, too, unless they have their own', async () => {
  const script = (): ReturnType<typeof scripted> => scripted((_request, { position }) => `answer ${position + 1}`)
  const [plain, narrow] = [script(), script()]
  const agents = [
    { id: 'plain', model: plain },
    { id: 'narrow', model: narrow, history: { maxMessages: 1 } },
  ]
  const service = new AgentService({ agents })
  for (const agentId of ['plain', 'narrow']) {
    const atlas = new Atlas({ service, defaultAgentId: agentId, history: { maxMessages: 3 } })
    for (const question of ['q1', 'q2', 'q3']) await atlas.ask(question)
    expect((await atlas.getConversation()).messages).toHaveLength(6)
  }
  expect([plain, narrow].map(({ requests }) => requests[2]!.messages.length)).toEqual([3, 1])
  // What no model is shown is not written down with every turn either.
  const inputs = await Promise.all((await service.runs()).map(async ({ run }) => firstInput(service, run)))
  expect(inputs.map(({ history }) => history.length).toSorted((a, b) => a - b)).toEqual([0, 0, 0, 0, 2, 2])
  await service.stop()
})

async function firstInput(service: AgentService, run: string): Promise<{ readonly history: readonly unknown[] }> {
  for await (const { type, data } of service.journal.read(run))
    if (type === 'run-start' && data !== null) return data.input as unknown as { readonly history: readonly unknown[] }
  throw new Error('no start')
}

describe('what goes wrong with a call goes back to the model', () => {
  test.each([
    ['a tool that is not known', call('lok', {}, 'k1'), /lok/],
    ['arguments that are no JSON', call('look', '{"at":', 'k1'), /not valid JSON/],
    ['arguments that do not fit', call('look', { at: 1 }, 'k1'), /at/],
  ])('%s', async (_name, wrong, why) => {
    const { atlas, provider, events } = talk([
      [wrong, done],
      [...text('Sorry.'), done],
    ])
    expect(chatText(await atlas.send('Look.').finalMessage)).toBe('Sorry.')
    expect(provider.asked[1]!.messages.at(-1)!.content).toMatch(why)
    expect(events.map(([name]) => name)).toEqual([
      ...['message:sent', 'tool:called', 'tool:result', 'stream:chunk', 'message:received'],
    ])
    expect(events[2]![1]).toMatchObject({ toolCallId: 'k1', status: 'error', result: expect.stringMatching(why) })
  })

  test('several calls of a reply are told in their order, each with one result', async () => {
    const calls = ['a', 'b', 'c'].map((at, index) => call('look', { at }, `k${index + 1}`))
    const { atlas, events } = talk([
      [...calls, done],
      [...text('Done.'), done],
    ])
    await atlas.send('Look.').finalMessage
    const told = (name: string) =>
      events.filter(([one]) => one === name).map(([, payload]) => (payload as { toolCallId: string }).toolCallId)
    expect(told('tool:called')).toEqual(['k1', 'k2', 'k3'])
    expect(told('tool:result').toSorted()).toEqual(['k1', 'k2', 'k3'])
  })

  test('a model that does not stop calling fails the turn at the limit', async () => {
    const { atlas, provider, events } = talk(Array.from({ length: 9 }, (_, n) => [call('look', { at: `${n}` }), done]))
    await expect(atlas.ask('Look.')).rejects.toMatchObject({ code: 'STEPS_EXHAUSTED' })
    expect(provider.asked).toHaveLength(3)
    expect(events.at(-1)).toMatchObject(['error', { code: 'STEPS_EXHAUSTED' }])
  })
})

describe('messages to one conversation are answered one after the other', () => {
  test('ten at once', async () => {
    const { atlas, provider } = talk(Array.from({ length: 10 }, (_, n) => [...text(`a${n}`), done]))
    await Promise.all(
      Array.from({ length: 10 }, (_, n) => (n % 2 === 0 ? atlas.ask(`q${n}`) : atlas.send(`q${n}`).finalMessage)),
    )
    const said = (await atlas.getConversation()).messages.map(chatText)
    expect(said).toEqual(Array.from({ length: 10 }, (_, n) => [`q${n}`, `a${n}`]).flat())
    expect(provider.asked[9]!.messages).toHaveLength(19)
  })

  test('one that fails does not hold up the next', async () => {
    const { atlas } = talk([failing('no'), [...text('Yes.'), done]])
    const [first, second] = [atlas.ask('1'), atlas.ask('2')]
    await expect(first).rejects.toThrow('no')
    expect(chatText(await second)).toBe('Yes.')
  })
})

describe('interceptors', () => {
  const shout = (message: ChatMessage): ChatMessage => ({
    ...message,
    content: [{ type: 'text', text: chatText(message).toUpperCase() }],
  })

  test('change what is sent and what is received, and models see that', async () => {
    const interceptors = { outgoingMessage: [shout], incomingMessage: async (message: ChatMessage) => shout(message) }
    const { atlas, provider, events } = talk(
      [
        [...text('look: '), call('look', { at: 'x' }), done],
        [...text('yes'), done],
        [...text('ok'), done],
      ],
      { interceptors },
    )
    expect(chatText(await atlas.ask('why'))).toBe('LOOK: \nYES')
    await atlas.ask('and')
    expect(provider.asked[2]!.messages.map(({ content }) => content)).toEqual([
      'WHY',
      '',
      'seen x',
      'LOOK: \nYES',
      'AND',
    ])
    expect(
      events.filter(([name]) => name === 'message:received').map(([, message]) => chatText(message as ChatMessage)),
    ).toEqual(['LOOK: \nYES', 'OK'])
  })

  test('null vetoes what is sent: nothing is stored and nobody is asked', async () => {
    const { atlas, provider, events } = talk([], { interceptors: { outgoingMessage: () => null } })
    await expect(atlas.ask('secret')).rejects.toMatchObject({ code: 'DENIED' })
    expect((await atlas.getConversation()).messages).toEqual([])
    expect([provider.asked.length, events.map(([name]) => name)]).toEqual([0, ['error']])
  })

  test('null vetoes what is received: the question stays, the answer does not', async () => {
    const vetoes = [true, false]
    const incomingMessage = (message: ChatMessage): ChatMessage | null => (vetoes.shift() === true ? null : message)
    const { atlas, provider, events } = talk(
      [
        [...text('bad'), done],
        [...text('good'), done],
      ],
      { interceptors: { incomingMessage } },
    )
    await expect(atlas.ask('q1')).rejects.toMatchObject({ code: 'DENIED' })
    await atlas.ask('q2')
    expect((await atlas.getConversation()).messages.map(chatText)).toEqual(['q1', 'q2', 'good'])
    expect(provider.asked[1]!.messages.map(({ content }) => content)).toEqual(['q1', 'q2'])
    expect(events.filter(([name]) => name === 'message:received')).toHaveLength(1)
  })

  test('one that throws keeps nothing, and the conversation goes on', async () => {
    const faults = [true, false]
    const incomingMessage = (message: ChatMessage): ChatMessage => {
      if (faults.shift() === true) throw new Error('broken interceptor')
      return message
    }
    const { atlas, events } = talk(
      [
        [...text('one'), done],
        [...text('two'), done],
      ],
      { interceptors: { incomingMessage } },
    )
    await expect(atlas.ask('q1')).rejects.toMatchObject({ code: 'MIND_FAILED' })
    expect(chatText(await atlas.ask('q2'))).toBe('two')
    expect(events.find(([name]) => name === 'error')).toMatchObject(['error', { code: 'MIND_FAILED' }])
  })
})

describe('events', () => {
  test('a listener that throws or rejects disturbs nothing; one that was stopped hears nothing', async () => {
    const { atlas } = talk([[...text('Hi.'), done]])
    let heard = 0
    atlas.on('message:sent', () => {
      throw new Error('broken listener')
    })
    atlas.on('message:received', async () => Promise.reject(new Error('broken listener')))
    atlas.on('message:sent', () => (heard += 1))
    atlas.on('message:sent', () => (heard += 100))()
    expect(chatText(await atlas.ask('Hi.'))).toBe('Hi.')
    expect(heard).toBe(1)
  })

  test('plugins tell events of their own', () => {
    const heard: unknown[] = []
    const { atlas } = talk([], { plugins: [(it) => void it.on('weather:changed', (sky) => heard.push(sky))] })
    atlas.emit('weather:changed', 'rain')
    expect(heard).toEqual(['rain'])
  })
})

describe('routing', () => {
  const agents = ['code', 'product'].map((id) =>
    agent({ id, model: scripted(Array(4).fill(`I am ${id}.`) as string[], { name: id }) }),
  )

  test('a strategy chooses who answers, also after a while', async () => {
    const atlas = new Atlas({ agents }).routeMessage(async (message, { agents: known, current }) => {
      expect([known.length, current === null]).toEqual([2, false])
      await Promise.resolve()
      if (chatText(message).includes('stay')) return null
      return chatText(message).includes('price') ? known[1]! : 'code'
    })
    const replies: string[] = []
    for (const question of ['a bug', 'the price', 'stay', 'a bug']) replies.push(chatText(await atlas.ask(question)))
    expect(replies).toEqual(['I am code.', 'I am product.', 'I am product.', 'I am code.'])
    expect(atlas.getAgent()?.id).toBe('code')
  })

  test('whoever is named answers, whatever the strategy would say; one that throws changes nothing', async () => {
    const atlas = new Atlas({ agents }).routeMessage(() => 'product')
    expect((await atlas.ask('Hi.', { agentId: 'code' })).metadata).toEqual({ agentId: 'code' })
    const broken = new Atlas({
      agents: agents.map(({ options }) => agent({ ...options, model: scripted(['Here.']) })),
    }).routeMessage(() => {
      throw new Error('no idea')
    })
    expect((await broken.ask('Hi.')).metadata).toEqual({ agentId: 'code' })
  })

  test('a plugin routes through events and methods alone, and adds a marked message that models see', async () => {
    const provider = testProvider([
      [...text('Hello.'), done],
      [...text('Bye.'), done],
    ])
    const atlas = new Atlas({
      providers: [provider],
      agents: ['one', 'two'].map((id) => ({ id, provider: 'test', model: id })),
    })
    atlas.use((it) => {
      it.on('message:sent', async (message) => {
        it.setAgentById('two')
        await it.addMessage({ role: 'system', content: `Routed "${chatText(message)}" to two.` })
      })
    })
    await atlas.ask('Hi.')
    const { messages } = await atlas.getConversation()
    expect(messages.map(({ role, metadata }) => [role, metadata?.['synthetic']])).toEqual([
      ['system', true],
      ['user', undefined],
      ['assistant', undefined],
    ])
    expect(provider.asked[0]).toMatchObject({
      model: 'two',
      messages: [{ content: 'Routed "Hi." to two.' }, { content: 'Hi.' }],
    })
    await atlas.addMessage({ role: 'assistant', content: 'By the way.' })
    await atlas.ask('Bye.')
    expect(provider.asked[1]!.messages.map(({ role }) => role)).toEqual([
      'user',
      'user',
      'assistant',
      'assistant',
      'user',
      'user',
    ])
  })

  test('a message that is added while a turn runs comes after it', async () => {
    const { atlas } = talk([
      [call('look', { at: 'x' }), done],
      [...text('Done.'), done],
    ])
    const added: Promise<unknown>[] = []
    atlas.on('tool:called', () => added.push(atlas.addMessage('A note.')))
    await atlas.send('Look.').finalMessage
    await Promise.all(added)
    expect((await atlas.getConversation()).messages.map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'tool',
      'assistant',
      'user',
    ])
  })
})

describe('what holds for runs holds for turns', () => {
  test('budgets', async () => {
    const provider = testProvider([
      [call('look', { at: 'x' }), done],
      [...text('Done.'), done],
    ])
    const helper = agent({ id: 'helper', provider: 'test', model: 'm', tools: [look], budget: { modelCalls: 1 } })
    const atlas = new Atlas({ providers: [provider], agents: [helper] })
    await expect(atlas.ask('Look.')).rejects.toMatchObject({ code: 'LIMIT_EXCEEDED' })
    expect(provider.asked).toHaveLength(1)
  })

  test('redaction, in what is stored, streamed and shown to the model', async () => {
    const key = `sk-${'a1B2c3D4'.repeat(6)}`
    const provider = testProvider([
      [...text(`The key is ${key}.`), done],
      [...text('Yes.'), done],
    ])
    const service = new AgentService({ redactor: secretRedactor() })
    const database = inMemoryDatabase()
    const conversations = databaseConversations(database)
    const stored: unknown[] = []
    const atlas = new Atlas({
      service,
      conversations,
      providers: [provider],
      agents: [{ id: 'helper', provider: 'test', model: 'm' }],
    })
    atlas.on('message:sent', async () => void stored.push(await database.query('mandate.conversations', {})))
    let streamed = ''
    for await (const piece of atlas.send(`Keep ${key}.`)) streamed += piece
    await atlas.ask('Still there?')
    const everything = JSON.stringify([streamed, stored, (await atlas.getConversation()).messages, provider.asked[1]])
    expect(everything).not.toContain(key)
    expect(streamed).toContain('The key is')
    expect(JSON.stringify(stored)).toContain('Keep ')
  })

  test('the journal: a turn is a run of the session, and can be verified and replayed', async () => {
    const { atlas } = talk([
      [call('look', { at: 'x' }), done],
      [...text('Done.'), done],
    ])
    const stream = atlas.send('Look.')
    await stream.finalMessage
    const [run] = await atlas.service.runs()
    expect(run).toMatchObject({
      run: stream.streamId,
      sessionId: atlas.conversationId,
      state: 'completed',
      name: 'helper',
    })
    expect(await atlas.service.verify(stream.streamId)).toMatchObject({ ok: true })
    expect(await atlas.service.replay(stream.streamId)).toMatchObject({ identical: true })
  })

  test('toolChoice of a message: none keeps the model from calling', async () => {
    const { atlas, provider } = talk([
      [call('look', { at: 'x' }), done],
      [...text('In words.'), done],
      [call('look', { at: 'y' }), done],
      [...text('Done.'), done],
    ])
    expect(chatText(await atlas.ask('Look.', { toolChoice: 'none' }))).toBe('In words.')
    expect(provider.asked[0]!.toolChoice).toBe('none')
    expect(provider.asked[1]!.messages.at(-1)!.content).toContain('No tool may be called')
    await atlas.ask('Look.', { toolChoice: 'look' })
    expect([provider.asked[2]!.toolChoice, provider.asked[3]!.toolChoice]).toEqual(['look', 'auto'])
    await expect(atlas.ask('Look.', { toolChoice: 'lok' })).rejects.toThrow('Did you mean "look"?')
  })
})

describe('what hangs before the run of a turn begins', () => {
  const never = (): Promise<never> => new Promise(() => {})

  test.each([
    ['a listener, when the stream is cancelled', (_atlas: Atlas, cancel: () => Promise<void>) => cancel()],
    ['a listener, when the conversation is cancelled', (atlas: Atlas) => atlas.cancel()],
  ])('%s: the message stays, and the next one is answered', async (_name, end) => {
    const { atlas } = talk([[...text('Yes.'), done]])
    const heard = Promise.withResolvers<void>()
    const stop = atlas.on('message:sent', () => (heard.resolve(), never()))
    const stream = atlas.send('1')
    await heard.promise
    await end(atlas, () => stream.cancel())
    expect(await stream.finalMessage).toMatchObject({ metadata: { cancelled: true } })
    stop()
    expect(chatText(await atlas.ask('2'))).toBe('Yes.')
    expect((await atlas.getConversation()).messages.map(chatText)).toEqual(['1', '2', 'Yes.'])
    expect(await atlas.service.runs()).toHaveLength(1)
  })

  test('an interceptor, when the stream is cancelled: nothing is stored', async () => {
    const called = Promise.withResolvers<void>()
    const { atlas } = talk([], { interceptors: { outgoingMessage: () => (called.resolve(), never()) } })
    const stream = atlas.send('1')
    await called.promise
    await stream.cancel()
    expect(stream.status).toBe('cancelled')
    expect((await atlas.getConversation()).messages).toEqual([])
  })
})

test('a strategy that fails, or chooses nobody who is there, is told as an error', async () => {
  const { atlas, events } = talk([
    [...text('a'), done],
    [...text('b'), done],
  ])
  const strategies = [() => Promise.reject(new Error('no router')), () => 'nobody']
  atlas.routeMessage(() => strategies.shift()!())
  expect(chatText(await atlas.ask('1'))).toBe('a')
  expect(chatText(await atlas.ask('2'))).toBe('b')
  const errors = events.flatMap(([name, payload]) => (name === 'error' ? [(payload as MandateError).code] : []))
  expect(errors).toEqual(['MIND_FAILED', 'NOT_FOUND'])
})

test.each([
  ['a call without its name', [{ type: 'tool_call' }], /`toolCall`/],
  ['a chunk that is none', [null], /no object/],
])('a provider that answers with %s fails the turn', async (_name, chunks, why) => {
  const { atlas, events } = talk([chunks as never])
  await expect(atlas.ask('1')).rejects.toThrow(why)
  expect(events.at(-1)).toMatchObject(['error', { name: 'ProviderError', retriable: false }])
})
