import { describe, expect, it } from 'vitest'
import { memoryJournal, readAll } from '../../journal/index.ts'
import { defineTool } from '../../tool/index.ts'
import { TaskGraph } from '../tasks/task-graph.ts'
import { answering, calls, member, planOf, serviceOf, untilCut } from '../team.fixture.ts'
import { teamState } from '../team-state.ts'
import { plannedTeam } from './planned-team.ts'

const chief = (...replies: readonly string[]) => member('chief', replies).model
const TWO = planOf(
  { id: 'facts', description: 'Find facts.', worker: 'finder' },
  { id: 'text', description: 'Write it.', worker: 'writer', blockedBy: ['facts'] },
)

describe('a planned team', () => {
  it('plans, gives workers what they need, and puts the results together', async () => {
    const finder = member('finder', ['Snow is white.'])
    const writer = member('writer', ['White snow.'])
    const model = chief(TWO, 'The answer.')
    const service = serviceOf(plannedTeam({ id: 'desk', model, workers: [finder, writer] }))
    const result = await service.run('desk', 'Tell me about snow.')
    expect(result).toMatchObject({ status: 'completed', text: 'The answer.' })
    expect(JSON.stringify(writer.model.requests[0]!.messages)).toContain('Snow is white.')
    expect(JSON.stringify(model.requests[1]!.messages)).toContain('White snow.')
    const state = await teamState(service, result.id)
    expect(state).toMatchObject({
      phase: 'completed',
      tasks: [
        { id: 'facts', status: 'done', attempts: 1, result: 'Snow is white.' },
        { id: 'text', status: 'done', attempts: 1, result: 'White snow.' },
      ],
    })
    expect(await service.replay(result.id)).toMatchObject({ identical: true })
    expect((await service.messages(result.id)).map(({ role }) => role)).toEqual(['user', 'assistant'])
  })

  it('works on what nothing blocks at once, the highest priority first, and never on more than it may', async () => {
    const order: string[] = []
    let now = 0
    let most = 0
    const worker = answering('worker', async (text) => {
      order.push(/task:\n(\w+)/i.exec(text)![1]!)
      most = Math.max(most, ++now)
      await new Promise((resolve) => setImmediate(resolve))
      now -= 1
      return 'done'
    })
    const tasks = ['a', 'b', 'c', 'd', 'e'].map((id, index) => ({ id, description: id, priority: index === 4 ? 9 : 0 }))
    const service = serviceOf(
      plannedTeam({ id: 'desk', model: chief(planOf(...tasks), 'Done.'), workers: [worker], maxWorkers: 2 }),
    )
    expect(await service.run('desk', 'Go.')).toMatchObject({ status: 'completed' })
    expect(order.slice(0, 2)).toEqual(['e', 'a'])
    expect(order.toSorted()).toEqual(['a', 'b', 'c', 'd', 'e'])
    expect(most).toBe(2)
  })

  it('asks again for a plan that cannot be used, says what is wrong with it, and gives up', async () => {
    const planner = member('planner', ['no json', planOf({ id: 'a', description: 'A.', blockedBy: ['b'] }), TWO])
    const options = {
      id: 'desk',
      model: chief('Done.'),
      planner,
      workers: [member('finder', ['x']), member('writer', ['y'])],
    }
    expect(await serviceOf(plannedTeam(options)).run('desk', 'Go.')).toMatchObject({ status: 'completed' })
    expect(JSON.stringify(planner.model.requests[2]!.messages)).toContain('depends on \\"b\\", which there is not')
    const bad = member('planner', ['no json', 'no json'])
    const never = plannedTeam({ ...options, planner: bad, maxRetries: 1 })
    expect(await serviceOf(never).run('desk', 'Go.')).toMatchObject({
      status: 'failed',
      error: { code: 'OUTPUT_INVALID', message: expect.stringContaining('planner') },
    })
    expect(bad.model.requests).toHaveLength(2)
  })

  it('refuses more tasks than it may have, and workers that are not there', async () => {
    const planner = member('planner', [
      planOf({ id: 'a', description: 'A.' }, { id: 'b', description: 'B.' }),
      planOf({ id: 'a', description: 'A.', worker: 'ghost' }),
    ])
    const team = plannedTeam({
      id: 'desk',
      model: chief('x'),
      planner,
      workers: [member('worker', ['x'])],
      maxTasks: 1,
      maxRetries: 1,
    })
    expect(await serviceOf(team).run('desk', 'Go.')).toMatchObject({ error: { code: 'OUTPUT_INVALID' } })
    expect(JSON.stringify(planner.model.requests[1]!.messages)).toContain('At most 1 are allowed')
  })

  it('fails what depends on a failed task, and answers with the rest', async () => {
    const finder = member('finder', [{ error: 'down' }])
    const writer = member('writer', ['written'])
    const plan = planOf(
      { id: 'a', description: 'A.', worker: 'finder' },
      { id: 'b', description: 'B.', worker: 'writer', blockedBy: ['a'] },
      { id: 'c', description: 'C.', worker: 'writer', blockedBy: ['b'] },
      { id: 'd', description: 'D.', worker: 'writer' },
    )
    const model = chief(plan, 'What there is.')
    const service = serviceOf(plannedTeam({ id: 'desk', model, workers: [finder, writer], maxRetries: 0 }))
    const result = await service.run('desk', 'Go.')
    expect(result).toMatchObject({ status: 'completed', text: 'What there is.' })
    const { tasks } = await teamState(service, result.id)
    expect(tasks.map(({ status }) => status)).toEqual(['failed', 'failed', 'failed', 'done'])
    expect(JSON.stringify(model.requests[1]!.messages)).toContain('This task failed')
    expect(writer.model.requests).toHaveLength(1)
  })

  it('fails where nothing was done, with the code of the failure', async () => {
    const finder = member(
      'finder',
      Array.from({ length: 9 }, () => ({ error: 'down' })),
    )
    const service = serviceOf(
      plannedTeam({ id: 'desk', model: chief(planOf({ id: 'a', description: 'A.' }), 'never'), workers: [finder] }),
    )
    expect(await service.run('desk', 'Go.')).toMatchObject({ status: 'failed', error: { code: 'MODEL_FAILED' } })
    expect(finder.model.requests).toHaveLength(3)
  })
})

