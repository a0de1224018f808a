import { describe, expect, test } from 'vitest'
import { manualClock } from '../core/index.ts'
import type { Json } from '../core/index.ts'
import { memoryJournal, readAll } from '../journal/index.ts'
import type { Tool } from '../tool/index.ts'
import {
  call,
  cutAfter,
  entriesOf,
  eventually,
  gate,
  journalWith,
  kernelWith,
  linesOf,
  outputOf,
  program,
  rest,
  runMain,
  tool,
  value,
} from './kernel/kernel.fixture.ts'

const listening = (cut: { count: number }): Tool =>
  tool(
    'hang',
    (_, { signal }) =>
      new Promise((_resolve, reject) =>
        signal.addEventListener('abort', () => (cut.count++, reject(new Error('stopped')))),
      ),
  )
const hanging = tool('hang', () => new Promise(() => {}))
const waiting = program('main', async (_, context) => (await call(context, 'hang')) as unknown as Json)

async function started(kernel: ReturnType<typeof kernelWith>, run = 'r'): Promise<void> {
  await eventually(async () => (await linesOf(kernel.journal, run)).some((line) => line.startsWith('effect-start')))
}

describe('cancel', () => {
  test('a tool that listens is cut; its call has a cancelled end, so the transcript stays whole', async () => {
    const cut = { count: 0 }
    const kernel = kernelWith({ minds: [waiting], tools: [listening(cut)] })
    const outcome = runMain(kernel)
    await started(kernel)
    await kernel.cancel('r', 'changed my mind')
    expect(await outcome).toEqual({
      state: 'cancelled',
      run: 'r',
      reason: 'changed my mind',
      output: { status: 'cancelled', reason: 'changed my mind' },
    })
    const [end] = await entriesOf(kernel.journal, 'effect-end')
    expect([cut.count, end!.data.outcome.status]).toEqual([1, 'cancelled'])
    expect([(await kernel.verify('r')).ok, (await kernel.replay('r')).identical]).toEqual([true, true])
  })

  test.each(['cancelled', 'timed out'])('a call that is %s while its secret is looked up is not made', async (how) => {
    const clock = manualClock(0)
    let give: (value: string) => void = () => {}
    const secrets = (): Promise<string> => new Promise((resolve) => (give = resolve))
    let calls = 0
    const act = tool('act', () => (calls += 1), { idempotent: true, timeoutMs: 1_000 })
    const held = gate()
    const wait = tool('wait', () => held.promise)
    const main = program('main', async (_, context) => {
      const { status } = await call(context, 'act', { key: { $secret: 'KEY' } })
      await call(context, 'wait')
      return status
    })
    const kernel = kernelWith({ clock, minds: [main], tools: [act, wait], secrets })
    const outcome = runMain(kernel)
    await started(kernel)
    await rest()
    if (how === 'cancelled') await kernel.cancel('r', 'changed my mind')
    clock.advance(10_000)
    await rest()
    give('a-secret-value')
    await rest()
    expect(calls).toBe(0)
    held.resolve()
    expect((await outcome).state).toBe(how === 'cancelled' ? 'cancelled' : 'completed')
  })

  test('a tool that ignores its signal is left behind after a grace, and what it gives later is dropped', async () => {
    const clock = manualClock(0)
    let finish: (value: unknown) => void = () => {}
    const kernel = kernelWith({
      clock,
      minds: [waiting],
      tools: [tool('hang', () => new Promise((resolve) => (finish = resolve)))],
      limits: { cancelGraceMs: 500 },
    })
    const outcome = runMain(kernel)
    await started(kernel)
    await kernel.cancel('r')
    await rest()
    clock.advance(500)
    expect((await outcome).state).toBe('cancelled')
    finish('too late')
    await rest()
    expect((await linesOf(kernel.journal)).at(-1)).toBe('run-end')
  })

  test('what a tool gives within the grace is the truth, and is recorded', async () => {
    const act = tool(
      'hang',
      (_, { signal }) =>
        new Promise((resolve) => signal.addEventListener('abort', () => setTimeout(() => resolve('it happened'), 5))),
    )
    const kernel = kernelWith({ minds: [waiting], tools: [act] })
    const outcome = runMain(kernel)
    await started(kernel)
    await kernel.cancel('r')
    await outcome
    const [end] = await entriesOf(kernel.journal, 'effect-end')
    expect(end!.data.outcome).toEqual({ status: 'ok', value: 'it happened' })
  })

  test('a mind that does not stop is stopped', async () => {
    const clock = manualClock(0)
    const main = program('main', () => new Promise(() => {}))
    const kernel = kernelWith({ clock, minds: [main], limits: { cancelGraceMs: 100 } })
    const outcome = runMain(kernel)
    await eventually(async () => kernel.journal.summary('r'))
    await kernel.cancel('r')
    await rest()
    clock.advance(300)
    expect((await outcome).state).toBe('cancelled')
  })

  test('a run that waits for an approval or a timer is cancelled without waking anybody', async () => {
    const main = program('main', async (_, context) => {
      await Promise.all([
        call(context, 'ask'),
        context.perform({ kind: 'sleep', name: 'sleep', input: { until: context.now() + 1e9 } }),
      ])
      return null
    })
    const calls: Json[] = []
    const kernel = kernelWith({ minds: [main], tools: [tool('ask', () => calls.push(1), { needsApproval: true })] })
    expect((await runMain(kernel)).state).toBe('suspended')
    await kernel.cancel('r', 'enough')
    await eventually(async () => (await kernel.journal.summary('r'))!.state === 'cancelled')
    expect([calls, await kernel.approvals()]).toEqual([[], []])
    const ends = await entriesOf(kernel.journal, 'effect-end')
    expect(ends.map(({ data }) => data.outcome.status)).toEqual(['cancelled', 'cancelled'])
  })

  test('a run that a handler is about to answer is cancelled too', async () => {
    const main = program('main', async (_, context) => (await call(context, 'ask')) as unknown as Json)
    const kernel = kernelWith({
      minds: [main],
      tools: [tool('ask', () => 1, { needsApproval: true })],
      onApproval: () => new Promise(() => {}),
    })
    const outcome = runMain(kernel)
    await eventually(async () => (await kernel.approvals()).length === 1)
    await kernel.cancel('r')
    expect((await outcome).state).toBe('cancelled')
  })

  test('after the end it changes nothing, and a terminal state is never overwritten', async () => {
    const kernel = kernelWith({ minds: [program('main', async () => 'done')] })
    await runMain(kernel)
    const before = JSON.stringify(await readAll(kernel.journal, 'r'))
    await kernel.cancel('r')
    await rest()
    expect(JSON.stringify(await readAll(kernel.journal, 'r'))).toBe(before)
    expect(outputOf(await kernel.resume('r'))).toBe('done')
    await expect(kernel.cancel('nobody')).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })

  test('of a run that was started a moment ago, or that writes nothing before its end, is heard', async () => {
    for (const durability of ['sync', 'exit'] as const) {
      const kernel = kernelWith({
        minds: [waiting],
        tools: [listening({ count: 0 })].map((each) => ({ ...each, idempotent: true })),
      })
      const { runId, outcome } = kernel.begin({ kind: 'program', name: 'main', input: null, durability })
      await kernel.cancel(runId, 'at once')
      expect(await outcome, durability).toMatchObject({ state: 'cancelled', reason: 'at once' })
    }
  })

  test('through the handle of a run, or of one that is not stored yet, is in the journal before what was cut', async () => {
    const handle = kernelWith({ minds: [waiting], tools: [listening({ count: 0 })] })
    const begun = handle.begin({ kind: 'program', name: 'main', input: null, runId: 'r' })
    await started(handle)
    begun.abort('by hand')
    await begun.outcome
    const early = kernelWith({ minds: [waiting], tools: [listening({ count: 0 })] })
    const { outcome } = early.begin({ kind: 'program', name: 'main', input: null, runId: 'r' })
    await early.cancel('r', 'at once')
    await outcome
    for (const kernel of [handle, early]) {
      const lines = await linesOf(kernel.journal)
      expect(lines.indexOf('note')).toBeGreaterThan(0)
      expect(lines.indexOf('note')).toBeLessThan(lines.indexOf('effect-end tool'))
    }
  })

  test('that a crash cut short is carried out by the next process', async () => {
    const kernel = kernelWith({ minds: [waiting], tools: [listening({ count: 0 })] })
    const outcome = runMain(kernel)
    await started(kernel)
    await kernel.cancel('r', 'stop it')
    await outcome
    const lines = await linesOf(kernel.journal)
    const asked = lines.indexOf('note') + 1
    expect(asked).toBeGreaterThan(0)
    for (let count = asked; count < lines.length; count++) {
      const second = kernelWith({
        journal: await cutAfter(kernel.journal, 'r', count),
        minds: [waiting],
        tools: [tool('hang', () => 'went on')],
      })
      expect(await second.resume('r'), `cut after ${lines[count - 1]}`).toMatchObject({
        state: 'cancelled',
        reason: 'stop it',
      })
    }
  })

  test('needs the right to', async () => {
    const kernel = kernelWith({ minds: [waiting], tools: [listening({ count: 0 })] })
    const outcome = runMain(kernel)
    await started(kernel)
    await expect(kernel.cancel('r', 'no', { id: 'eve', roles: ['guest'] })).rejects.toMatchObject({ code: 'DENIED' })
    await kernel.cancel('r')
    await outcome
  })
})

