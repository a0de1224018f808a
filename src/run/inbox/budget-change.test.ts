import { describe, expect, it } from 'vitest'
import { manualClock } from '../../core/index.ts'
import type { BudgetLimits, Json } from '../../core/index.ts'
import { foldRun, memoryJournal, readAll } from '../../journal/index.ts'
import type { Journal } from '../../journal/index.ts'
import { call, entriesOf, kernelWith, linesOf, outputOf, program, tool, value } from '../kernel/kernel.fixture.ts'
import type { KernelParts } from '../kernel/kernel.fixture.ts'
import type { Kernel } from '../kernel/kernel.ts'

const ANA = { id: 'ana', roles: ['owner'] }
const RUNNER = { id: 'rob', roles: ['runner'] }

interface Made {
  readonly kernel: Kernel
  readonly done: string[]
}

/** `main` does three things, of which the second waits for a person. */
function made(more: KernelParts = {}): Made {
  const done: string[] = []
  const step = (name: string, facts = {}): ReturnType<typeof tool> => tool(name, () => done.push(name), facts)
  const main = program('main', async (_input, context) => {
    const statuses: Json[] = []
    for (const name of ['a', 'ask', 'b', 'c']) {
      const outcome = await call(context, name)
      statuses.push(outcome.status)
      if (outcome.status === 'denied') throw Object.assign(new Error(outcome.reason), { code: outcome.code })
    }
    return statuses
  })
  const tools = [step('a'), step('ask', { needsApproval: true }), step('b'), step('c')]
  return { kernel: kernelWith({ minds: [main], tools, ...more }), done }
}

function start(kernel: Kernel, budget: BudgetLimits): ReturnType<Kernel['run']> {
  return kernel.run({ kind: 'program', name: 'main', input: null, runId: 'r', budget })
}

async function approved(kernel: Kernel, run = 'r'): Promise<void> {
  const [request] = await kernel.approvals(run)
  await kernel.respond(request!.id, { answer: 'approve' })
}

describe('a run that is resumed', () => {
  it('is held to a stricter budget of the host', async () => {
    const journal = memoryJournal()
    await start(made({ journal }).kernel, { toolCalls: 10 })
    const { kernel, done } = made({ journal, mandate: { budget: { toolCalls: 2 } } })
    await approved(kernel)
    await kernel.resume('r')
    expect(done).toEqual(['ask'])
    const [end] = await entriesOf(journal, 'run-end')
    expect(JSON.stringify(end!.data)).toContain('`budget.toolCalls` is 2')
  })

  it('is held to a stricter budget of its own mandate, too', async () => {
    const journal = memoryJournal()
    await start(made({ journal }).kernel, { toolCalls: 10 })
    const { kernel, done } = made({ journal, minds: [] })
    const first = made().kernel.registry.requireMind('program', 'main')
    kernel.registry.registerMind({ ...first, mandate: { budget: { toolCalls: 1 } } })
    await approved(kernel)
    await kernel.resume('r').catch(() => {})
    expect(done).toEqual([])
  })

  it('goes on with a budget that was raised, which is recorded with who did it', async () => {
    const journal = memoryJournal()
    const { kernel } = made({ journal })
    await start(kernel, { toolCalls: 2, money: 1 })
    expect((await kernel.resume('r', { budget: { toolCalls: 4 }, identity: ANA })).state).toBe('suspended')
    const notes = await entriesOf(journal, 'note')
    expect(notes.map(({ data }) => data)).toEqual([
      { name: 'budget-changed', value: { budget: { toolCalls: 4 }, by: ANA } },
    ])
    // A process that comes later finds it in the journal.
    const later = made({ journal })
    await approved(later.kernel)
    expect(outputOf(await later.kernel.resume('r'))).toEqual(['ok', 'ok', 'ok', 'ok'])
    expect(foldRun(await readAll(journal, 'r')).budget).toEqual({ toolCalls: 4, money: 1 })
    expect(await later.kernel.replay('r')).toMatchObject({ identical: true, complete: true })
  })

  it('can be given less as well', async () => {
    const { kernel, done } = made()
    await start(kernel, { toolCalls: 9 })
    await kernel.resume('r', { budget: { toolCalls: 2 } })
    await approved(kernel)
    await kernel.resume('r')
    expect(done).toEqual(['a', 'ask'])
  })

  it('refuses another budget from an identity without the right, and from one that is not known', async () => {
    const roles = { runner: ['run-agent', 'read-journal'] as const, owner: ['approve', 'run-agent'] as const }
    const { kernel } = made({ mandate: { roles } })
    await start(kernel, { toolCalls: 2 })
    await expect(kernel.resume('r', { budget: { toolCalls: 4 }, identity: RUNNER })).rejects.toMatchObject({
      code: 'DENIED',
    })
    expect(await kernel.journal.signals('r')).toEqual([])
    // Put into the inbox by other means it is refused as well, when it is read.
    const at = kernel.clock.now()
    await kernel.journal.signal('r', { id: 'x', type: 'budget', by: RUNNER, at, data: { toolCalls: 4 } })
    await kernel.resume('r')
    expect(foldRun(await readAll(kernel.journal, 'r')).budget).toEqual({ toolCalls: 2 })
    expect(JSON.stringify((await entriesOf(kernel.journal, 'note')).map(({ data }) => data))).toContain(
      'may not approve',
    )
  })

  it('refuses what has no effect: unknown units and options, more than a mandate allows, runs that are over', async () => {
    const { kernel } = made({ mandate: { budget: { toolCalls: 3 } } })
    await start(kernel, { toolCalls: 2 })
    const resume = (options: object): Promise<unknown> => kernel.resume('r', options)
    await expect(resume({ budget: { toolCals: 4 } })).rejects.toThrow('Did you mean `toolCalls`?')
    await expect(resume({ budgt: { toolCalls: 4 } })).rejects.toThrow('Did you mean `budget`?')
    await expect(resume({ budget: {} })).rejects.toMatchObject({ code: 'CONFIG_INVALID' })
    await expect(resume({ budget: { toolCalls: 4 } })).rejects.toThrow('limits it to 3')
    await kernel.cancel('r')
    await kernel.resume('r')
    await expect(resume({ budget: { toolCalls: 3 } })).rejects.toMatchObject({ code: 'RUN_STATE' })
  })
})

