import { describe, expect, it } from 'vitest'
import type { AgentConfig } from '../agent/index.ts'
import { memoryJournal } from '../journal/index.ts'
import { defineTool } from '../tool/index.ts'
import { chainTeam } from './chain-team.ts'
import { handoffTeam } from './handoff-team.ts'
import { routedTeam } from './routed-team.ts'
import { routeByChain, routeByRole, routeBySupervisor } from './route.ts'
import { supervisorTeam } from './supervisor-team.ts'
import { calls, lastText, member, serviceOf } from './team.fixture.ts'

const handOff = (agent: string) => calls('hand_off', { agent, reason: 'It is theirs.' })

describe('a supervisor', () => {
  it('delegates to members as tools, in child runs, and answers in its own words', async () => {
    const writer = member('writer', ['Roses are red.'], { description: 'Writes verse.' })
    const boss = member('desk', [calls('writer', { prompt: 'Write a line.' }), 'Here it is.'])
    const service = serviceOf(supervisorTeam({ ...boss, members: [writer] }))
    const result = await service.run('desk', 'I need a poem.')
    expect(result).toMatchObject({ status: 'completed', text: 'Here it is.' })
    expect(boss.model.requests[0]!.tools).toMatchObject([{ name: 'writer' }])
    expect(lastText(boss.model.requests[0]!)).toBe('I need a poem.')
    expect(await service.runs({ parent: result.id })).toMatchObject([{ name: 'writer', state: 'completed' }])
    expect(await service.replay(result.id)).toMatchObject({ identical: true })
  })

  it('is told of a misspelt field, of members that are none, and of the other name for them', () => {
    const boss = member('desk', ['x'])
    expect(() => supervisorTeam({ ...boss, instructoins: 'x', members: ['a'] } as never)).toThrow(/instructions/)
    expect(() => supervisorTeam({ ...boss, members: [] })).toThrow(/at least one member/)
    expect(() => supervisorTeam({ ...boss, agents: ['a'], members: ['a'] } as never)).toThrow(/`members`/)
  })
})

describe('a chain', () => {
  it('gives each member what the one before it made of the task, and answers with the last', async () => {
    const draft = member('draft', ['A draft.'])
    const edit = member('edit', ['A text.'])
    const service = serviceOf(chainTeam({ id: 'press', members: [draft, edit] }))
    const result = await service.run('press', 'Write about snow.')
    expect(result).toMatchObject({ status: 'completed', text: 'A text.' })
    expect(lastText(draft.model.requests[0]!)).toBe('Write about snow.')
    expect(lastText(edit.model.requests[0]!)).toContain('A draft.')
    expect((await service.messages(result.id)).map(({ role }) => role)).toEqual(['user', 'assistant'])
    expect(await service.replay(result.id)).toMatchObject({ identical: true })
  })

  it('fails with the code of the member that failed, and names it', async () => {
    const service = serviceOf(
      chainTeam({ id: 'press', members: [member('draft', [{ error: 'down' }]), member('edit', ['never'])] }),
    )
    const result = await service.run('press', 'Go.')
    expect(result).toMatchObject({ status: 'failed', error: { code: 'MODEL_FAILED', info: { member: 'draft' } } })
  })
})

