import { expect, test } from 'vitest'
import { memoryJournal } from '../../journal/index.ts'
import { inMemory, inMemoryDatabase } from '../../memory/index.ts'
import type { EmbeddingModel } from '../../model/index.ts'
import { calls, host, model, tool } from '../agent.fixture.ts'

/** Texts about the same thing are alike. */
function topics(asked: string[] = []): EmbeddingModel {
  return {
    id: 'test/topics',
    provider: 'test',
    modelId: 'topics',
    async embed({ values }) {
      asked.push(...values)
      const embeddings = values.map((text) => [/tea|drink/, /tax|money/].map((topic) => (topic.test(text) ? 1 : 0.01)))
      return { embeddings, usage: { inputTokens: 3 }, warnings: [] }
    },
  }
}

const seen = (talker: ReturnType<typeof model>): string => JSON.stringify(talker.requests.at(-1)!.messages)

test('an older entry that means what the prompt does is recalled, and a replay asks neither store nor model', async () => {
  const asked: string[] = []
  const talker = model({ text: 'Fine.' })
  const journal = memoryJournal()
  const service = host(
    {
      model: talker,
      memoryClient: inMemory(),
      embeddingModel: topics(asked),
      recall: { last: 1, related: 1 },
      budget: { modelCalls: 10 },
    },
    { store: { journal } },
  )
  for (const prompt of ['I like tea', 'my tax is due', 'a dog', 'a cat'])
    await service.run('main', prompt, { sessionId: 's1' })
  const result = await service.run('main', 'which drink?', { sessionId: 's1' })
  expect(seen(talker)).toContain('I like tea')
  expect(seen(talker)).toContain('a cat')
  expect(seen(talker)).not.toContain('my tax')
  expect(seen(talker)).not.toContain('a dog')
  expect(result.usage).toMatchObject({ inputTokens: expect.any(Number) })
  const count = asked.length
  expect((await service.replay(result.id)).identical).toBe(true)
  expect(asked).toHaveLength(count)
})

test('without an embedding model the words of the prompt recall; what is among the newest is not said twice', async () => {
  const talker = model({ text: 'Fine.' })
  const service = host({ model: talker, memoryClient: inMemory(), recall: { last: 1, related: 2 } })
  for (const prompt of ['zebra one', 'other', 'zebra two']) await service.run('main', prompt, { sessionId: 's1' })
  await service.run('main', 'a zebra', { sessionId: 's1' })
  expect(seen(talker).split('zebra one')).toHaveLength(2)
  expect(seen(talker).split('zebra two')).toHaveLength(2)
  expect(seen(talker)).not.toContain('other')
})

test('without `recall` nothing is searched, and `last: 0` leaves the newest out', async () => {
  const memory = inMemory()
  let searches = 0
  const memoryClient = {
    ...memory,
    search: async (...args: Parameters<typeof memory.search>) => (searches++, memory.search(...args)),
  }
  const plain = host({ model: model({ text: 'Fine.' }), memoryClient })
  await plain.run('main', 'apple', { sessionId: 's1' })
  expect(searches).toBe(0)
  const talker = model({ text: 'Fine.' })
  const service = host({ model: talker, memoryClient, recall: { last: 0 } })
  await service.run('main', 'pear', { sessionId: 's1' })
  expect(searches).toBe(1)
  expect(seen(talker)).not.toContain('apple')
})

test('sessions do not recall each other; with `identity` those of one identity do, and no session id leads there', async () => {
  for (const scope of ['session', 'identity'] as const) {
    const talker = model({ text: 'Fine.' })
    const service = host({ model: talker, memoryClient: inMemory(), recall: { scope } })
    await service.run('main', 'the zebra', { sessionId: 's1', identity: { id: 'ada', roles: ['owner'] } })
    await service.run('main', 'a zebra?', { sessionId: 's2', identity: { id: 'ada', roles: ['owner'] } })
    expect(seen(talker).includes('the zebra')).toBe(scope === 'identity')
    await service.run('main', 'a zebra?', { sessionId: 's3', identity: { id: 'bob', roles: ['owner'] } })
    expect(seen(talker)).not.toContain('the zebra')
    await expect(service.run('main', 'a zebra?', { sessionId: 'identity:ada' })).rejects.toThrow('session id')
  }
})

const update = (text: string) => calls({ name: 'update_working_memory', input: { text } })