describe('a fork with another budget', () => {
  async function failedAt(limit: BudgetLimits, journal: Journal = memoryJournal()): Promise<Made> {
    const first = made({ journal })
    await start(first.kernel, limit)
    await approved(first.kernel)
    expect((await first.kernel.resume('r')).state).toBe('failed')
    first.done.length = 0
    return first
  }

  it('goes on where the limit ended the other run, and repeats nothing', async () => {
    const { kernel, done } = await failedAt({ toolCalls: 3 })
    const fork = await kernel.fork('r', { budget: { toolCalls: 4 }, identity: ANA })
    expect(outputOf(await kernel.resume(fork))).toEqual(['ok', 'ok', 'ok', 'ok'])
    expect(done).toEqual(['c'])
    expect((await entriesOf(kernel.journal, 'note', fork)).map(({ data }) => data)).toEqual([
      { name: 'budget-changed', value: { budget: { toolCalls: 4 }, by: ANA } },
    ])
    expect(await kernel.verify(fork)).toMatchObject({ ok: true })
    expect((await kernel.resume('r')).state).toBe('failed')
  })

  it('goes on after a refused step', async () => {
    const steps = program('main', async (_input, context) => {
      await value(context, 'a')
      for (let i = 0; i < 3; i++) {
        const refused = context.step()
        if (refused !== undefined) throw Object.assign(new Error('no more steps'), { code: 'LIMIT_EXCEEDED' })
      }
      return 'done'
    })
    const { kernel, done } = made({ minds: [steps] })
    await start(kernel, { steps: 2 })
    const fork = await kernel.fork('r', { budget: { steps: 3 } })
    expect(outputOf(await kernel.resume(fork))).toBe('done')
    expect(done).toEqual(['a'])
  })

  it('takes the right to approve, and keeps to the mandates', async () => {
    const { kernel } = await failedAt({ toolCalls: 3 })
    await expect(kernel.fork('r', { budget: { toolCalls: 4 }, identity: RUNNER })).rejects.toMatchObject({
      code: 'DENIED',
    })
    await expect(kernel.fork('r', { budget: { toolCals: 4 } as never })).rejects.toThrow('Did you mean `toolCalls`?')
    kernel.setMandate({ budget: { toolCalls: 3 } })
    await expect(kernel.fork('r', { budget: { toolCalls: 4 } })).rejects.toThrow('limits it to 3')
  })

  it('counts the time that the shared part took, and not the waiting in it', async () => {
    const clock = manualClock(0)
    const { kernel } = made({ clock, tools: [] })
    for (const name of ['a', 'b', 'c']) kernel.registry.registerTool(tool(name, () => clock.advance(3_000)))
    kernel.registry.registerTool(tool('ask', () => 1, { needsApproval: true }))
    await start(kernel, { toolCalls: 3 })
    clock.advance(1_000_000)
    await approved(kernel)
    await kernel.resume('r')
    const fork = await kernel.fork('r', { budget: { toolCalls: 4, timeMs: 8_000 } })
    expect(foldRun(await readAll(kernel.journal, fork)).activeMs).toBe(6_000)
    await kernel.resume(fork)
    const [end] = await entriesOf(kernel.journal, 'run-end', fork)
    expect(end!.data).toMatchObject({ activeMs: 9_000, error: { code: 'LIMIT_EXCEEDED' } })
  })
})

describe('options of a fork', () => {
  it('that cannot be meant are refused with the right shape', async () => {
    const { kernel } = made()
    await start(kernel, {})
    for (const edit of [
      'x',
      7,
      null,
      { inptu: 1 },
      { key: 'tool' },
      { key: 1, value: 2 },
      { input: 1, key: 'a', value: 1 },
    ])
      await expect(kernel.fork('r', { edit } as never), JSON.stringify(edit)).rejects.toMatchObject({
        code: 'CONFIG_INVALID',
        message: expect.stringContaining('{ input }'),
      })
    await expect(kernel.fork('r', { budgets: {} } as never)).rejects.toThrow('Did you mean `budget`?')
    expect(await linesOf(kernel.journal)).not.toContain('run-end')
  })
})
