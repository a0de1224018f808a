import { describe, expect, test } from 'vitest'
import { AgentService } from 'mandate'
import type { MandateError } from 'mandate'
import {
  AgentRuntime,
  Atlas,
  agent,
  chatText,
  conversationToProviderRequest,
  databaseConversations,
} from 'mandate/chat'
import type { AtlasOptions, ChatMessage, ConversationStore } from 'mandate/chat'
import { inMemoryDatabase } from 'mandate/memory'
import type { DatabaseClient } from '../../src/memory/index.ts'
import { scripted } from 'mandate/model'

// What a host gives to a conversation (interceptors, strategies, stores) may be wrong. What stands in the conversation survives it.

type Side = 'outgoingMessage' | 'incomingMessage'
type Interceptor = (message: ChatMessage) => unknown

/** An Atlas whose model tells what it was shown, with its errors as listeners get them. */
function talk(options: AtlasOptions = {}) {
  const model = scripted(({ messages }) => `I see ${messages.map((message) => JSON.stringify(message.content)).join()}`)
  const atlas = new Atlas({ agents: [agent({ id: 'helper', model })], conversationId: 'c1', ...options })
  const errors: (MandateError | undefined)[] = []
  atlas.on('error', (error) => errors.push(error))
  return { atlas, errors }
}

/** The same with an interceptor that does something wrong once, as untyped code can. */
function intercepted(side: Side, wrong: Interceptor) {
  let isFirst = true
  const once: Interceptor = (message) => (isFirst ? ((isFirst = false), wrong(message)) : message)
  return talk({ interceptors: { [side]: once as never } })
}

const SIDES: readonly Side[] = ['outgoingMessage', 'incomingMessage']

const WRONG: readonly (readonly [string, Interceptor, RegExp])[] = [
  ['nothing, a forgotten return', () => undefined, /returned nothing\. Return the message/],
  ['a number', () => 5, /returned a number that is no message/],
  ['an empty object', () => ({}), /needs `content`/],
  ['a list', (message) => [message], /returned a list that is no message/],
  ['content that is no list of parts', (message) => ({ ...message, content: { text: 'x' } }), /needs `content`/],
  ['a part of an unknown type', (message) => ({ ...message, content: [{ type: 'zap' }] }), /needs `content`/],
  ['a text part without text', (message) => ({ ...message, content: [{ type: 'text' }] }), /needs `content`/],
  ['a call of a tool', (message) => ({ ...message, content: [{ type: 'tool_call', name: 't' }] }), /needs `content`/],
  ['another role', (message) => ({ ...message, role: 'tool' }), /has the role "tool"/],
  ['a time that is none', (message) => ({ ...message, createdAt: 'today' }), /`createdAt`.*(is no time|Give a number)/],
  ['an id that is none', (message) => ({ ...message, id: 7 }), /`id` that is no text/],
  ['a field that messages do not have', (message) => ({ ...message, zap: 1 }), /`zap` is not a field of a message/],
]

describe.each(SIDES)('the interceptor %s', (side) => {
  test.each(WRONG)('that returns %s fails the turn by name, and nothing of it is stored', async (_, wrong, told) => {
    const { atlas, errors } = intercepted(side, wrong)
    const error = await atlas.ask('First.').catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ code: 'CONFIG_INVALID' })
    expect((error as Error).message).toMatch(told)
    expect((error as Error).message).toContain(side)
    expect(errors.map((one) => one?.code)).toEqual(['CONFIG_INVALID'])
    const { status, messages } = await atlas.getConversation()
    expect(status).toBe('idle')
    expect(messages.map(chatText)).toEqual(side === 'outgoingMessage' ? [] : ['First.'])
    expect(chatText(await atlas.ask('Second.'))).toContain('Second.')
    await atlas.stop()
  })

  test('that throws fails the turn with its own error as the cause', async () => {
    const bug = new TypeError('my bug')
    const { atlas, errors } = intercepted(side, () => {
      throw bug
    })
    const error = await atlas.ask('First.').catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ code: 'MIND_FAILED', cause: bug })
    expect((error as Error).message).toBe(`The interceptor \`${side}\` threw an error: my bug`)
    expect(errors).toEqual([error])
    expect(chatText(await atlas.ask('Second.'))).toContain('Second.')
    await atlas.stop()
  })

  test.each<readonly [string, Interceptor]>([
    ['a text', () => 'changed'],
    ['a message whose content is a text', (message) => ({ ...message, content: 'changed' })],
    ['a message without id and time', ({ role }) => ({ role, content: 'changed' })],
    [
      'a message that it changed in place',
      (message) => Object.assign(message, { content: [{ type: 'text', text: 'changed' }] }),
    ],
  ])('may return %s, which is stored whole and shown to models', async (_, change) => {
    const { atlas } = intercepted(side, change)
    await atlas.ask('First.')
    const stored = (await atlas.getConversation()).messages[side === 'outgoingMessage' ? 0 : 1]!
    expect(stored).toMatchObject({ content: [{ type: 'text', text: 'changed' }] })
    expect(stored).toMatchObject({ id: expect.any(String), createdAt: expect.any(Number) })
    const answer = chatText(await atlas.ask('Second.'))
    expect(answer).toContain('changed')
    // The model's own words have been replaced for it as well.
    if (side === 'incomingMessage') expect(answer).not.toContain('providerMetadata')
    await atlas.stop()
  })

  test('is refused when it is no function', () => {
    const wrong = { [side]: 'redact' } as never
    expect(() => new Atlas({ interceptors: wrong })).toThrow(
      `\`${side}\`, an interceptor, is a string. Give a function`,
    )
  })
})

