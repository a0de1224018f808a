import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { AgentService } from 'mandate'
import { Atlas, Conversations, agent, chatText, databaseConversations } from 'mandate/chat'
import type { AtlasOptions, ProviderResponseChunk } from 'mandate/chat'
import { memoryJournal } from 'mandate/journal'
import type { Identity } from 'mandate/journal'
import { inMemoryDatabase } from 'mandate/memory'
import type { DatabaseClient } from '../../src/memory/index.ts'
import { scripted } from 'mandate/model'
import { openPostgres } from 'mandate/postgres'
import { openStore } from 'mandate/sqlite'
import { has } from '../servers/servers.ts'
import { newSchema } from '../stores/postgres.fixture.ts'
import { done, firstPiece, hanging, testProvider, text } from './provider.fixture.ts'
import type { Answer } from './provider.fixture.ts'

const folders: string[] = []
afterAll(() => folders.forEach((made) => rmSync(made, { recursive: true, force: true })))

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'mandate-chat-'))
  folders.push(made)
  return made
}

interface Place extends AtlasOptions {
  readonly service: AgentService
  close(): Promise<unknown>
}

/** What two processes share: each makes a service of its own over it. */
type Share = () => Promise<Place>

function inMemory(): Share {
  const [journal, database] = [memoryJournal(), inMemoryDatabase()]
  return async () => {
    const service = new AgentService({ journal })
    return { service, conversations: databaseConversations(database), close: () => service.stop() }
  }
}

type OpenStore = NonNullable<AtlasOptions['store']> & { readonly data: { database(): DatabaseClient } }

/** Over a store of the package, opened anew by each. */
function over(open: () => Promise<OpenStore>): Share {
  return async () => {
    const store = await open()
    const service = new AgentService({ store })
    return { service, conversations: databaseConversations(store.data.database()), close: () => service.stop() }
  }
}

async function tab(share: Share, answers: readonly Answer[], id = 'c1') {
  const { close, ...options } = await share()
  const provider = testProvider(answers)
  const helper = agent({ id: 'helper', provider: 'test', model: 'm' })
  const atlas = new Atlas({ ...options, providers: [provider], agents: [helper], conversationId: id })
  return { atlas, provider, close }
}

/** Two tabs send at once; they take turns, and see each other. Then a third goes on where they ended. */
async function expectTurns(share: Share): Promise<void> {
  const answer: Answer = async function* (request): AsyncGenerator<ProviderResponseChunk> {
    yield* text('to ')
    await new Promise<void>((resolve) => setTimeout(resolve, 1))
    yield* text(request.messages.at(-1)!.content!)
  }
  const tabs = await Promise.all(['a', 'b'].map(() => tab(share, Array<Answer>(4).fill(answer))))
  await Promise.all(tabs.flatMap(({ atlas }, n) => [1, 2, 3].map((k) => atlas.send(`${n}${k}`).finalMessage)))
  const conversation = await tabs[0]!.atlas.getConversation()
  const said = conversation.messages.map(chatText)
  expect(said).toHaveLength(12)
  for (const [index, words] of said.entries()) if (index % 2 === 1) expect(words).toBe(`to ${said[index - 1]}`)
  for (const n of [0, 1])
    expect(said.filter((words) => words.startsWith(String(n)))).toEqual([`${n}1`, `${n}2`, `${n}3`])
  const asked = tabs.flatMap(({ provider }) => provider.asked.map(({ messages }) => messages.length))
  expect(asked.toSorted((a, b) => a - b)).toEqual([1, 3, 5, 7, 9, 11])
  for (const { close } of tabs) await close()
  const later = await tab(share, [[...text('Again.'), done]])
  expect(await later.atlas.getConversation()).toEqual(conversation)
  await later.atlas.ask('Back.')
  expect(later.provider.asked[0]!.messages.map(({ content }) => content)).toEqual([...said, 'Back.'])
  await later.close()
}

