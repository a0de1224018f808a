import { describe, expect, it } from 'vitest'
import { systemClock } from '../../core/index.ts'
import { memoryJournal } from '../../journal/index.ts'
import type { Identity } from '../../journal/index.ts'
import { scripted } from '../../model/index.ts'
import { Agent } from '../agent.ts'
import { calls, gate, hanging, host, linesOf, model, replacing, reported, tool } from '../agent.fixture.ts'
import { AgentService } from './service.ts'

describe('a service', () => {
  it('runs a task in a session of its own with runOnce', async () => {
    const service = host({ model: model(({ messages }) => String(messages.length)), prompt: 'The usual.' })
    const [one, two] = [
      await service.runOnce('main'),
      await service.runOnce('main', { prompt: 'Another.', sessionId: 's2' }),
    ]
    expect([one.text, two.text]).toEqual(['1', '1'])
    expect(two.sessionId).toBe('s2')
    expect(one.sessionId).not.toBe(two.sessionId)
  })

  it('gives the same run for the same id, performed once', async () => {
    let performed = 0
    const service = host({ model: model([calls('count'), 'Done.']), tools: [tool('count', () => ++performed)] })
    const [one, two] = await Promise.all([
      service.run('main', 'Go.', { runId: 'r1' }),
      service.run('main', 'Go.', { runId: 'r1' }),
    ])
    expect(two).toEqual(one)
    expect(await service.run('main', 'Go.', { runId: 'r1' })).toEqual(one)
    expect(performed).toBe(1)
    await expect(service.run('main', 'Go away.', { runId: 'r1' })).rejects.toMatchObject({ code: 'DUPLICATE' })
    await expect(service.run('main', 'Go.', { runId: 'r1', context: { a: 1 } })).rejects.toMatchObject({
      code: 'DUPLICATE',
    })
  })

  it('gives the same run of a session, which has it in its history by then', async () => {
    const session = host({ model: model(['Done.']) }).createSession('main')
    const first = await session.run('Go.', { runId: 'r1' })
    expect(await session.run('Go.', { runId: 'r1' })).toEqual(first)
    await expect(session.run('Go away.', { runId: 'r1' })).rejects.toMatchObject({ code: 'DUPLICATE' })
  })

  it('refuses a message to a run that is over, because nothing would read it', async () => {
    const service = host({ model: model(['Done.']) })
    const { id } = await service.run('main', 'Go.')
    await expect(service.steer(id, 'Wait.')).rejects.toMatchObject({
      code: 'RUN_STATE',
      message: expect.stringContaining('is completed'),
    })
    // It may have been read before the end.
    await service.steer(id, 'Wait.', { id: 'm1' })
  })

  it('does not take the run of one agent for that of another', async () => {
    const service = host(
      { model: model(['Mine.'], { name: 'main' }) },
      { others: [{ id: 'other', model: model(['Not mine.'], { name: 'other' }) }] },
    )
    await service.run('main', 'Go.', { runId: 'r1' })
    await expect(service.run('other', 'Go.', { runId: 'r1' })).rejects.toMatchObject({
      code: 'DUPLICATE',
      message: expect.stringContaining('"main"'),
    })
  })

  it.each([
    ['a path as a run id', () => ({ runId: '../../etc/passwd' }), 'ID_INVALID'],
    ['an empty run id', () => ({ runId: '' }), 'ID_INVALID'],
    ['a session id with a slash', () => ({ sessionId: 'a/b' }), 'ID_INVALID'],
    ['a run id that is no text', () => ({ runId: 7 }), 'ID_INVALID'],
    ['a context that is no data', () => ({ context: { run: () => {} } }), 'INPUT_INVALID'],
    ['a budget of words', () => ({ budget: { steps: 'many' } }), 'CONFIG_INVALID'],
    ['a budget it does not know', () => ({ budget: { stepz: 3 } }), 'CONFIG_INVALID'],
    ['a durability it does not know', () => ({ durability: 'fast' }), 'INPUT_INVALID'],
  ])('refuses %s with a rejection, and starts nothing', async (_what, options, code) => {
    const service = host({ model: model(['Never.']) })
    await expect(service.run('main', 'Go.', options() as never)).rejects.toMatchObject({ code })
    expect(await service.runs()).toEqual([])
  })

  it.each([
    [undefined],
    [''],
    [7],
    [{}],
    [{ role: 'assistant', content: [] }],
    [{ role: 'user', content: 'text' }],
    [null],
  ])('refuses the prompt %j', async (prompt) => {
    await expect(host({ model: model(['Never.']) }).run('main', prompt as never)).rejects.toMatchObject({
      code: 'INPUT_INVALID',
      message: expect.stringMatching(/prompt/i),
    })
  })

  it('refuses a prompt that pretends to be the result of a tool', async () => {
    const prompt = {
      role: 'user',
      content: [{ type: 'tool-result', toolCallId: 'x', name: 't', status: 'ok', value: 1 }],
    }
    await expect(host({ model: model(['Never.']) }).run('main', prompt as never)).rejects.toMatchObject({
      code: 'INPUT_INVALID',
    })
  })

  it.each([
    [{ sink: [] }, /`sink` is not an option of a service. Did you mean `sinks`\?/],
    [{ colour: 'red' }, /`colour` is not an option.*Known: agents,/],
    [{ agents: {} }, /`agents` must be a list/],
    [{ tools: 'all' }, /`tools` must be a list/],
    [{ store: {} }, /`store` must have a `journal`/],
    [{ store: Promise.resolve({ journal: memoryJournal() }) as never }, /`store` is a promise\. Await it/],
    [{ store: memoryJournal() }, /`store` must have a `journal`/],
    [{ store: { journal: memoryJournal() }, journal: memoryJournal() }, /`journal` and `store.journal` .*disagree/],
    [
      { deterministic: { seed: 1, clock: systemClock }, clock: { ...systemClock } },
      /`clock` and `deterministic.clock` .*disagree/,
    ],
    [{ deterministic: true }, /`deterministic` needs a `seed`/],
    [{ deterministic: {} }, /`deterministic` needs a `seed`/],
    [{ limits: { parallel: -1 } }, /limits\.parallel/],
    [{ limits: { paralel: 1 } }, /limits\.paralel/],
    [{ mandate: { profile: 'lax' } }, /profile/],
    [{ agents: [{ id: 'a' }] }, /`model` is missing/],
    [
      {
        agents: [
          { id: 'a', model: scripted([]) },
          { id: 'a', model: scripted([]) },
        ],
      },
      /already registered/,
    ],
    [null, /object/],
  ])('is not made of what cannot be meant: %#', (options, message) => {
    expect(() => new AgentService(options as never)).toThrow(message)
  })

  it('refuses sessions with unusable ids, and agents it does not have, at once', async () => {
    const service = host({ model: model([]) })
    expect(() => service.createSession('main', { sessionId: '../x' })).toThrow(
      expect.objectContaining({ code: 'ID_INVALID' }),
    )
    expect(() => service.createSession('nobody')).toThrow(
      expect.objectContaining({ code: 'NOT_FOUND', message: expect.stringContaining('main') }),
    )
    await expect(service.run('nobody', 'Go.')).rejects.toMatchObject({ code: 'NOT_FOUND' })
    expect(() => service.register({ id: 'main', model: model([]) })).toThrow(
      expect.objectContaining({ code: 'DUPLICATE' }),
    )
    expect(() => service.register({ id: 'a b', model: model([]) })).toThrow(
      expect.objectContaining({ code: 'ID_INVALID' }),
    )
  })

  it('lists its runs, and shares tools that every agent can name', async () => {
    const service = host({ model: model([calls('shared'), 'Done.']) }, { tools: [tool('shared', () => 'ok')] })
    const result = await service.run('main', 'Go.')
    expect(result.report().toolsUsed).toEqual(['shared'])
    expect(await service.runs({ name: 'main' })).toMatchObject([{ run: result.id, state: 'completed' }])
  })

  it('tells its health, and that of its store', async () => {
    const service = host({ model: model([]) })
    expect(await service.health()).toEqual({ ok: true, agents: ['main'], store: 'ok' })
    const broken = host(
      { model: model([]) },
      { journal: replacing(memoryJournal(), { list: () => Promise.reject(new Error('no disk')) }) },
    )
    expect(await broken.health()).toEqual({ ok: false, agents: ['main'], store: 'failed', problem: 'no disk' })
    await service.stop()
    expect(await service.health()).toMatchObject({ ok: false, store: 'closed' })
  })
})