test('an answer keeps its id, by which its turn finds it', async () => {
  const { atlas } = intercepted('incomingMessage', (message) => ({ ...message, id: 'mine' }))
  await expect(atlas.ask('First.')).rejects.toThrow('changed the `id` of the answer')
  await atlas.stop()
})

test.each([
  ['a number', () => 5, /returned a number/],
  ['an object that is no agent', () => ({ name: 'x' }), /returned an object/],
  ['an unknown id', () => 'nobody', /"nobody"/],
])('a routing strategy that returns %s is told as an error, and the current agent answers', async (_, wrong, told) => {
  const { atlas, errors } = talk()
  atlas.routeMessage(wrong as never)
  expect(chatText(await atlas.ask('First.'))).toContain('First.')
  expect(errors[0]?.message).toMatch(told)
  expect(errors[0]?.code).not.toBe('INTERNAL')
  await atlas.stop()
})

test('a routing strategy that throws is told as its own error, with the cause', async () => {
  const bug = new Error('no route')
  const { atlas, errors } = talk()
  atlas.routeMessage(() => Promise.reject(bug))
  await atlas.ask('First.')
  expect(errors).toMatchObject([
    { code: 'MIND_FAILED', cause: bug, message: 'The routing strategy threw an error: no route' },
  ])
  await atlas.stop()
})

describe('a store of the host', () => {
  const wrong: readonly (readonly [keyof ConversationStore, string, () => unknown])[] = [
    ['read', 'a text', () => 'x'],
    ['read', 'an object', () => ({ id: 'c1', owner: 'x' })],
    ['write', 'undefined', () => undefined],
    ['readBlocks', 'undefined', () => undefined],
    ['readBlocks', 'a number', () => [5]],
  ]

  test.each(wrong)('whose `%s` returns %s fails the message by name', async (method, kind, answer) => {
    const conversations = databaseConversations(inMemoryDatabase())
    const { atlas } = talk({ conversations })
    await atlas.ask('First.')
    const { atlas: other } = talk({ conversations: { ...conversations, [method]: async () => answer() } })
    await expect(other.ask('Second.')).rejects.toMatchObject({
      code: 'STORE_FAILED',
      message: expect.stringContaining(`\`${method}\` of the store of conversations returned ${kind}`),
    })
    await other.stop()
  })

  test.each(['read', 'write', 'readBlocks', 'list', 'delete'] as const)(
    'that throws in `%s` is told as the store, with the cause',
    async (method) => {
      const bug = new Error('no connection')
      const conversations: ConversationStore = { ...databaseConversations(inMemoryDatabase()) }
      const { atlas } = talk({ conversations })
      await atlas.ask('First.')
      Object.assign(conversations, { [method]: () => Promise.reject(bug) })
      const { conversations: opened } = new Atlas({ conversations, service: atlas.service })
      const use =
        { list: () => opened.list(), delete: () => opened.delete('c1') }[method as 'list'] ?? (() => opened.get('c1'))
      const touched = method === 'write' ? () => opened.setMetadata('c1', { a: 1 }) : use
      await expect(touched()).rejects.toMatchObject({
        code: 'STORE_FAILED',
        cause: bug,
        message: `The store of conversations threw an error in \`${method}\`: no connection`,
      })
      await atlas.stop()
    },
  )
})

test('a store that reports a conflict for ever fails the message, and does not keep the process busy', async () => {
  const kept = databaseConversations(inMemoryDatabase())
  // Every head that is read is another object.
  const read: ConversationStore['read'] = async (id) => structuredClone(await kept.read(id))
  const heads = new WeakSet<object>()
  const write: ConversationStore['write'] = async (head, before) =>
    (before === undefined || heads.has(before)) && kept.write(head, before)
  const { atlas } = talk({ conversations: { ...kept, read, write } })
  await expect(atlas.ask('First.')).rejects.toMatchObject({
    code: 'STORE_FAILED',
    message: expect.stringContaining('conflicts in a row'),
  })
  await atlas.stop()
})

const HEADS = 'mandate.conversations'
const BLOCKS = 'mandate.conversation-blocks'

