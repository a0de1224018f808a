import { describe, expect, test } from 'vitest'
import type { Json } from '../../core/index.ts'
import { memoryJournal } from '../../journal/index.ts'
import type { Journal } from '../../journal/index.ts'
import type { Tool, ToolContext } from '../../tool/index.ts'
import type { ApprovalHandler, ApprovalResponse } from '../kernel/host.ts'
import type { Kernel } from '../kernel/kernel.ts'
import {
  call,
  cutAfter,
  entriesOf,
  eventually,
  holdAppends,
  kernelWith,
  linesOf,
  outputOf,
  program,
  rest,
  runMain,
  tool,
} from '../kernel/kernel.fixture.ts'

const once = program('main', async (input, context) => (await call(context, 'act', input)) as unknown as Json)

/** The journal of a process that died while `act` was in flight. */
async function inFlight(facts: Partial<Tool> = {}): Promise<Journal> {
  const whole = memoryJournal()
  await runMain(kernelWith({ journal: whole, minds: [once], tools: [tool('act', () => 'lost', facts)] }), { n: 1 })
  const count = (await linesOf(whole)).indexOf('effect-start tool') + 1
  return cutAfter(whole, 'r', count)
}

interface Resumed {
  readonly kernel: Kernel
  readonly calls: ToolContext[]
}

async function resuming(facts: Partial<Tool>, onApproval?: ApprovalHandler): Promise<Resumed> {
  const calls: ToolContext[] = []
  const act = tool('act', (_, context) => (calls.push(context), `attempt ${context.attempt}`), facts)
  return { kernel: kernelWith({ journal: await inFlight(facts), minds: [once], tools: [act], onApproval }), calls }
}

describe('an effect that was in flight when the process died', () => {
  test('is performed again without asking when it says it is idempotent, with the same idempotency key and the next number', async () => {
    const { kernel, calls } = await resuming({ idempotent: true })
    expect(outputOf(await kernel.resume('r'))).toEqual({ status: 'ok', value: 'attempt 2' })
    expect(calls.map(({ attempt, idempotencyKey }) => [attempt, idempotencyKey])).toEqual([[2, 'r/tool']])
    const [retry] = await entriesOf(kernel.journal, 'effect-retry')
    expect(retry!.data.attempt).toBe(2)
  })

  test('is otherwise never repeated by itself: the run suspends in doubt and a human is asked, with the call before their eyes', async () => {
    const { kernel, calls } = await resuming({})
    expect(await kernel.resume('r')).toMatchObject({ state: 'suspended', reason: 'in-doubt' })
    expect(await kernel.approvals()).toMatchObject([
      { reason: 'in-doubt', name: 'act', input: { n: 1 }, text: expect.stringContaining('Did it happen?') },
    ])
    expect(calls).toEqual([])
  })

  const answers: readonly [ApprovalResponse, Json, number][] = [
    [{ answer: 'happened', value: 'what it gave' }, { status: 'ok', value: 'what it gave' }, 0],
    [{ answer: 'happened' }, { status: 'ok', value: null }, 0],
    [{ answer: 'not-happened' }, { status: 'ok', value: 'attempt 2' }, 1],
    [{ answer: 'unknown' }, { status: 'unknown', reason: expect.any(String) as never }, 0],
    [{ answer: 'reject' }, { status: 'unknown', reason: expect.any(String) as never }, 0],
  ]
  for (const [response, outcome, count] of answers) {
    test(`gives ${JSON.stringify(outcome)} after ${JSON.stringify(response)}`, async () => {
      const { kernel, calls } = await resuming({}, () => response)
      expect(outputOf(await kernel.resume('r'))).toEqual(outcome)
      expect([calls.length, (await kernel.verify('r')).ok, (await kernel.replay('r')).identical]).toEqual([
        count,
        true,
        true,
      ])
    })
  }

  test('is unknown if nobody answers in time', async () => {
    const { kernel } = await resuming({})
    const brief = kernelWith({
      journal: kernel.journal,
      minds: [once],
      tools: [tool('act', () => 1)],
      limits: { approvalTtlMs: 20 },
    })
    expect(await brief.resume('r')).toMatchObject({ state: 'suspended', reason: 'in-doubt' })
    await eventually(
      async () =>
        (await brief.journal.summary('r'))!.state === 'completed' ||
        (await new Promise((done) => setTimeout(done, 5)), false),
    )
    expect(outputOf(await brief.resume('r'))).toMatchObject({ status: 'unknown' })
  })

  test('can be looked up by its tool, which knows the call by its idempotency key', async () => {
    const seen: [Json, string][] = []
    const reconcile: NonNullable<Tool['reconcile']> = async (input, { idempotencyKey }) => (
      seen.push([input, idempotencyKey]),
      { status: 'done', value: 'found' }
    )
    const { kernel, calls } = await resuming({ reconcile })
    expect(outputOf(await kernel.resume('r'))).toEqual({ status: 'ok', value: 'found' })
    expect([calls, seen]).toEqual([[], [[{ n: 1 }, 'r/tool']]])
  })

  test('is performed when its tool says that it had not happened', async () => {
    const { kernel, calls } = await resuming({ reconcile: async () => ({ status: 'not-done' }) })
    expect(outputOf(await kernel.resume('r'))).toEqual({ status: 'ok', value: 'attempt 2' })
    expect(calls).toHaveLength(1)
  })

  for (const [how, reconcile] of [
    ['does not know', async () => ({ status: 'unknown' })],
    [
      'throws',
      async () => {
        throw new Error('offline')
      },
    ],
  ] as const) {
    test(`is put to a human when its tool ${how}`, async () => {
      const { kernel, calls } = await resuming({ reconcile: reconcile as NonNullable<Tool['reconcile']> })
      expect(await kernel.resume('r')).toMatchObject({ state: 'suspended', reason: 'in-doubt' })
      expect(calls).toEqual([])
    })
  }
})