describe('two tabs over one store take turns, and a conversation goes on after a restart', () => {
  test('in memory', () => expectTurns(inMemory()))
  test('in SQLite', () => {
    const dir = folder()
    return expectTurns(over(() => openStore({ dir })))
  })
  test.skipIf(!has('postgres'))('in Postgres', async () => {
    const place = await newSchema()
    await expectTurns(over(() => openPostgres(place)))
  })
})

test('two tabs that share conversations and no journal take turns, and no turn is taken twice', async () => {
  const database = inMemoryDatabase()
  const share: Share = async () => {
    const service = new AgentService()
    return { service, conversations: databaseConversations(database), close: () => service.stop() }
  }
  const [one, two] = [await tab(share, [hanging('One').answer]), await tab(share, [[...text('Two'), done]])]
  const first = one.atlas.send('1')
  await firstPiece(first)
  const second = two.atlas.send('2')
  await first.cancel()
  expect(chatText(await second.finalMessage)).toBe('Two')
  expect([one.provider.asked.length, two.provider.asked.length]).toEqual([1, 1])
  expect(two.provider.asked[0]!.messages.map(({ content }) => content)).toEqual(['1', 'One', '2'])
})

test('two that share a service take turns as well', async () => {
  const [service, conversations] = [new AgentService(), databaseConversations(inMemoryDatabase())]
  const tabs = ['one', 'two'].map((name) => {
    const provider = testProvider([1, 2, 3].map(() => [...text(name), done]))
    const agents = [{ id: name, provider: 'test', model: name }]
    return new Atlas({ service, conversations, conversationId: 'c1', providers: [provider], agents })
  })
  await Promise.all(tabs.flatMap((atlas, n) => [1, 2, 3].map((k) => atlas.ask(`${n}${k}`))))
  const said = (await tabs[0]!.getConversation()).messages.map(chatText)
  expect(said).toHaveLength(12)
  for (const [index, words] of said.entries())
    if (index % 2 === 1) expect(words).toBe(said[index - 1]!.startsWith('0') ? 'one' : 'two')
})

test('a turn whose process ended is brought to its end by the next message', async () => {
  const share = inMemory()
  const lost = hanging('')
  const first = await tab(share, [lost.answer])
  first.atlas.send('Hi.').finalMessage.catch(() => {})
  await lost.asked
  await first.close()
  const second = await tab(share, [
    [...text('Hello.'), done],
    [...text('Yes.'), done],
  ])
  expect(chatText(await second.atlas.ask('There?'))).toBe('Yes.')
  const said = (await second.atlas.getConversation()).messages.map(chatText)
  expect(said).toEqual(['Hi.', 'Hello.', 'There?', 'Yes.'])
})

test('a turn whose agent was never chosen stays unanswered', async () => {
  const database = inMemoryDatabase()
  const store = databaseConversations(database)
  const prompt = { id: 'm', role: 'user' as const, createdAt: 1, content: [{ type: 'text' as const, text: 'Lost?' }] }
  const turn = { runId: 'run_1', agentId: null, prompt, before: [], after: [], status: 'starting' as const, until: 1 }
  const times = { createdAt: 1, updatedAt: 1, version: 1 }
  const head = { id: 'c1', owner: 'local', agentId: null, blocksId: 'b1', blocks: 0, ...times, turn }
  await store.write(head, undefined)
  const atlas = new Atlas({
    conversations: store,
    conversationId: 'c1',
    agents: [{ id: 'a', model: scripted(['Yes.']) }],
  })
  await atlas.ask('There?')
  expect((await atlas.getConversation()).messages.map(chatText)).toEqual(['Lost?', 'There?', 'Yes.'])
})

