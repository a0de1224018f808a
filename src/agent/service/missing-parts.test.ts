import { afterEach, describe, expect, it } from 'vitest'
import { memoryJournal } from '../../journal/index.ts'
import type { Journal } from '../../journal/index.ts'
import { scripted } from '../../model/index.ts'
import { MindStop } from '../../run/index.ts'
import type { Mind, RunContext } from '../../run/index.ts'
import { defineTool } from '../../tool/index.ts'
import type { Tool } from '../../tool/index.ts'
import { AgentService } from './service.ts'
import type { ServiceOptions } from './service-options.ts'

/** An engine that drives nothing by itself. */
const engine = {
  name: 'nowhere',
  attach: async () => {},
  dispatch: async () => {},
  schedule: async () => {},
  stop: async () => {},
}

const services: AgentService[] = []

function serviceOver(journal: Journal, options: ServiceOptions): AgentService {
  const service = new AgentService({ journal, engine, ...options })
  services.push(service)
  return service
}

afterEach(async () => {
  for (const service of services.splice(0)) await service.stop()
})

const paid: string[] = []
const pay = defineTool({
  ...{ name: 'pay', risk: 'write', needsApproval: true, inputSchema: { type: 'object' } },
  run: (_input, { runId }) => paid.push(runId),
})
const asks = (...names: string[]): object => ({ toolCalls: names.map((name) => ({ name, input: { prompt: 'Go.' } })) })

describe('a waiting run that a process cannot continue', () => {
  /** A service that can do everything, and how another one lacks something. */
  const cases: Readonly<
    Record<string, { readonly whole: ServiceOptions; readonly lacking: ServiceOptions; says: string }>
  > = {
    'the model': {
      whole: { agents: [{ id: 'main', tools: [pay], model: scripted([asks('pay'), 'Done.'], { name: 'old' }) }] },
      lacking: { agents: [{ id: 'main', tools: [pay], model: scripted([asks('pay'), 'Done.'], { name: 'new' }) }] },
      says: '"scripted/old"; here: "scripted/new"',
    },
    'the tool': {
      whole: { agents: [{ id: 'main', tools: [pay], model: scripted([asks('pay'), 'Done.']) }] },
      lacking: { agents: [{ id: 'main', model: scripted([asks('pay'), 'Done.']) }] },
      says: 'the tool "pay"',
    },
    'the agent': {
      whole: { agents: [{ id: 'main', tools: [pay], model: scripted([asks('pay'), 'Done.']) }] },
      lacking: { agents: [] },
      says: 'no agent "main"',
    },
    'an agent below it': {
      whole: {
        agents: [
          { id: 'main', agents: ['kid'], model: scripted([asks('kid'), 'Done.']) },
          { id: 'kid', tools: [pay], model: scripted([asks('pay'), 'Done.']) },
        ],
      },
      lacking: { agents: [{ id: 'main', agents: ['kid'], model: scripted([asks('kid'), 'Done.']) }] },
      says: 'the agent "kid"',
    },
    'the model of an agent below it': {
      whole: {
        agents: [
          { id: 'main', agents: ['kid'], model: scripted([asks('kid'), 'Done.']) },
          { id: 'kid', tools: [pay], model: scripted([asks('pay'), 'Done.'], { name: 'old' }) },
        ],
      },
      lacking: {
        agents: [
          { id: 'main', agents: ['kid'], model: scripted([asks('kid'), 'Done.']) },
          { id: 'kid', tools: [pay], model: scripted([asks('pay'), 'Done.'], { name: 'new' }) },
        ],
      },
      says: '"scripted/old"; here',
    },
  }

  it.each(Object.entries(cases))(
    'because it lacks %s stays suspended with its answer',
    async (_, { whole, lacking, says }) => {
      paid.length = 0
      const journal = memoryJournal()
      const first = serviceOver(journal, whole)
      expect((await first.run('main', 'Go.', { runId: 'r' })).status).toBe('await_user')
      const second = serviceOver(journal, lacking)
      const [request] = await first.approvals()
      await second.approve(request!.id)
      for (let tries = 0; tries < 2; tries++) {
        await expect(second.resume('r')).rejects.toMatchObject({
          code: 'NOT_FOUND',
          message: expect.stringContaining(says),
        })
        for (const { state } of await second.runs()) expect(state).toBe('suspended')
      }
      expect(paid).toEqual([])
      expect(await first.resume('r')).toMatchObject({ status: 'completed', text: 'Done.' })
      expect(paid).toHaveLength(1)
      expect(await first.verify('r')).toMatchObject({ ok: true })
    },
  )

  it.each(Object.entries(cases).filter(([what]) => !what.startsWith('the agent') && what !== 'an agent below it'))(
    'because it lacks %s can be cancelled all the same',
    async (_, { whole, lacking }) => {
      paid.length = 0
      const journal = memoryJournal()
      await serviceOver(journal, whole).run('main', 'Go.', { runId: 'r' })
      const second = serviceOver(journal, lacking)
      await second.cancel('r', 'no longer wanted')
      await second.resume('r').catch(() => {})
      expect(await journal.summary('r')).toMatchObject({ state: 'cancelled' })
      expect(paid).toEqual([])
    },
  )

  it('because it lacks an agent below it keeps its cancellation for a process that has it', async () => {
    const { whole, lacking } = cases['an agent below it']!
    const journal = memoryJournal()
    const first = serviceOver(journal, whole)
    await first.run('main', 'Go.', { runId: 'r' })
    const second = serviceOver(journal, lacking)
    await second.cancel('r', 'no longer wanted')
    await expect(second.resume('r')).rejects.toMatchObject({ code: 'NOT_FOUND' })
    expect(await journal.summary('r')).toMatchObject({ state: 'suspended' })
    expect((await first.resume('r')).status).toBe('cancelled')
    for (const { state } of await first.runs()) expect(state).toBe('cancelled')
  })

  it('goes on without a tool that it has not asked for', async () => {
    const journal = memoryJournal()
    const look: Tool = defineTool({ name: 'look', risk: 'read', run: () => 1 })
    const model = scripted([asks('pay'), 'Done.'])
    const first = serviceOver(journal, { agents: [{ id: 'main', tools: [pay, look], model }] })
    await first.run('main', 'Go.', { runId: 'r' })
    const [request] = await first.approvals()
    await first.approve(request!.id)
    const second = serviceOver(journal, { agents: [{ id: 'main', tools: [pay], model }] })
    expect(await second.resume('r')).toMatchObject({ status: 'completed' })
  })
})