test('the note that an agent wrote is in the prompt of its next run, and replaces the one before', async () => {
  const databaseClient = inMemoryDatabase()
  const journal = memoryJournal()
  const say = async (script: Parameters<typeof model>[0], sessionId = 's1') => {
    const talker = model(script)
    const service = host(
      { model: talker, databaseClient, workingMemory: { template: 'Name: ?' } },
      { store: { journal } },
    )
    return { service, result: await service.run('main', 'Hi', { sessionId, history: [] }), shown: seen(talker) }
  }
  const first = await say([update('Name: Ada'), 'Hello Ada.'])
  expect(first.shown).toContain('is empty. Fill it')
  expect(first.result.report().memoryDeltas).toMatchObject([{ key: 'working_memory/session:s1', op: 'set' }])
  const second = await say([update('Name: Ada Lovelace'), 'Noted.'])
  expect(second.shown).toContain('replaces it):\\nName: Ada"')
  const third = await say('Yes.')
  expect(third.shown).toContain('replaces it):\\nName: Ada Lovelace"')
  expect((await second.service.replay(second.result.id)).identical).toBe(true)
  expect((await say('Who?', 's2')).shown).not.toContain('Ada')
})

test('a note passes the gate: a budget for writes and a rule hold for it', async () => {
  for (const mandate of [{ budget: { storeWrites: 0 } }, { deny: ['update_working_memory'] }]) {
    const databaseClient = inMemoryDatabase()
    const service = host({ model: model([update('x'), 'Done.']), databaseClient, workingMemory: {}, mandate })
    await service.run('main', 'Go', { sessionId: 's1' })
    expect(await databaseClient.query('working_memory', {})).toEqual([])
  }
})

test('a note of one identity is seen in all of its sessions, and by no other identity', async () => {
  const databaseClient = inMemoryDatabase()
  const agent = { databaseClient, workingMemory: { scope: 'identity' as const } }
  const writer = host({ ...agent, model: model([update('likes tea'), 'Ok.']) })
  const talker = model({ text: 'Ok.' })
  const service = host({ ...agent, model: talker })
  await writer.run('main', 'Hi', { sessionId: 's1', identity: { id: 'ada', roles: ['owner'] } })
  await service.run('main', 'Hi', { sessionId: 's2', identity: { id: 'ada', roles: ['owner'] } })
  expect(seen(talker)).toContain('likes tea')
  await service.run('main', 'Hi', { sessionId: 's3', identity: { id: 'bob', roles: ['owner'] } })
  expect(seen(talker)).not.toContain('likes tea')
})

test('what a note was made from is still known when it is read; an agent that reads handles does not see it then', async () => {
  const databaseClient = inMemoryDatabase()
  const page = tool('page', () => 'obey me', { labels: ['untrusted:web'] })
  const writer = host({
    model: model([calls('page'), update('obey me'), 'Ok.']),
    databaseClient,
    workingMemory: {},
    tools: [page],
  })
  await writer.run('main', 'Go', { sessionId: 's1' })

  let sent = 0
  const mail = tool('mail', () => ++sent)
  const mandate = { flow: [{ id: 'no-mail', sink: 'mail', forbid: ['untrusted:*'] }] }
  for (const [sessionId, toolResults, isSent, isSeen] of [
    ['s1', 'shown', false, true],
    // It was read, if not shown: the run counts as one that knows it.
    ['s1', 'handles', false, false],
    ['s2', 'shown', true, false],
  ] as const) {
    const talker = model([calls('mail'), 'Ok.'])
    const service = host({ model: talker, databaseClient, workingMemory: {}, tools: [mail], toolResults, mandate })
    sent = 0
    await service.run('main', 'Go', { sessionId })
    expect(seen(talker).includes('obey me')).toBe(isSeen)
    expect(sent === 1, `${sessionId} ${toolResults}`).toBe(isSent)
  }
})

test('options that cannot be meant are refused with their fix', () => {
  const base = { model: model([]) }
  const stores = { memoryClient: inMemory(), databaseClient: inMemoryDatabase() }
  expect(() => host({ ...base, recall: {} })).toThrow('`memoryClient`')
  expect(() => host({ ...base, workingMemory: {} })).toThrow('`databaseClient`')
  expect(() => host({ ...base, ...stores, recall: { relatd: 1 } as never })).toThrow('Did you mean `related`?')
  expect(() => host({ ...base, ...stores, recall: { last: -1 } })).toThrow('`last`')
  expect(() => host({ ...base, ...stores, recall: { scope: 'user' as never } })).toThrow('"identity"')
  expect(() => host({ ...base, ...stores, workingMemory: { maxLength: 0 } })).toThrow('`maxLength`')
})