test('conversations belong to their owners', async () => {
  const { service, conversations: store } = await inMemory()()
  const mandate = { roles: { user: ['run-agent'], auditor: ['read-journal'] } } as const
  await service.setPolicy(mandate)
  service.register({ id: 'helper', model: scripted(['Hello, Ana.', 'Hello again.']) })
  const all = new Conversations(service, { store })
  const [ana, bob, eve] = [
    ['ana', 'user'],
    ['bob', 'user'],
    ['eve', 'auditor'],
  ].map(([id, role]) => all.as({ id: id!, roles: [role!] }))
  const { id } = await ana!.create({ agentId: 'helper', metadata: { topic: 'hi' } })
  expect(chatText(await ana!.send(id, 'Hi.').finalMessage)).toBe('Hello, Ana.')
  await ana!.append(id, { role: 'assistant', content: 'A note.' })
  expect(await ana!.get(id)).toMatchObject({
    owner: 'ana',
    agentId: 'helper',
    metadata: { topic: 'hi' },
    status: 'idle',
  })
  expect((await ana!.list()).map((one) => one.id)).toEqual([id])
  expect(await bob!.list()).toEqual([])
  await expect(bob!.get(id)).rejects.toMatchObject({ code: 'NOT_FOUND' })
  await expect(bob!.send(id, 'Hi.').finalMessage).rejects.toMatchObject({ code: 'NOT_FOUND' })
  await expect(bob!.delete(id)).rejects.toMatchObject({ code: 'NOT_FOUND' })
  expect((await eve!.get(id)).messages).toHaveLength(3)
  await expect(eve!.append(id, 'x')).rejects.toMatchObject({ code: 'NOT_FOUND' })
  await expect(ana!.create({ id })).rejects.toMatchObject({ code: 'DUPLICATE' })
  await ana!.delete(id)
  await expect(ana!.get(id)).rejects.toMatchObject({ code: 'NOT_FOUND' })
})

test('a store of mandate/sqlite keeps runs and conversations', async () => {
  const dir = folder()
  const agents = [agent({ id: 'helper', model: scripted(['Hello.']) })]
  const atlas = new Atlas({ agents, store: await openStore({ dir }), conversationId: 'c1' })
  await atlas.ask('Hi.')
  await atlas.stop()
  const again = new Atlas({ agents, store: await openStore({ dir }), conversationId: 'c1' })
  expect((await again.getConversation()).messages.map(chatText)).toEqual(['Hi.', 'Hello.'])
  expect(await again.service.runs()).toHaveLength(1)
  await again.stop()
})

test('a database that cannot compare is refused', () => {
  const { writeIf: _writeIf, ...database } = inMemoryDatabase()
  expect(() => databaseConversations(database)).toThrow('`writeIf`')
})

test('nobody begins or takes a conversation in the session of somebody else', async () => {
  const service = new AgentService({
    agents: [{ id: 'helper', model: scripted(() => 'Hello.') }],
    mandate: { roles: { user: ['run-agent'] } },
  })
  const all = new Conversations(service)
  const ana: Identity = { id: 'ana', roles: ['user'] }
  const bob: Identity = { id: 'bob', roles: ['user'] }
  const [ofAna, ofBob] = [all.as(ana), all.as(bob)]
  await service.as(ana).run('helper', 'Hi.', { sessionId: 's1' })
  await ofAna.create({ id: 'own', agentId: 'helper' })
  await expect(ofBob.create({ id: 's1' })).rejects.toMatchObject({ code: 'DUPLICATE' })
  await expect(ofBob.fork((await ofBob.create()).id, { id: 's1' })).rejects.toMatchObject({ code: 'DUPLICATE' })
  await expect(new Atlas({ service, identity: bob, conversationId: 's1' }).getConversation()).rejects.toMatchObject({
    code: 'DUPLICATE',
  })
  // Where the session was begun after the conversation.
  await service.as(bob).run('helper', 'Hi.', { sessionId: 'own' })
  await expect(ofAna.send('own', 'Hi.').finalMessage).rejects.toMatchObject({ code: 'DUPLICATE' })
  // Whose session it is may speak in it.
  await ofAna.create({ id: 's1', agentId: 'helper' })
  expect(chatText(await ofAna.send('s1', 'Hi.').finalMessage)).toBe('Hello.')
  await service.stop()
})