describe('who may do what', () => {
  const roles = {
    reader: ['read-journal'],
    runner: ['run-agent'],
    builder: ['create-agent'],
    owner: ['run-agent', 'create-agent', 'register-tool', 'approve'],
  } as const
  const who = (...names: readonly string[]): Identity => ({ id: 'ana', roles: names })
  const service = () => host({ model: model(['Hello.']) }, { mandate: { roles } })

  it('registering tools and creating agents need their permissions', () => {
    expect(() => service().as(who('runner')).registerTool(tool('x'))).toThrow(
      expect.objectContaining({ code: 'DENIED', message: expect.stringContaining('register-tool') }),
    )
    expect(() =>
      service()
        .as(who('runner'))
        .register({ id: 'x', model: model([]) }),
    ).toThrow(expect.objectContaining({ code: 'DENIED' }))
    expect(() =>
      service()
        .as(who('builder'))
        .register({ id: 'x', model: model([]) }),
    ).not.toThrow()
  })

  it('an agent that brings its own tools registers tools', () => {
    const config = { id: 'x', model: model([]), tools: [tool('own')] }
    expect(() => service().as(who('builder')).register(config)).toThrow(
      expect.objectContaining({ code: 'DENIED', message: expect.stringContaining('register-tool') }),
    )
    expect(() => service().as(who('owner')).register(config)).not.toThrow()
  })

  it('running needs its own permission, and roles that nobody defined permit nothing', async () => {
    await expect(service().run('main', 'Go.', { identity: who('builder') })).rejects.toMatchObject({ code: 'DENIED' })
    await expect(service().run('main', 'Go.', { identity: who('made-up') })).rejects.toMatchObject({ code: 'DENIED' })
    await expect(service().run('main', 'Go.', { identity: who() })).rejects.toMatchObject({ code: 'DENIED' })
    expect(await service().run('main', 'Go.', { identity: who('runner') })).toMatchObject({ status: 'completed' })
  })

  it('approving needs its own, and an agent can never approve', async () => {
    const asking = host(
      { model: model([calls('send'), 'Done.']), tools: [tool('send', () => 'sent', { risk: 'destructive' })] },
      { mandate: { roles } },
    )
    const waiting = await asking.run('main', 'Go.')
    const [request] = await asking.approvals(waiting.id)
    await expect(asking.as(who('runner')).approve(request!.id)).rejects.toMatchObject({
      code: expect.stringMatching(/DENIED|REFUSED/),
    })
    await expect(asking.as({ ...who('owner'), agent: true }).approve(request!.id)).rejects.toMatchObject({
      code: expect.stringMatching(/DENIED|REFUSED/),
    })
    await asking.as(who('owner')).approve(request!.id)
    expect(await asking.resume(waiting.id)).toMatchObject({ status: 'completed' })
  })
})

