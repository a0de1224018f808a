import { describe, expect, test } from 'vitest'
import { manualClock } from '../core/index.ts'
import type { Json } from '../core/index.ts'
import { memoryJournal } from '../journal/index.ts'
import {
  call,
  cutAfter,
  entriesOf,
  eventually,
  gate,
  holdAppends,
  kernelWith,
  linesOf,
  outputOf,
  program,
  rest,
  runMain,
  tool,
  value,
} from './kernel/kernel.fixture.ts'

const two = program('main', async (_, context) => [await value(context, 'first'), await value(context, 'second')])

describe('interrupt and stop', () => {
  test('what is in flight ends and is recorded, nothing new begins, and the run goes on later', async () => {
    const hold = gate()
    const calls: string[] = []
    const tools = [
      tool('first', async () => (calls.push('first'), await hold.promise, 1)),
      tool('second', () => (calls.push('second'), 2)),
    ]
    const kernel = kernelWith({ minds: [two], tools })
    const outcome = runMain(kernel)
    await eventually(() => calls.length === 1)
    const stopped = kernel.stop()
    await rest()
    hold.resolve()
    expect(await outcome).toMatchObject({ state: 'suspended', reason: 'interrupt' })
    expect(await stopped).toEqual({ suspended: [{ run: 'r', reason: 'interrupt' }], left: [], unfinished: [] })
    expect([calls, (await linesOf(kernel.journal)).at(-1)]).toEqual([['first'], 'run-suspend'])
    const second = kernelWith({ journal: kernel.journal, minds: [two], tools })
    expect(outputOf(await second.resume('r'))).toEqual([1, 2])
    expect(calls).toEqual(['first', 'second'])
  })

  test('a stopped kernel refuses to run anything; stopping twice has no further effect', async () => {
    const kernel = kernelWith({ minds: [two] })
    await Promise.all([kernel.stop(), kernel.stop()])
    await expect(runMain(kernel)).rejects.toMatchObject({ code: 'CLOSED' })
    await expect(kernel.resume('r')).rejects.toMatchObject({ code: 'CLOSED' })
  })

  test('a mind that waits for nothing of ours does not keep the kernel from stopping', async () => {
    const kernel = kernelWith({ minds: [program('main', () => new Promise(() => {}))] })
    const outcome = runMain(kernel)
    await eventually(async () => kernel.journal.summary('r'))
    await kernel.stop()
    expect(await outcome).toMatchObject({ state: 'suspended', reason: 'interrupt', pending: [] })
  })

  test('a handler that a human has not answered does not keep the kernel from stopping', async () => {
    const kernel = kernelWith({
      minds: [two],
      tools: [tool('first', () => 1, { needsApproval: true })],
      onApproval: () => new Promise(() => {}),
    })
    const outcome = runMain(kernel)
    await eventually(async () => (await kernel.approvals()).length === 1)
    await kernel.stop()
    expect(await outcome).toMatchObject({ state: 'suspended', reason: 'approval' })
  })

  test('one run is interrupted with its children, and the others go on', async () => {
    const hold = gate()
    const parent = program(
      'main',
      async (_, context) => (await context.perform({ kind: 'program', name: 'inner', input: null })) as unknown as Json,
    )
    const inner = program('inner', two.start)
    const tools = [tool('first', async () => (await hold.promise, 1)), tool('second', () => 2)]
    const kernel = kernelWith({ minds: [parent, inner], tools })
    const outcome = runMain(kernel)
    const other = kernel.run({ kind: 'program', name: 'inner', input: null })
    await eventually(async () => (await kernel.list()).length === 3)
    await rest()
    const interrupted = kernel.interrupt('r')
    hold.resolve()
    expect([(await interrupted)?.state, (await outcome).state, outputOf(await other)]).toEqual([
      'suspended',
      'suspended',
      [1, 2],
    ])
    expect(outputOf(await kernel.resume('r'))).toEqual({ status: 'ok', value: [1, 2] })
    expect(await kernel.interrupt('nobody')).toBeUndefined()
  })

  test('a mind that was put away and does not know it can do nothing more', async () => {
    const calls: string[] = []
    const wake = gate()
    const main = program('main', async (_, context) => {
      const strayed = wake.promise.then(() => {
        context.append('from the grave')
        context.step()
        void context.record('stray', () => calls.push('strategy'))
        return call(context, 'second')
      })
      await Promise.all([call(context, 'first'), strayed])
      return null
    })
    const kernel = kernelWith({
      minds: [main],
      tools: [tool('first', () => 1, { needsApproval: true }), tool('second', () => calls.push('tool'))],
    })
    expect((await runMain(kernel)).state).toBe('suspended')
    const before = await linesOf(kernel.journal)
    wake.resolve()
    await rest()
    expect([calls, await linesOf(kernel.journal)]).toEqual([[], before])
  })
})

