import { describe, expect, it } from 'vitest'
import { inMemory, inMemoryDatabase, inMemoryPrompts } from '../../memory/index.ts'
import type { MemoryClient } from '../../memory/index.ts'
import { textOf } from '../../model/index.ts'
import type { ModelRequest } from '../../model/index.ts'
import { calls, cutAfter, host, linesOf, model, reported, tool } from '../agent.fixture.ts'

const systemOf = ({ messages }: ModelRequest) => messages.filter(({ role }) => role === 'system').map(textOf)

describe('memory of a session', () => {
  it('is recalled at the start of a run and added to at its end', async () => {
    const memory = inMemory()
    const mind = model(['Noted.', 'You like tea.'])
    const service = host({ model: mind, memoryClient: memory, instructions: 'Be brief.' })
    const first = await service.run('main', 'I like tea.', { sessionId: 's1' })
    expect(first.report().memoryDeltas).toEqual([
      { key: 's1', op: 'append', after: { prompt: 'I like tea.', text: 'Noted.', at: expect.any(Number) } },
    ])
    expect(await memory.read('s1')).toEqual([first.report().memoryDeltas[0]!.after])
    await service.run('main', 'What do I like?', { sessionId: 's1' })
    const [prompt, recalled] = systemOf(mind.requests[1]!)
    expect(prompt).toBe('Be brief.')
    expect(recalled).toMatch(/Remembered from earlier in this session:\n- .*I like tea\./)
    await service.run('main', 'And I?', { sessionId: 's2' })
    expect(systemOf(mind.requests[2]!)).toEqual(['Be brief.'])
  })

  it('passes the gate: under a strict profile its writing is asked for, and a refusal loses nothing else', async () => {
    const memory = inMemory()
    const service = host({ model: model(['Done.']), memoryClient: memory, policyProfile: 'strict' })
    const waiting = await service.run('main', 'Go.')
    expect(waiting).toMatchObject({ status: 'await_user', suspendReason: 'approval', text: 'Done.' })
    const [request] = await service.approvals(waiting.id)
    expect(request).toMatchObject({
      kind: 'memory',
      key: 'remember',
      input: { op: 'append', entry: { text: 'Done.' } },
    })
    await service.reject(request!.id, 'not this')
    expect(reported(await service.resume(waiting.id))).toMatchObject({
      status: 'completed',
      text: 'Done.',
      memoryDeltas: [],
    })
    expect(await memory.read(waiting.sessionId)).toEqual([])
  })

  it('is not added to by a run that failed', async () => {
    const memory = inMemory()
    const service = host({ model: model([{ error: 'down' }]), memoryClient: memory })
    const { sessionId } = await service.run('main', 'Go.')
    expect(await memory.read(sessionId)).toEqual([])
  })

  it('that fails is a warning, not the end of a run', async () => {
    const broken: MemoryClient = {
      append: () => Promise.reject(new Error('full')),
      read: () => Promise.reject(new Error('gone')),
    }
    const result = await host({ model: model(['Done.']), memoryClient: broken }).run('main', 'Go.')
    expect(reported(result)).toMatchObject({ status: 'completed', text: 'Done.', memoryDeltas: [] })
    expect(result.report().diagnostics.warnings).toEqual([
      expect.stringMatching(/^recall: .*gone/),
      expect.stringMatching(/^remember: .*full/),
    ])
  })

  it('is not written twice when a run is resumed', async () => {
    const memory = inMemory()
    const first = host({ model: model(['Done.']), memoryClient: memory })
    const whole = await first.run('main', 'Go.', { sessionId: 's1' })
    const journal = await cutAfter(first.journal, whole.id, (await linesOf(first.journal, whole.id)).length - 1)
    await host({ model: model([]), memoryClient: memory }, { journal }).resume(whole.id)
    expect(await memory.read('s1')).toHaveLength(1)
  })

  it('is there for tools', async () => {
    const memory = inMemory()
    await memory.append('s1', 'earlier')
    const look = tool('look', (_, ctx) => ctx.memory!.read(ctx.sessionId))
    const result = await host({ model: model([calls('look'), 'Done.']), memoryClient: memory, tools: [look] }).run(
      'main',
      'Go.',
      { sessionId: 's1' },
    )
    expect(result.actions[0]!.output).toEqual(['earlier'])
  })
})

