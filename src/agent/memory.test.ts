import { expect, test } from 'vitest'
import { memoryJournal, readAll } from '../journal/index.ts'
import { inMemory, inMemoryDatabase } from '../memory/index.ts'
import type { EmbeddingModel } from '../model/index.ts'
import { host, model } from './agent.fixture.ts'

function letters(asked: string[]): EmbeddingModel {
  return {
    id: 'test/letters',
    provider: 'test',
    modelId: 'letters',
    async embed({ values }) {
      asked.push(...values)
      const count = (text: string): number[] =>
        Array.from('abcdefghijklmnopqrstuvwxyz', (one) => text.split(one).length - 0.9)
      return { embeddings: values.map(count), usage: { inputTokens: 3 }, warnings: [] }
    },
  }
}

test('a session begins with what has to do with the prompt, by words and by likeness', async () => {
  const databaseClient = inMemoryDatabase()
  const vectorOf = async (text: string): Promise<readonly number[]> =>
    (await letters([]).embed({ values: [text] }, {} as never)).embeddings[0]!
  for (const text of ['the silent room', 'about invoices', 'zzz'])
    await databaseClient.write('notes', text, { text }, { vector: await vectorOf(text) })
  const asked: string[] = []
  const talker = model([{ text: 'Done.' }])
  const service = host({
    model: talker,
    memoryClient: inMemory(),
    databaseClient,
    embeddingModel: letters(asked),
    hydrate: { collection: 'notes', byPrompt: true, limit: 2 },
  })
  const result = await service.run('main', 'invoices to listen', { sessionId: 's1' })
  expect(result.status).toBe('completed')
  const shown = JSON.stringify(talker.requests[0]!.messages)
  expect(shown).toContain('about invoices')
  expect(shown).toContain('the silent room')
  expect(shown).not.toContain('zzz')
  expect(asked).toEqual(['invoices to listen', 'invoices to listen\nDone.'])
})

test('what is remembered can be found by likeness, and a resumed run embeds nothing twice', async () => {
  const asked: string[] = []
  const memory = inMemory()
  const journal = memoryJournal()
  const agent = { model: model([{ text: 'Noted.' }]), memoryClient: memory, embeddingModel: letters(asked) }
  const service = host(agent, { store: { journal } })
  const result = await service.run('main', 'silent', { sessionId: 's1' })
  expect(
    await memory.search('', { vector: (await letters([]).embed({ values: ['listen'] }, {} as never)).embeddings[0]! }),
  ).toHaveLength(1)
  expect((await service.replay(result.id)).identical).toBe(true)
  expect(asked).toHaveLength(1)
  expect((await readAll(journal, result.id)).filter(({ key }) => key?.includes('embed'))).not.toHaveLength(0)
})

test("the model's reasoning is remembered only if that is configured", async () => {
  for (const keepReasoning of [undefined, false, true]) {
    const memory = inMemory()
    const service = host({
      model: model([{ reasoning: 'The user seems tired.', text: 'Good night.' }]),
      memoryClient: memory,
      memoryPolicy: { keepReasoning },
    })
    await service.run('main', 'Hello', { sessionId: 's1' })
    const kept = JSON.stringify(await memory.read('s1'))
    expect(kept).toContain('Good night.')
    expect(kept.includes('tired')).toBe(keepReasoning === true)
  }
})

test('a dry run reports in its result what it would have stored', async () => {
  const memory = inMemory()
  const service = host({ model: model([{ text: 'Done.' }]), memoryClient: memory, memoryPolicy: { dryRun: true } })
  const result = await service.run('main', 'Hello', { sessionId: 's1' })
  expect(result.report().memoryDeltas).toMatchObject([
    { key: 's1', op: 'append', after: { text: 'Done.' }, dryRun: true },
  ])
  expect(await memory.read('s1')).toEqual([])
})

test('a policy for memory that cannot be meant is refused with its fix', () => {
  for (const [policy, why] of [
    [{ dryrun: true }, 'dryRun'],
    [{ ttlMs: -1 }, 'ttlMs'],
    [{ keepReasoning: 'yes' }, 'true or false'],
  ] as const)
    expect(() => host({ model: model([]), memoryPolicy: policy as never })).toThrow(why)
})