describe('cancel and children', () => {
  const parent = program(
    'main',
    async (_, context) => (await context.perform({ kind: 'program', name: 'inner', input: null })) as unknown as Json,
  )

  test('is one tree: children and their tools are cut with their parent, and every run says so', async () => {
    const cut = { count: 0 }
    const inner = program(
      'inner',
      async (_, context) =>
        (await context.perform({ kind: 'program', name: 'innermost', input: null })) as unknown as Json,
    )
    const innermost = program('innermost', waiting.start)
    const kernel = kernelWith({ minds: [parent, inner, innermost], tools: [listening(cut)] })
    const outcome = runMain(kernel)
    await eventually(
      async () =>
        (await kernel.list()).length === 3 &&
        (await Promise.all((await kernel.list()).map(({ run }) => linesOf(kernel.journal, run))))
          .flat()
          .includes('effect-start tool'),
    )
    await kernel.cancel('r', 'all of it')
    expect((await outcome).state).toBe('cancelled')
    expect([cut.count, (await kernel.list()).map(({ state }) => state)]).toEqual([
      1,
      ['cancelled', 'cancelled', 'cancelled'],
    ])
  })

  test('waits for a child that takes its time to stop: no parent is over before its children', async () => {
    const inner = program('inner', async (_, context) => {
      await call(context, 'hang')
      await new Promise((done) => setTimeout(done, 60))
      return 'stopped in its own time'
    })
    const kernel = kernelWith({ minds: [parent, inner], tools: [hanging], limits: { cancelGraceMs: 30 } })
    const outcome = runMain(kernel)
    const child = await eventually(async () => (await kernel.list()).find(({ parent: above }) => above === 'r')?.run)
    await started(kernel, child)
    await kernel.cancel('r')
    expect((await outcome).state).toBe('cancelled')
    expect((await kernel.journal.summary(child))!.state).toBe('cancelled')
  })

  test('of one child leaves its parent going', async () => {
    const kernel = kernelWith({ minds: [parent, program('inner', waiting.start)], tools: [listening({ count: 0 })] })
    const outcome = runMain(kernel)
    const child = await eventually(async () => (await kernel.list()).find(({ parent: above }) => above === 'r')?.run)
    await started(kernel, child)
    await kernel.cancel(child, 'only this')
    expect(outputOf(await outcome)).toEqual({ status: 'cancelled', reason: 'only this' })
  })

  test('of a parent takes down a child that was suspended, in this process or another', async () => {
    for (const isOther of [false, true]) {
      const inner = program('inner', async (_, context) => (await call(context, 'ask')) as unknown as Json)
      const parts = {
        journal: memoryJournal(),
        minds: [parent, inner],
        tools: [tool('ask', () => 1, { needsApproval: true })],
      }
      const first = kernelWith(parts)
      expect((await runMain(first)).state).toBe('suspended')
      const kernel = isOther ? kernelWith(parts) : first
      await kernel.cancel('r', 'enough')
      await eventually(async () => (await kernel.journal.summary('r'))!.state === 'cancelled')
      expect((await kernel.list()).map(({ state }) => state)).toEqual(['cancelled', 'cancelled'])
      expect(await kernel.approvals()).toEqual([])
    }
  })

  test('a child that a mind did not wait for is cut when the mind ends', async () => {
    const main = program('main', async (_, context) => {
      void context.perform({ kind: 'program', name: 'inner', input: null })
      await value(context, 'tick')
      return 'done'
    })
    const kernel = kernelWith({
      minds: [main, program('inner', waiting.start)],
      tools: [listening({ count: 0 }), tool('tick', rest)],
    })
    expect(outputOf(await runMain(kernel))).toBe('done')
    expect(
      (await kernel.list()).map(({ run, state }) => `${run === 'r' ? 'parent' : 'child'} ${state}`).sort(),
    ).toEqual(['child cancelled', 'parent completed'])
  })
})