describe('a session that has no memory yet', () => {
  async function database() {
    const client = inMemoryDatabase()
    await client.write('notes', 'a', { user: 'ana', note: 'likes tea' })
    await client.write('notes', 'b', { user: 'bob', note: 'likes coffee' })
    await client.write('notes', 'c', { user: 'ana', note: 'dislikes noise' })
    return client
  }

  it('begins with what is stored, through the gate, and only once', async () => {
    const memory = inMemory()
    const mind = model(['One.', 'Two.'])
    const service = host({
      model: mind,
      memoryClient: memory,
      databaseClient: await database(),
      hydrate: { collection: 'notes', query: { user: 'ana' } },
    })
    const first = await service.run('main', 'Go.', { sessionId: 's1' })
    expect(systemOf(mind.requests[0]!)[0]).toMatch(/likes tea.*dislikes noise/s)
    expect(systemOf(mind.requests[0]!)[0]).not.toContain('coffee')
    expect(first.report().memoryDeltas.map(({ after }) => after)).toMatchObject([
      { note: 'likes tea' },
      { note: 'dislikes noise' },
      { text: 'One.' },
    ])
    await service.run('main', 'Go on.', { sessionId: 's1' })
    expect(await memory.read('s1')).toHaveLength(4)
    expect(await service.replay(first.id)).toMatchObject({ identical: true })
  })

  it('takes no more than it may', async () => {
    const memory = inMemory()
    const service = host({
      model: model(['One.']),
      memoryClient: memory,
      databaseClient: await database(),
      hydrate: { collection: 'notes', limit: 1 },
    })
    await service.run('main', 'Go.', { sessionId: 's1' })
    expect(await memory.read('s1')).toHaveLength(2)
  })

  it('is filled once, also when the process dies in between', async () => {
    const build = async (memory: MemoryClient) => ({
      model: model(['Done.']),
      memoryClient: memory,
      databaseClient: await database(),
      hydrate: { collection: 'notes' },
    })
    const first = host(await build(inMemory()))
    const whole = await first.run('main', 'Go.', { sessionId: 's1' })
    const lines = await linesOf(first.journal, whole.id)
    expect(lines).toContain('effect-end hydrate/memory#2')
    const memory = inMemory()
    const journal = await cutAfter(first.journal, whole.id, lines.indexOf('effect-end hydrate/memory#2') + 1)
    expect(await host(await build(memory), { journal }).resume(whole.id)).toMatchObject({ status: 'completed' })
    // Two records were in memory before the crash, which took them along; the third and the outcome of the run are new.
    expect(await memory.read('s1')).toHaveLength(2)
  })

  it('does without what the gate refuses or the database fails to give', async () => {
    const memory = inMemory()
    const denied = host({
      model: model(['Done.']),
      memoryClient: memory,
      databaseClient: await database(),
      hydrate: { collection: 'notes' },
      mandate: { deny: ['database:*'] },
    })
    expect(await denied.run('main', 'Go.')).toMatchObject({ status: 'completed' })
    const broken = { ...(await database()), query: () => Promise.reject(new Error('no table')) }
    const result = await host({
      model: model(['Done.']),
      memoryClient: memory,
      databaseClient: broken,
      hydrate: { collection: 'notes' },
    }).run('main', 'Go.')
    expect(result.report().diagnostics.warnings).toEqual([expect.stringContaining('no table')])
  })
})

describe('a system prompt from the prompt store', () => {
  async function prompts() {
    const store = inMemoryPrompts()
    await store.put({ id: 'greeting', text: 'Greet {{name}} in {{language}}.' })
    return store
  }
  const systemPrompt = { template: 'greeting', params: { name: 'Ana', language: 'German' } }

  it('is rendered at the start, and the result says which version it was', async () => {
    const mind = model(['Guten Tag.'])
    const service = host({ model: mind, promptStore: await prompts(), instructions: systemPrompt })
    const result = await service.run('main', 'Go.')
    expect(systemOf(mind.requests[0]!)).toEqual(['Greet Ana in German.'])
    expect(result.report().provenance.prompt).toEqual({ template: 'greeting', version: '1' })
    expect(await service.replay(result.id)).toMatchObject({ identical: true })
  })

  it('may be given as instructions, and hooks may add to it', async () => {
    const mind = model(['Guten Tag.'])
    const hooks = [(run: { systemPrompt: string }) => void (run.systemPrompt += ' Be kind.')]
    await host({ model: mind, promptStore: await prompts(), instructions: systemPrompt, hooks }).run('main', 'Go.')
    expect(systemOf(mind.requests[0]!)).toEqual(['Greet Ana in German. Be kind.'])
  })

  it('keeps its text in a run that is resumed, though the template has changed since', async () => {
    const store = await prompts()
    const config = (mind: ReturnType<typeof model>) => ({
      model: mind,
      promptStore: store,
      instructions: systemPrompt,
      tools: [tool('look', () => 1, { idempotent: true })],
    })
    const first = host(config(model([calls('look'), 'Done.'])))
    const whole = await first.run('main', 'Go.')
    await store.put({ id: 'greeting', text: 'Say nothing to {{name}} in {{language}}.' })
    const half = (await linesOf(first.journal, whole.id)).indexOf('effect-start turn:2/model')
    const mind = model([calls('look'), 'Done.'])
    const resumed = await host(config(mind), { journal: await cutAfter(first.journal, whole.id, half) }).resume(
      whole.id,
    )
    expect(resumed.report().provenance.prompt).toMatchObject({ version: '1' })
    expect(systemOf(mind.requests[0]!)).toEqual(['Greet Ana in German.'])
  })

  it.each([
    [{ template: 'greeting', params: { name: 'Ana' } }, 'language'],
    [{ template: 'nothing' }, 'nothing'],
  ])('that cannot be rendered (%j) fails the run before the model is asked', async (prompt, word) => {
    const mind = model(['Never.'])
    const result = await host({ model: mind, promptStore: await prompts(), instructions: prompt }).run('main', 'Go.')
    expect(result).toMatchObject({ status: 'failed', error: { message: expect.stringContaining(word) } })
    expect(mind.requests).toHaveLength(0)
  })
})