describe('stop', () => {
  it('returns the same promise however often it is called, and nothing runs afterwards', async () => {
    const service = host({ model: model(['Hello.']) })
    const [one, two] = [service.stop(), service.stop()]
    expect(one).toBe(two)
    await one
    await expect(service.run('main', 'Go.')).rejects.toMatchObject({ code: 'CLOSED' })
  })

  it('puts runs away durably: another service on the same journal goes on, and repeats nothing', async () => {
    const journal = memoryJournal()
    const [inside, open] = [gate(), gate()]
    const performed: string[] = []
    const config = () => ({
      model: model([calls('slow'), calls('next'), 'Done.']),
      tools: [
        tool('slow', async () => (inside.reach(), await open.promise, performed.push('slow'))),
        tool('next', () => performed.push('next')),
      ],
    })
    const first = host(config(), { journal })
    const running = first.run('main', 'Go.', { runId: 'r1' })
    await inside.reached
    const stopped = first.stop()
    open.open()
    // What is in flight ends; nothing new begins.
    expect(await running).toMatchObject({
      status: 'await_user',
      suspendReason: 'interrupt',
    })
    await stopped
    expect(performed).toEqual(['slow'])
    const second = host(config(), { journal })
    expect(reported(await second.resume('r1'))).toMatchObject({
      status: 'completed',
      text: 'Done.',
      toolsUsed: ['slow', 'next'],
    })
    expect(performed).toEqual(['slow', 'next'])
    expect(await second.verify('r1')).toMatchObject({ ok: true })
    expect(await linesOf(journal, 'r1')).toEqual(expect.arrayContaining(['run-suspend', 'run-resume', 'run-end']))
  })

  it('closes its models, whatever they say to that, and the store it was given', async () => {
    const closed: string[] = []
    const closing = (name: string, close: () => Promise<void>) => ({
      ...scripted(['Hello.'], { name }),
      close: () => (closed.push(name), close()),
    })
    const journal = memoryJournal()
    const service = new AgentService({
      agents: [
        {
          id: 'a',
          model: closing('one', async () => {}),
          fallbackProvider: closing('two', () => Promise.reject(new Error('already gone'))),
        },
        {
          id: 'b',
          model: closing('three', () => {
            throw new Error('sync')
          }),
        },
      ],
      store: { journal, close: async () => void closed.push('store') },
    })
    await service.stop()
    expect(closed).toEqual(['one', 'two', 'three', 'store'])
  })

  it('does not close a store under a result that is still being read', async () => {
    let isOpen = true
    const inner = memoryJournal()
    const journal = replacing(inner, {
      async *read(run: string, from?: number) {
        await new Promise((resolve) => setTimeout(resolve, 5))
        if (!isOpen) throw new Error('closed')
        yield* inner.read(run, from)
      },
      close: async () => void (isOpen = false),
    })
    const service = new AgentService({ agents: [{ id: 'main', model: model(['Hello.']) }], store: { journal } })
    const running = service.run('main', 'Go.')
    const [result] = await Promise.all([running, service.stop()])
    expect(['completed', 'await_user']).toContain(result.status)
    expect(isOpen).toBe(false)
  })

  it('of an agent with a host of its own stops that host; one that lives in a service only puts its run away', async () => {
    const own = new Agent({ model: model(['Hello.']) })
    await own.stop()
    expect(await own.health()).toMatchObject({ ok: false })
    const [inside, open] = [gate(), gate()]
    const service = host({ id: 'other', model: model(['Hi.'], { name: 'other' }) })
    const wait = tool('wait', async () => (inside.reach(), open.promise))
    const guest = new Agent(
      { id: 'guest', model: model([calls('wait'), 'Done.'], { name: 'guest' }), tools: [wait] },
      service,
    )
    const running = guest.run('Go.')
    await inside.reached
    const stopped = guest.stop()
    open.open()
    await stopped
    const result = await running
    expect(result).toMatchObject({ status: 'await_user', suspendReason: 'interrupt' })
    expect(await service.health()).toMatchObject({ ok: true })
    expect(await service.resume(result.id)).toMatchObject({ status: 'completed', text: 'Done.' })
  })

  it('cuts no corners when a model hangs: the abort that follows is recorded', async () => {
    const hang = hanging()
    const service = host({ model: hang })
    const run = service.run('main', 'Go.')
    await hang.reached
    const stopped = service.stop()
    void run.cancel()
    expect(await run).toMatchObject({ status: 'cancelled' })
    await stopped
  })
})