describe('a mind that fails before it has repeated what is recorded', () => {
  const mind = (fails: () => void): Mind => ({
    kind: 'program',
    name: 'main',
    async start(_input, context: RunContext) {
      fails()
      await context.perform({ kind: 'tool', name: 'look', input: {} })
      return (await context.perform({ kind: 'question', name: 'q', input: { text: '?' } })).status
    },
  })
  const look = defineTool({ name: 'look', risk: 'read', run: () => 1 })

  async function suspended(): Promise<Journal> {
    const journal = memoryJournal()
    const { kernelOf } = await import('../../run/index.ts')
    const first = serviceOver(journal, { minds: [mind(() => {})], tools: [look] })
    await kernelOf(first).run({ kind: 'program', name: 'main', input: {}, runId: 'r' })
    return journal
  }

  it('because it is another version says so, and the run stays as it is', async () => {
    const journal = await suspended()
    const second = serviceOver(journal, {
      minds: [
        mind(() => {
          throw new MindStop('VERSION_UNSUPPORTED', 'Too old.')
        }),
      ],
    })
    await expect(second.resume('r')).rejects.toMatchObject({ code: 'VERSION_UNSUPPORTED', message: 'Too old.' })
    await expect(second.replay('r')).rejects.toMatchObject({ code: 'VERSION_UNSUPPORTED' })
    expect(await journal.summary('r')).toMatchObject({ state: 'suspended' })
  })

  it('for another reason has diverged, and the reason is named', async () => {
    const journal = await suspended()
    const second = serviceOver(journal, {
      minds: [
        mind(() => {
          throw new Error('no such file')
        }),
      ],
    })
    await expect(second.resume('r')).rejects.toMatchObject({
      code: 'REPLAY_DIVERGED',
      message: expect.stringContaining('the mind failed without it: MIND_FAILED no such file'),
    })
    expect(await second.replay('r')).toMatchObject({
      identical: false,
      difference: { replayed: 'the mind failed without it: MIND_FAILED no such file' },
    })
    expect(await journal.summary('r')).toMatchObject({ state: 'suspended' })
  })
})
