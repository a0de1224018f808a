import { describe, expect, test } from 'vitest'
import { manualClock } from '../../core/index.ts'
import type { Json } from '../../core/index.ts'
import type { OverseerPolicy } from '../../gate/index.ts'
import { memoryJournal, readAll } from '../../journal/index.ts'
import type { Journal } from '../../journal/index.ts'
import { scripted } from '../../model/index.ts'
import { call, cutAfter, entriesOf, kernelWith, linesOf, program, tool } from '../kernel/kernel.fixture.ts'
import type { Kernel } from '../kernel/kernel.ts'
import type { Mind, RunContext } from '../mind/mind.ts'

type Start = (context: RunContext) => Promise<Json>

function bench(
  overseer: OverseerPolicy,
  start: Start,
  more: { journal?: Journal; minds?: readonly Mind[]; judge?: string[] } = {},
) {
  const journal = more.journal ?? memoryJournal()
  const performed: Json[] = []
  const minds = [program('main', (_, context) => start(context)), ...(more.minds ?? [])]
  const kernel = kernelWith({
    minds,
    tools: [tool('ping', (input) => void performed.push(input))],
    journal,
    clock: manualClock(1_000),
    mandate: { overseer },
  })
  const judge = scripted(more.judge ?? [], { by: 'call' })
  kernel.registry.registerModel('judge', judge)
  kernel.registry.registerModel(
    'talker',
    scripted(() => ({ text: 'x', usage: { inputTokens: 30, outputTokens: 30, totalTokens: 60 } })),
  )
  return { kernel, journal, performed, judge }
}

const run = (kernel: Kernel, runId = 'r') => kernel.run({ kind: 'program', name: 'main', input: 'tidy up', runId })
const each =
  (inputs: readonly Json[]): Start =>
  async (context) => {
    for (const input of inputs) await call(context, 'ping', input)
    return 'done'
  }
const killed = async (journal: Journal): Promise<string[]> =>
  (await entriesOf(journal, 'effect-decide')).map(({ data }) => data.decision.rule)

describe('the overseer', () => {
  test('ends a run that turns in circles, and the mind cannot catch it', async () => {
    const { kernel, journal, performed } = bench({}, async (context) => {
      for (;;) await call(context, 'ping', { a: 1 }).catch(() => {})
    })
    expect(await run(kernel)).toMatchObject({
      state: 'failed',
      error: { code: 'KILLED', message: expect.stringContaining('overseer/loop') },
    })
    expect(performed).toHaveLength(2)
    expect(await killed(journal)).toEqual(['overseer/loop'])
  })

  test('sees a circle also in calls that are made at once', async () => {
    const { kernel, performed } = bench({}, async (context) => {
      await Promise.all(Array.from({ length: 8 }, () => call(context, 'ping', { a: 1 })))
      return null
    })
    expect(await run(kernel)).toMatchObject({ state: 'failed', error: { code: 'KILLED' } })
    expect(performed.length).toBeLessThanOrEqual(2)
  })

  test('lets calls with other inputs pass', async () => {
    const { kernel, performed } = bench({}, each([1, 2, 1, 2, 1, 2]))
    expect(await run(kernel)).toMatchObject({ state: 'completed' })
    expect(performed).toHaveLength(6)
  })

  test('really asks when it goes too fast: the run waits, and goes on once someone has approved', async () => {
    const { kernel, performed } = bench({ maxCallsPerMinute: 2 }, each([1, 2, 3]))
    const waiting = await run(kernel)
    expect(waiting).toMatchObject({ state: 'suspended', reason: 'approval' })
    expect(performed).toEqual([1, 2])
    const [open] = await kernel.approvals('r')
    expect(open).toMatchObject({ rule: 'overseer/pace', input: 3 })
    await kernel.respond(open!.id, { answer: 'approve' })
    expect(await kernel.resume('r')).toMatchObject({ state: 'completed' })
    expect(performed).toEqual([1, 2, 3])
  })

  test('ends a run that has used its tokens, each model call counted once', async () => {
    const ask = (context: RunContext) => context.perform({ kind: 'model', name: 'talker', input: { messages: [] } })
    const { kernel, performed } = bench({ maxTokens: 100 }, async (context) => {
      await ask(context)
      for (const input of [1, 2, 3, 4]) await call(context, 'ping', input)
      await ask(context)
      await call(context, 'ping', 5)
      return 'done'
    })
    expect(await run(kernel)).toMatchObject({
      state: 'failed',
      error: { message: expect.stringContaining('overseer/tokens') },
    })
    expect(performed).toEqual([1, 2, 3, 4])
    expect(await kernel.oversight('r')).toEqual({ toolCalls: 4, tokens: 120, drift: 0 })
  })

  test('knows what happened before the process was replaced', async () => {
    const journal = memoryJournal()
    await run(bench({}, each([1, 1]), { journal }).kernel)
    const cut = await cutAfter(journal, 'r', (await readAll(journal, 'r')).length - 1)
    const later = bench({}, each([1, 1, 1]), { journal: cut })
    expect(await later.kernel.resume('r')).toMatchObject({ state: 'failed', error: { code: 'KILLED' } })
    expect(later.performed).toEqual([])
  })

  test('watches every run for itself', async () => {
    const child = program('child', (_, context) => each([1, 1])(context))
    const { kernel, performed } = bench(
      {},
      async (context) => {
        await call(context, 'ping', 1)
        await context.perform({ kind: 'program', name: 'child', input: null })
        return 'done'
      },
      { minds: [child] },
    )
    expect(await run(kernel)).toMatchObject({ state: 'completed' })
    expect(performed).toEqual([1, 1, 1])
  })

  test('counts from nothing once someone who may approve says so, and for nobody else', async () => {
    const { kernel, journal } = bench({ maxCallsPerMinute: 2 }, each([1, 2, 3, 4]))
    await run(kernel)
    await expect(kernel.resetOversight('r', { id: 'eve', roles: [] })).rejects.toMatchObject({ code: 'DENIED' })
    await expect(kernel.resetOversight('r', { id: 'bot', roles: ['owner'], agent: true })).rejects.toMatchObject({
      code: 'DENIED',
    })
    await kernel.resetOversight('r')
    const [open] = await kernel.approvals('r')
    await kernel.respond(open!.id, { answer: 'approve' })
    expect(await kernel.resume('r')).toMatchObject({ state: 'completed' })
    expect(await kernel.oversight('r')).toMatchObject({ toolCalls: 2 })
    expect(JSON.stringify(await readAll(journal, 'r'))).toContain('overseer-reset')
  })

  test("its key is the kernel's own", async () => {
    const { kernel, performed } = bench({}, async (context) => {
      await call(context, 'ping', 1, 'overseer')
      return null
    })
    expect(await run(kernel)).toMatchObject({
      state: 'failed',
      error: { message: expect.stringContaining("kernel's own") },
    })
    expect(performed).toEqual([])
  })
})