describe('a verifier', () => {
  const one = planOf({ id: 'a', description: 'A.' })
  const verdict = (approved: boolean) => JSON.stringify({ approved, reason: 'Too short.' })

  it('sends a result back with its reason, and the task is done when it approves', async () => {
    const worker = member('worker', ['short', 'long enough'])
    const verifier = member('checker', [verdict(false), verdict(true)])
    const service = serviceOf(plannedTeam({ id: 'desk', model: chief(one, 'Done.'), workers: [worker], verifier }))
    const result = await service.run('desk', 'Go.')
    expect((await teamState(service, result.id)).tasks).toMatchObject([
      { status: 'done', attempts: 2, result: 'long enough' },
    ])
    expect(JSON.stringify(worker.model.requests[1]!.messages)).toMatch(/short[^]*Too short\./)
    expect(await service.replay(result.id)).toMatchObject({ identical: true })
  })

  it('that always rejects, fails or says something else ends the task, never the world', async () => {
    const bad: readonly (readonly [string | { readonly error: string }, number])[] = [
      [verdict(false), 3],
      ['Looks good to me, I approve.', 3],
      ['{"approved":"yes"}', 3],
      [{ error: 'down' }, 3],
    ]
    for (const [reply, attempts] of bad) {
      const worker = member(
        'worker',
        Array.from({ length: 9 }, () => 'x'),
      )
      const verifier = member(
        'checker',
        Array.from({ length: 9 }, () => reply),
      )
      const service = serviceOf(plannedTeam({ id: 'desk', model: chief(one, 'never'), workers: [worker], verifier }))
      const result = await service.run('desk', 'Go.')
      expect(result.status).toBe('failed')
      expect(worker.model.requests).toHaveLength(attempts)
      expect((await teamState(service, result.id)).tasks).toMatchObject([{ status: 'failed', attempts }])
    }
  })

  it('comes with the team, and must answer in the right shape', async () => {
    const model = chief(one, verdict(true), 'Done.')
    const service = serviceOf(plannedTeam({ id: 'desk', model, workers: [member('worker', ['x'])], verifier: true }))
    expect(await service.run('desk', 'Go.')).toMatchObject({ status: 'completed', text: 'Done.' })
  })
})