describe('the end of a mind', () => {
  test('what it started and did not wait for is cut, and its ends are written before the run ends', async () => {
    const main = program('main', async (_, context) => {
      void call(context, 'hang')
      void context.record('late', () => new Promise<never>(() => {}))
      void context.record('quick', () => 1)
      await call(context, 'tick')
      return 'done'
    })
    const hang = tool(
      'hang',
      (_, { signal }) =>
        new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('cut')))),
    )
    const kernel = kernelWith({ minds: [main], tools: [hang, tool('tick', rest)] })
    expect(outputOf(await runMain(kernel))).toBe('done')
    const lines = await linesOf(kernel.journal)
    expect([lines.at(-1), lines.includes('effect-end tool')]).toEqual(['run-end', true])
    expect((await kernel.replay('r')).identical).toBe(true)
  })

  test('a strategy whose decision is not awaited does not keep the run from ending', async () => {
    const main = program('main', async (_, context) => {
      void context.record('unheard', () => 1)
      return 'done'
    })
    const kernel = kernelWith({ minds: [main] })
    expect(outputOf(await runMain(kernel))).toBe('done')
  })

  test('nothing follows the last entry, even if signals arrive while it waits to be written', async () => {
    const late = gate()
    const main = program('main', async (_, context) => {
      void context.record('late', () => late.promise as Promise<never>)
      await call(context, 'act')
      void late.promise.then(() => (context.append('too late'), call(context, 'act')))
      return 'done'
    })
    // The disk is busy with what came before, so that the last entry has to wait for it.
    const { journal, open } = holdAppends(memoryJournal(), (types) => types.includes('effect-end'))
    const kernel = kernelWith({ journal, minds: [main], tools: [tool('act', () => 1, { idempotent: true })] })
    const outcome = runMain(kernel)
    await rest()
    late.resolve()
    await kernel.steer('r', 'too late as well')
    await journal.signal('r', { id: 's', type: 'wake', at: 0, by: { id: 'x', roles: [] }, data: null })
    await rest()
    open()
    expect(outputOf(await outcome)).toBe('done')
    expect((await linesOf(journal)).at(-1)).toBe('run-end')
  })
})