/** Messages that were stored although they are none, and the text that can be read of each. */
const BROKEN: readonly (readonly [string, unknown, string])[] = [
  ['content that is a text', { id: 'm1', role: 'user', createdAt: 1, content: 'just text' }, 'just text'],
  ['no fields', {}, ''],
  ['no message', 5, ''],
  ['null', null, ''],
  ['no time and role', { id: 'm1', content: [{ type: 'text', text: 'timeless' }] }, 'timeless'],
  [
    'an unknown part',
    { id: 'm1', role: 'user', createdAt: 1, content: [{ type: 'zap' }, { type: 'text', text: 'rest' }] },
    'rest',
  ],
  ['a text part without text', { id: 'm1', role: 'user', createdAt: 1, content: [{ type: 'text' }] }, ''],
  [
    'metadata that are none',
    { id: 'm1', role: 'user', createdAt: 1, content: [{ type: 'text', text: 'marked' }], metadata: 7 },
    'marked',
  ],
]

/** A database in which the open turn of a conversation, whose process is gone, or its first stored turn holds something broken. */
async function brokenDatabase(place: 'open turn' | 'stored turn', message: unknown): Promise<DatabaseClient> {
  const database = inMemoryDatabase()
  const { atlas } = talk({ conversations: databaseConversations(database) })
  if (place === 'stored turn') await atlas.ask('Hello.')
  else await atlas.getConversation()
  await atlas.stop()
  const head = (await database.read(HEADS, 'c1')) as Record<string, unknown>
  if (place === 'stored turn') {
    const [{ key, value }] = (await database.query(BLOCKS, {})) as [{ key: string; value: { block: object } }]
    const [, answer] = (value.block as { messages: unknown[] }).messages
    const said = [{ role: 'user', content: (message as { content?: unknown } | null)?.content ?? null }]
    await database.write(BLOCKS, key, {
      ...value,
      block: { ...value.block, messages: [message, answer], said },
    } as never)
  } else {
    const turn = {
      runId: 'run_gone',
      agentId: 'helper',
      prompt: message,
      before: [],
      after: [],
      status: 'running',
      until: 1,
    }
    await database.write(HEADS, 'c1', { ...head, turn } as never)
  }
  return database
}

describe.each(['open turn', 'stored turn'] as const)('a conversation whose %s holds', (place) => {
  test.each(BROKEN)('%s can be read, and goes on with the next message', async (_, message, text) => {
    const { atlas, errors } = talk({ conversations: databaseConversations(await brokenDatabase(place, message)) })
    const [broken] = (await atlas.getConversation()).messages
    expect(broken).toMatchObject({ id: expect.any(String), createdAt: expect.any(Number), content: expect.any(Array) })
    expect(chatText(broken!)).toBe(text)
    if (text === '') expect(broken!.metadata).toMatchObject({ damaged: true })
    const answer = chatText(await atlas.ask('Second.'))
    expect(answer).toContain('Second.')
    if (text !== '') expect(answer).toContain(text)
    const { status, messages } = await atlas.getConversation()
    expect(status).toBe('idle')
    expect(messages.map(chatText)).toContain('Second.')
    expect(errors).toEqual([])
    await atlas.stop()
  })

  test.each(BROKEN)('%s can be cancelled, forked and deleted', async (_, message) => {
    const { atlas } = talk({ conversations: databaseConversations(await brokenDatabase(place, message)) })
    await atlas.cancel()
    expect((await atlas.getConversation()).status).toBe('idle')
    await atlas.conversations.fork('c1', { id: 'c2' })
    expect(chatText(await atlas.conversations.send('c2', 'There.', { agentId: 'helper' }).finalMessage)).toContain(
      'There.',
    )
    await atlas.conversations.delete('c1')
    await expect(atlas.conversations.get('c1')).rejects.toMatchObject({ code: 'NOT_FOUND' })
    await atlas.stop()
  })
})

test('a turn whose message is lost cannot be continued, and says what to do instead', async () => {
  const { atlas } = talk({ conversations: databaseConversations(await brokenDatabase('open turn', {})) })
  await expect(atlas.continue().then((stream) => stream.finalMessage)).rejects.toMatchObject({
    code: 'RUN_STATE',
    message: expect.stringContaining('Cancel its turn, or send another message'),
  })
  await atlas.stop()
})

test('a conversation that the caller keeps is checked before a model is asked', async () => {
  const helper = agent({ id: 'helper', model: scripted(['Never.']) })
  const wrong = { id: 'c1', messages: [{ id: 'm1', role: 'user', createdAt: 1, content: 'text' }] } as never
  const runtime = new AgentRuntime(helper, undefined, { service: new AgentService() })
  await expect(runtime.chat(wrong, 'Hi.')).rejects.toThrow('Message 0 of the conversation is no message')
  expect(() => conversationToProviderRequest(wrong, helper)).toThrow('Message 0 of the conversation is no message')
  expect(() => conversationToProviderRequest({} as never, helper)).toThrow('This is no conversation')
})