describe('a worker', () => {
  const one = planOf({ id: 'a', description: 'A.' })

  it('that takes too long is cut, and the task is given out again', async () => {
    let begun = 0
    const worker = answering('worker', (_text, { signal }) => (++begun === 1 ? untilCut(signal) : 'in time'))
    const service = serviceOf(
      plannedTeam({ id: 'desk', model: chief(one, 'Done.'), workers: [worker], workerTimeoutMs: 50 }),
    )
    const result = await service.run('desk', 'Go.')
    expect(result).toMatchObject({ status: 'completed' })
    expect((await teamState(service, result.id)).tasks).toMatchObject([{ status: 'done', attempts: 2 }])
    expect((await service.runs({ parent: result.id })).map(({ state }) => state)).toContain('failed')
  })

  it('spends from the budget of the team, and no more than it is allotted', async () => {
    const worker = answering('worker', () => 'x', { maxTokens: 20 })
    const build = (options: object) =>
      serviceOf(plannedTeam({ id: 'desk', model: chief(one, 'Done.'), workers: [worker], maxRetries: 0, ...options }))
    const broke = await build({ workerBudget: { modelCalls: 0 } }).run('desk', 'Go.')
    expect(broke).toMatchObject({ status: 'failed', error: { code: 'LIMIT_EXCEEDED' } })
    const all = await build({ budget: { modelCalls: 2 } }).run('desk', 'Go.')
    expect(all).toMatchObject({ status: 'failed', error: { code: 'LIMIT_EXCEEDED' } })
    expect(await build({ budget: { modelCalls: 3 } }).run('desk', 'Go.')).toMatchObject({ status: 'completed' })
  })

  it("is under the team's mandate as well as its own", async () => {
    const send = defineTool({ name: 'send', risk: 'destructive', run: () => 'sent' })
    const worker = member('worker', [calls('send', {}), 'I may not.'], { tools: [send] })
    const service = serviceOf(
      plannedTeam({
        id: 'desk',
        model: chief(one, 'Done.'),
        workers: [worker],
        mandate: { deny: ['send'] },
      }),
    )
    expect(await service.run('desk', 'Go.')).toMatchObject({ status: 'completed' })
    expect(JSON.stringify(worker.model.requests[1]!.messages)).toContain('denied')
  })

  it("waits for a person in the name of the team's run, and is not asked again for what it did", async () => {
    let sent = 0
    const send = defineTool({ name: 'send', risk: 'destructive', run: () => ++sent })
    const worker = member('worker', [calls('send', {}), 'Sent.'], { tools: [send] })
    const other = member('other', ['Something else.'])
    const plan = planOf(
      { id: 'a', description: 'A.', worker: 'worker' },
      { id: 'b', description: 'B.', worker: 'other' },
    )
    const journal = memoryJournal()
    const agents = plannedTeam({ id: 'desk', model: chief(plan, 'Done.'), workers: [worker, other] })
    const waiting = await serviceOf(agents, { journal }).run('desk', 'Go.')
    expect(waiting).toMatchObject({ status: 'await_user', pending: [{ name: 'send' }] })
    const service = serviceOf(agents, { journal })
    expect(await teamState(service, waiting.id)).toMatchObject({
      phase: 'executing',
      tasks: [{ status: 'in_progress' }, { status: 'done' }],
    })
    await service.approve(waiting.pending[0]!.approvalId!)
    expect(await service.resume(waiting.id)).toMatchObject({ status: 'completed', text: 'Done.' })
    expect(sent).toBe(1)
    expect(other.model.requests).toHaveLength(1)
  })
})

describe('the tasks of a run', () => {
  it('are changed from outside, by those who name a version only while it is the last one', async () => {
    const journal = memoryJournal()
    const first = Promise.withResolvers<void>()
    const reached = Promise.withResolvers<void>()
    const worker = answering('worker', async (text) => {
      if (text.includes('First.')) {
        reached.resolve()
        await first.promise
      }
      return 'done'
    })
    const plan = planOf({ id: 'a', description: 'First.' }, { id: 'b', description: 'B.', blockedBy: ['a'] })
    const model = chief(plan, 'Done.')
    const service = serviceOf(plannedTeam({ id: 'desk', model, workers: [worker], maxTasks: 3 }), { journal })
    const run = service.run('desk', 'Go.')
    await reached.promise
    const { version } = await teamState(service, run.id)
    const add = (id: string) => ({ op: 'add', task: { id, description: `${id}.` } })
    await service.steer(run.id, { expectedVersion: version, patches: [add('c')] })
    await service.steer(run.id, { patches: [add('d')] })
    await service.steer(run.id, { patches: [add('e')] })
    await service.steer(run.id, { patches: [{ op: 'add', task: { id: 'f', description: 'F.', worker: 'ghost' } }] })
    await service.steer(run.id, 'Be brief.')
    first.resolve()
    const result = await run
    expect(result.status).toBe('completed')
    const { tasks, events } = await teamState(service, result.id)
    expect(events.filter(({ type }) => type === 'conflict' || type === 'refused')).toMatchObject([
      { type: 'conflict', expectedVersion: version },
      { type: 'refused', problem: expect.stringContaining('3 tasks') },
      { type: 'refused', problem: expect.stringContaining('3 tasks') },
    ])
    expect(tasks).toMatchObject([{ id: 'a' }, { id: 'b' }, { id: 'd', status: 'done' }])
    expect(JSON.stringify(model.requests[1]!.messages)).toContain('Be brief.')
    expect(await service.replay(result.id)).toMatchObject({ identical: true })
  })

  it('are what their events say, whoever replays them', async () => {
    const service = serviceOf(
      plannedTeam({
        id: 'desk',
        model: chief(TWO, 'Done.'),
        workers: [member('finder', ['x']), member('writer', ['y'])],
      }),
    )
    const { id } = await service.run('desk', 'Go.')
    const { events, tasks, version } = await teamState(service, id)
    const plan = events.find((event) => event.type === 'plan')!
    const replayed = TaskGraph.replay(
      plan.tasks,
      events.flatMap((event) => (event.type === 'tasks' ? [event] : [])),
    )
    expect([replayed.version, replayed.tasks]).toEqual([version, tasks])
    const notes = (await readAll(service.journal, id)).filter(
      ({ type, data }) => type === 'note' && data?.name === 'team',
    )
    expect(notes).toHaveLength(events.length)
  })
})