describe('time', () => {
  const slow = program('main', async (_, context) => (await call(context, 'hang')) as unknown as Json)
  const hang = tool(
    'hang',
    (_, { signal }) =>
      new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('cut')))),
  )

  test('a run that passes its time limit fails with the limit, and what is in flight is cut', async () => {
    const clock = manualClock(0)
    const kernel = kernelWith({ clock, minds: [slow], tools: [hang], limits: { toolTimeoutMs: 1e9 } })
    const outcome = kernel.run({ kind: 'program', name: 'main', input: null, runId: 'r', budget: { timeMs: 5_000 } })
    await eventually(async () => (await linesOf(kernel.journal)).includes('effect-start tool'))
    clock.advance(4_999)
    await rest()
    expect((await kernel.journal.summary('r'))!.state).toBe('running')
    clock.advance(1)
    expect(await outcome).toMatchObject({
      state: 'failed',
      error: { code: 'LIMIT_EXCEEDED', message: expect.stringContaining('budget.timeMs') },
    })
    expect((await kernel.replay('r')).identical).toBe(true)
  })

  test('a timer that fires early, or a clock that is put back, does not lift the limit', async () => {
    const inner = manualClock(10_000)
    const early: typeof inner.timer = (ms, fire) => inner.timer(ms > 100 ? ms - 100 : ms, fire)
    const clock = Object.assign(Object.create(inner) as typeof inner, { timer: early })
    const kernel = kernelWith({ clock, minds: [slow], tools: [hang], limits: { toolTimeoutMs: 1e9 } })
    const outcome = kernel.run({ kind: 'program', name: 'main', input: null, runId: 'r', budget: { timeMs: 5_000 } })
    await eventually(async () => (await linesOf(kernel.journal)).includes('effect-start tool'))
    clock.advance(4_999)
    await rest()
    expect((await kernel.journal.summary('r'))!.state).toBe('running')
    clock.set(12_000)
    clock.advance(2_999)
    await rest()
    expect((await kernel.journal.summary('r'))!.state).toBe('running')
    clock.advance(1)
    expect(await outcome).toMatchObject({ state: 'failed', error: { code: 'LIMIT_EXCEEDED' } })
  })

  test('holds on the real clock', async () => {
    const kernel = kernelWith({ minds: [program('main', () => new Promise(() => {}))], limits: { cancelGraceMs: 5 } })
    const outcome = await kernel.run({ kind: 'program', name: 'main', input: null, budget: { timeMs: 20 } })
    expect(outcome).toMatchObject({ state: 'failed', error: { code: 'LIMIT_EXCEEDED' } })
  })

  test('a run that passed it stays taken down when the process ends before the run could', async () => {
    const clock = manualClock(0)
    const main = program('main', async (_, context) => [
      (await call(context, 'hang')).status,
      await value(context, 'after'),
    ])
    const calls: string[] = []
    const tools = [hang, tool('after', () => calls.push('after'))]
    const kernel = kernelWith({ clock, minds: [main], tools, limits: { toolTimeoutMs: 1e9 } })
    const outcome = kernel.run({ kind: 'program', name: 'main', input: null, runId: 'r', budget: { timeMs: 5_000 } })
    await eventually(async () => (await linesOf(kernel.journal)).includes('effect-start tool'))
    clock.advance(5_000)
    await outcome
    const lines = await linesOf(kernel.journal)
    for (let count = lines.indexOf('note') + 1; count < lines.length; count++) {
      const second = kernelWith({ clock, journal: await cutAfter(kernel.journal, 'r', count), minds: [main], tools })
      expect(await second.resume('r'), `cut after ${lines[count - 1]}`).toMatchObject({
        state: 'failed',
        error: { code: 'LIMIT_EXCEEDED' },
      })
    }
    expect(calls).toEqual([])
  })

  test('waiting for a human does not count, and the time of earlier stretches does', async () => {
    const clock = manualClock(0)
    const main = program('main', async (_, context) => [
      await value(context, 'slow'),
      await value(context, 'ask'),
      await value(context, 'slow'),
    ])
    const tools = [tool('slow', () => clock.advance(3_000)), tool('ask', () => 1, { needsApproval: true })]
    const kernel = kernelWith({ clock, minds: [main], tools })
    expect(
      (await kernel.run({ kind: 'program', name: 'main', input: null, runId: 'r', budget: { timeMs: 5_000 } })).state,
    ).toBe('suspended')
    clock.advance(1_000_000)
    const [request] = await kernel.approvals()
    await kernel.respond(request!.id, { answer: 'approve' })
    await eventually(async () => (await kernel.journal.summary('r'))!.state === 'failed')
    const [end] = await entriesOf(kernel.journal, 'run-end')
    expect(end!.data).toMatchObject({ error: { code: 'LIMIT_EXCEEDED' }, activeMs: 6_000 })
  })
})