describe('the drift check', () => {
  const policy: OverseerPolicy = { drift: { model: 'judge', every: 2, max: 2 } }
  const no = '{"aligned": false, "reason": "off"}'
  const yes = '{"aligned": true, "reason": "fine"}'

  test('is a model call under the key of the call it is about, and two doubts end the run', async () => {
    const { kernel, journal, performed, judge } = bench(policy, each([1, 2, 3, 4, 5]), { judge: [no, no] })
    expect(await run(kernel)).toMatchObject({
      state: 'failed',
      error: { message: expect.stringContaining('overseer/drift') },
    })
    expect(performed).toEqual([1, 2, 3])
    expect(await linesOf(journal)).toContain('effect-start tool#2/overseer')
    expect(JSON.stringify(judge.requests[1])).toContain('tidy up')
    expect(await kernel.verify('r')).toMatchObject({ ok: true })
  })

  test('that is content changes nothing', async () => {
    const { kernel, performed } = bench(policy, each([1, 2, 3, 4]), { judge: [no, yes] })
    expect(await run(kernel)).toMatchObject({ state: 'completed' })
    expect(performed).toHaveLength(4)
    expect(await kernel.oversight('r')).toMatchObject({ drift: 0 })
    expect(await kernel.replay('r')).toMatchObject({ identical: true })
  })

  test('a warning is recorded', async () => {
    const { kernel, journal } = bench(policy, each([1, 2]), { judge: [no] })
    await run(kernel)
    expect(JSON.stringify(await readAll(journal, 'r'))).toContain('overseer/drift-warning')
  })

  test('of a model that does not exist is refused before the run begins, with what there is', async () => {
    const { kernel, journal, performed } = bench({ drift: { model: 'nobody', every: 2 } }, each([1, 2]))
    await expect(run(kernel)).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringMatching(/"nobody".*judge/u),
    })
    expect([performed, await journal.list()]).toEqual([[], []])
  })

  test.each([
    ['an answer that says nothing', ['Hm.']],
    ['a failure', []],
  ])('that comes to %s lets a person decide about the call, and the next one passes', async (_, judge) => {
    const { kernel, performed } = bench(policy, each([1, 2, 3]), { judge })
    expect(await run(kernel)).toMatchObject({ state: 'suspended', reason: 'approval' })
    expect(performed).toEqual([1])
    const [open] = await kernel.approvals('r')
    expect(open).toMatchObject({ rule: 'overseer/drift-unchecked', input: 2 })
    await kernel.respond(open!.id, { answer: 'approve' })
    expect(await kernel.resume('r')).toMatchObject({ state: 'completed' })
    expect([performed, await kernel.replay('r')]).toMatchObject([[1, 2, 3], { identical: true }])
    expect(await kernel.verify('r')).toMatchObject({ ok: true })
  })

  test('that fails lets the call pass where the mandate says so, with a warning in the record', async () => {
    const { kernel, journal, performed } = bench(
      { drift: { model: 'judge', every: 2, onFailure: 'allow' } },
      each([1, 2]),
    )
    expect(await run(kernel)).toMatchObject({ state: 'completed' })
    expect(performed).toEqual([1, 2])
    expect(JSON.stringify(await readAll(journal, 'r'))).toContain('overseer/drift-unchecked')
  })

  test('is not asked twice when the process ended after it', async () => {
    const journal = memoryJournal()
    const first = bench(policy, each([1, 2, 3]), { journal, judge: [no] })
    await run(first.kernel)
    const entries = await readAll(journal, 'r')
    const answered = entries.findIndex(({ type, key }) => type === 'effect-end' && key === 'tool#2/overseer') + 1
    for (let count = answered - 1; count <= entries.length - 1; count++) {
      const cut = await cutAfter(journal, 'r', count)
      const later = bench(policy, each([1, 2, 3]), { journal: cut, judge: [no] })
      const outcome = await later.kernel.resume('r')
      // The start of a tool that is not idempotent, without its end, is for a human.
      if (outcome.state !== 'suspended') expect(outcome).toMatchObject({ state: 'completed' })
      expect(later.judge.requests).toHaveLength(count < answered ? 1 : 0)
      if (outcome.state !== 'suspended') expect(await later.kernel.replay('r')).toMatchObject({ identical: true })
    }
  })
})