test('a second crash after "not happened" asks again, and does not act on the old answer', async () => {
  const { kernel, calls } = await resuming({}, () => ({ answer: 'not-happened' }))
  await kernel.resume('r')
  expect(calls).toHaveLength(1)
  const lines = await linesOf(kernel.journal)
  // Behind the retry the second attempt may have been made: it is in doubt once more.
  const again = kernelWith({
    journal: await cutAfter(kernel.journal, 'r', lines.indexOf('effect-retry tool') + 1),
    minds: [once],
    tools: [tool('act', () => calls.push({} as never))],
  })
  expect(await again.resume('r')).toMatchObject({ state: 'suspended', reason: 'in-doubt' })
  expect(await again.approvals()).toMatchObject([{ id: expect.not.stringMatching(/-ap4$/) }])
  expect(calls).toHaveLength(1)
  // Before it, the answer was given and nothing done yet: it still counts.
  const before = kernelWith({
    journal: await cutAfter(kernel.journal, 'r', lines.indexOf('approval-response tool') + 1),
    minds: [once],
    tools: [tool('act', () => 'late')],
  })
  expect(outputOf(await before.resume('r'))).toEqual({ status: 'ok', value: 'late' })
})

test('the answer "not happened" is acted on only when the next attempt is on disk', async () => {
  const { journal, open } = holdAppends(await inFlight(), (types) => types.includes('effect-retry'))
  const calls: string[] = []
  const act = tool('act', () => calls.push('again'))
  const outcome = kernelWith({
    journal,
    minds: [once],
    tools: [act],
    onApproval: () => ({ answer: 'not-happened' }),
  }).resume('r')
  await rest()
  expect(calls).toEqual([])
  open()
  await outcome
  expect(calls).toEqual(['again'])
})

test('in-doubt effects stay counted in the budget until it is known how they ended', async () => {
  const main = program('main', async (_, context) => {
    const doubtful = call(context, 'act', 1)
    return [(await call(context, 'other', 2)).status, (await doubtful).status]
  })
  const whole = memoryJournal()
  const tools = (hang: boolean): Tool[] => [
    tool('act', () => (hang ? new Promise(() => {}) : 1)),
    tool('other', () => 2),
  ]
  const stuck = kernelWith({ journal: whole, minds: [main], tools: tools(true) })
  void stuck.run({ kind: 'program', name: 'main', input: null, runId: 'r', budget: { toolCalls: 1 } })
  await eventually(async () => (await linesOf(whole)).includes('effect-start tool'))
  const kernel = kernelWith({
    journal: await cutAfter(whole, 'r', 2),
    minds: [main],
    tools: tools(false),
    onApproval: () => ({ answer: 'unknown' }),
  })
  expect(outputOf(await kernel.resume('r'))).toEqual(['denied', 'unknown'])
})

test('what is sent again is what was sent, not what the journal shows of it', async () => {
  const main = program(
    'main',
    async (_, context) => (await call(context, 'act', { token: 'hunter2-and-more' })) as unknown as Json,
  )
  const redactor = { text: (text: string) => text.replaceAll('hunter2-and-more', '[token]') }
  const sent: Json[] = []
  const act = tool('act', (input) => (sent.push(input), 'sent'), { idempotent: true })
  const whole = kernelWith({ minds: [main], tools: [act], redactor })
  await runMain(whole)
  const journal = await cutAfter(whole.journal, 'r', 2)
  expect(JSON.stringify(await entriesOf(journal, 'effect-start'))).not.toContain('hunter2')
  await kernelWith({ journal, minds: [main], tools: [act], redactor }).resume('r')
  expect(sent).toEqual([{ token: 'hunter2-and-more' }, { token: 'hunter2-and-more' }])
})

test('a mind that asks something else under the key of an effect in flight has diverged', async () => {
  const journal = await inFlight()
  const before = JSON.stringify(await linesOf(journal))
  const other = program('main', async (_, context) => (await call(context, 'act', { n: 2 })) as unknown as Json)
  const kernel = kernelWith({ journal, minds: [other], tools: [tool('act', () => 1)] })
  await expect(kernel.resume('r')).rejects.toMatchObject({
    code: 'REPLAY_DIVERGED',
    info: { key: 'tool', recorded: expect.stringContaining('"n":1'), replayed: expect.stringContaining('"n":2') },
  })
  expect(JSON.stringify(await linesOf(journal))).toBe(before)
})

test('a mind that ends without awaiting an effect in flight also ends after a crash', async () => {
  const main = program('main', async (_, context) => {
    void call(context, 'slow', null, 'slow')
    await call(context, 'fast', null, 'fast')
    return 'done'
  })
  const tools = [
    tool('slow', () => new Promise((resolve) => setTimeout(resolve, 30, 1)), { idempotent: true }),
    tool('fast', () => 2),
  ]
  const whole = kernelWith({ minds: [main], tools })
  await runMain(whole)
  const lines = await linesOf(whole.journal)
  const journal = await cutAfter(whole.journal, 'r', lines.indexOf('effect-end fast') + 1)
  expect(outputOf(await kernelWith({ journal, minds: [main], tools }).resume('r'))).toBe('done')
  expect((await linesOf(journal)).slice(-2)).toEqual(['effect-end slow', 'run-end'])
})