describe('cancel from elsewhere', () => {
  test('reaches a run in another kernel on the same journal', async () => {
    const journal = memoryJournal()
    const kernel = kernelWith({ journal, minds: [waiting], tools: [listening({ count: 0 })] })
    const outcome = runMain(kernel)
    await started(kernel)
    await kernelWith({ journal, minds: [waiting], tools: [hanging] }).cancel('r', 'from over there')
    expect(await outcome).toMatchObject({ state: 'cancelled', reason: 'from over there' })
  })

  test('takes a run over whose owner died, when the lease has expired; until then nothing is reported', async () => {
    const journal = memoryJournal()
    const first = kernelWith({ journal, minds: [waiting], tools: [hanging] })
    void runMain(first).catch(() => {})
    await started(first)
    const cut = await cutAfter(journal, 'r', (await linesOf(journal)).length)
    const clock = manualClock(1_000)
    await cut.acquire({ run: 'r', owner: 'dead', ttlMs: 3_000, now: clock.now() })
    const second = kernelWith({ journal: cut, clock, minds: [waiting], tools: [hanging] })
    const faults: unknown[] = []
    second.events.on('engine-fault', (event) => faults.push(event))
    await second.cancel('r', 'its owner is gone')
    for (let seconds = 0; seconds < 2; seconds++) {
      await rest()
      clock.advance(1_000)
      expect((await cut.summary('r'))!.state).toBe('running')
    }
    await eventually(async () => {
      clock.advance(1_000)
      return (await cut.summary('r'))!.state === 'cancelled'
    })
    expect(faults).toEqual([])
  })

  test('asks no more for a run whose owner has taken the signal', async () => {
    const journal = memoryJournal()
    const clock = manualClock(1_000)
    const kernel = kernelWith({ journal, minds: [waiting], tools: [listening({ count: 0 })] })
    const outcome = runMain(kernel)
    await started(kernel)
    const asked: string[] = []
    const watched = journalWith(journal, {
      acquire: (options) => (asked.push(options.run), journal.acquire(options)),
    })
    const second = kernelWith({ journal: watched, clock, minds: [waiting] })
    await second.cancel('r', 'from over there')
    await outcome
    await rest()
    const before = asked.length
    clock.advance(60_000)
    await rest()
    expect(asked.length).toBeLessThanOrEqual(before + 1)
    clock.advance(60_000)
    await rest()
    expect(asked.length).toBeLessThanOrEqual(before + 1)
  })
})