describe('a routed team', () => {
  const members = () => [
    member('billing', ['Your invoice.', 'And the next.'], { description: 'Money.' }),
    member('tech', ['Start it again.'], { description: 'Machines.' }),
  ]

  it('gives each message to the member whose words stand in it, with the conversation before it', async () => {
    const [billing, tech] = members()
    const route = routeByRole({ billing: ['invoice'], tech: ['crash'] }, { otherwise: 'billing' })
    const session = serviceOf(routedTeam({ id: 'desk', members: [billing!, tech!], route })).createSession('desk')
    expect(await session.run('Where is my INVOICE?')).toMatchObject({ text: 'Your invoice.' })
    expect(await session.run('And why does it crash?')).toMatchObject({ text: 'Start it again.' })
    expect(tech!.model.requests[0]!.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user'])
    expect(await session.run('Hm.')).toMatchObject({ text: 'And the next.' })
  })

  it('lets an agent choose, in a run below its own', async () => {
    const router = member('router', ['It is for: tech.'])
    const route = routeBySupervisor({ agent: 'router' })
    const service = serviceOf(routedTeam({ id: 'desk', members: members(), helpers: [router], route }))
    const result = await service.run('desk', 'Help.')
    expect(result).toMatchObject({ text: 'Start it again.' })
    expect(lastText(router.model.requests[0]!)).toMatch(/- billing: Money\.\n- tech: Machines\.[^]*Help\./)
    expect(await service.runs({ parent: result.id })).toHaveLength(2)
    expect(await service.replay(result.id)).toMatchObject({ identical: true })
  })

  it('fails where nobody was chosen, and says who there is', async () => {
    const service = serviceOf(routedTeam({ id: 'desk', members: members(), route: () => 'sales' }))
    expect(await service.run('desk', 'Help.')).toMatchObject({
      status: 'failed',
      error: { code: 'NOT_FOUND', message: expect.stringContaining('billing, tech') },
    })
  })
})

describe('a strategy for routing', () => {
  const agents = [{ id: 'a', description: 'First.' }, { id: 'b' }]

  it('by role takes whole words, an address, and what else there is', async () => {
    const route = routeByRole({ a: ['snow storm', 'ice'], b: ['rain'] }, { otherwise: 'b' })
    expect(await route({ content: 'A snow-storm!' }, agents)).toBe('a')
    expect(await route({ content: 'nice' }, agents)).toBe('b')
    expect(await route({ content: [{ type: 'text', text: '@b what about ice?' }] }, agents)).toBe('b')
    expect(await route({ content: 'ice' }, [{ id: 'b' }])).toBe('b')
  })

  it('by supervisor reads an id, JSON or a sentence, and takes no unclear answer', async () => {
    const said = (text: string) => routeBySupervisor({ agent: 'boss', ask: async () => text })({ content: 'x' }, agents)
    expect(await said('a')).toBe('a')
    expect(await said('{"agent":"b"}')).toBe('b')
    expect(await said('I would take "b".')).toBe('b')
    expect(await said('a or b')).toBeUndefined()
    await expect(async () => routeBySupervisor({ agent: 'boss' })({ content: 'x' }, agents)).rejects.toThrow(/ask/)
  })

  it('by chain goes from one to the next, and ends', async () => {
    const next = routeByChain(['a', 'b'])
    expect(await next({ content: 'x' }, agents)).toBe('a')
    expect(await next({ content: 'x', metadata: { agentId: 'a' } }, agents)).toBe('b')
    expect(await next({ content: 'x', metadata: { agentId: 'b' } }, agents)).toBeUndefined()
  })
})

describe('a handoff', () => {
  it('gives the conversation to another agent, which keeps it in the next runs of the session', async () => {
    const triage = member('triage', [handOff('billing'), 'never'])
    const billing = member('billing', ['You get it back.', 'Tomorrow.'])
    const journal = memoryJournal()
    const agents = handoffTeam({ id: 'desk', members: [triage, billing] })
    const session = serviceOf(agents, { journal }).createSession('desk')
    const first = await session.run('I want my money back.')
    expect(first).toMatchObject({ status: 'completed', text: 'You get it back.' })
    expect(billing.model.requests[0]!.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool'])
    // Another process, which has nothing but the conversation.
    const later = serviceOf(agents, { journal }).createSession('desk', { history: session.history })
    const second = await later.run('When?')
    expect(second).toMatchObject({ text: 'Tomorrow.' })
    expect(triage.model.requests).toHaveLength(1)
    expect(billing.model.requests[1]!.messages.map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'tool',
      'assistant',
      'user',
    ])
    for (const { id } of [first, second])
      expect(await serviceOf(agents, { journal }).replay(id)).toMatchObject({ identical: true })
  })

  it('may come back, and what was said and looked up on the way goes with it', async () => {
    const look = defineTool({ name: 'look', risk: 'read', run: () => 'account 7' })
    const triage = member('triage', [handOff('billing'), 'All is well.'])
    const billing = member('billing', [{ text: 'I look.', ...calls('look', {}) }, handOff('triage')], { tools: [look] })
    const result = await serviceOf(handoffTeam({ id: 'desk', members: [triage, billing] })).run('desk', 'Hello?')
    expect(result).toMatchObject({ status: 'completed', text: 'I look.\nAll is well.' })
    const results = triage.model.requests[1]!.messages.flatMap(({ content }) =>
      content.flatMap((part) => (part.type === 'tool-result' ? [part.value] : [])),
    )
    expect(results).toEqual(['"billing" has the conversation now.', 'account 7', '"triage" has the conversation now.'])
  })

  it('goes only to those that are named for the member', async () => {
    const triage = member('triage', [handOff('boss'), 'I stay.'])
    const members = [triage, member('billing', ['never']), member('boss', ['never'])]
    const service = serviceOf(handoffTeam({ id: 'desk', members, handoffs: { triage: ['billing'] } }))
    expect(await service.run('desk', 'Go.')).toMatchObject({ status: 'completed', text: 'I stay.' })
    expect(() => handoffTeam({ id: 'desk', members, handoffs: { triage: ['biling'] } })).toThrow(/billing/)
    expect(() => handoffTeam({ id: 'desk', members, handoffs: { triag: ['billing'] } })).toThrow(/triage/)
    expect(() => handoffTeam({ id: 'desk', members: ['triage'] as never })).toThrow(/agents/)
  })

  it('does not go round for ever', async () => {
    const members = [
      member(
        'a',
        Array.from({ length: 9 }, () => handOff('b')),
      ),
      member(
        'b',
        Array.from({ length: 9 }, () => handOff('a')),
      ),
    ]
    const service = serviceOf(handoffTeam({ id: 'desk', members, maxHandoffs: 3 }))
    const result = await service.run('desk', 'Go.')
    expect(result).toMatchObject({ status: 'failed', error: { code: 'NO_PROGRESS' } })
    expect(await service.runs({ parent: result.id })).toHaveLength(4)
  })
})

describe('the limits of a team hold for what its members do', () => {
  const send = defineTool({ name: 'send', risk: 'destructive', run: () => 'sent' })
  /** A team whose member `worker` calls `send` and then answers, and how many calls of models it makes in all. */
  type Build = (worker: ReturnType<typeof member>, options: object) => readonly AgentConfig[]
  const teams: readonly (readonly [string, number, Build])[] = [
    [
      'chain',
      3,
      (worker, options) => chainTeam({ id: 'desk', members: [worker, member('last', ['Done.'])], ...options }),
    ],
    [
      'routed',
      2,
      (worker, options) => routedTeam({ id: 'desk', members: [worker], route: () => 'worker', ...options }),
    ],
    [
      'supervisor',
      4,
      (worker, options) =>
        supervisorTeam({
          ...member('desk', [calls('worker', { prompt: 'Go.' }), 'Done.']),
          members: [worker],
          ...options,
        }),
    ],
    [
      'handoff',
      3,
      (worker, options) =>
        handoffTeam({ id: 'desk', members: [member('first', [handOff('worker')]), worker], ...options }),
    ],
  ]
  const worker = () => member('worker', [calls('send', {}), 'I may not.'], { tools: [send] })

  it.each(teams)('a tool that a %s team denies is denied to its members', async (_kind, _calls, build) => {
    const denied = worker()
    const result = await serviceOf(build(denied, { mandate: { deny: ['send'] } })).run('desk', 'Go.')
    expect(result).toMatchObject({ status: 'completed' })
    expect(JSON.stringify(denied.model.requests[1]!.messages)).toContain('denied')
  })

  it.each(teams)('the members of a %s team spend from its budget', async (_kind, modelCalls, build) => {
    const mandate = { deny: ['send'] }
    const run = (budget: object) => serviceOf(build(worker(), { mandate, budget })).run('desk', 'Go.')
    expect(await run({ modelCalls })).toMatchObject({ status: 'completed' })
    expect(await run({ modelCalls: modelCalls - 1 })).toMatchObject({
      status: 'failed',
      error: { code: 'LIMIT_EXCEEDED' },
    })
  })
})
