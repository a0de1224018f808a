import { describe, expect, test } from 'vitest'
import { manualClock } from '../../core/index.ts'
import type { ManualClock } from '../../core/index.ts'
import {
  entriesOf,
  eventually,
  kernelWith,
  linesOf,
  outputOf,
  program,
  rest,
  runMain,
  tool,
  value,
} from '../kernel/kernel.fixture.ts'

const sleeper = program('main', async (input, context) => {
  const until = context.now() + (input as number)
  const { status } = await context.perform({ kind: 'sleep', name: 'sleep', input: { until } })
  return [status, context.now() >= until]
})

function at(clock: ManualClock, more = {}): ReturnType<typeof kernelWith> {
  return kernelWith({ clock, minds: [sleeper], ...more })
}

describe('sleep', () => {
  test('a short one is waited for in memory', async () => {
    const clock = manualClock(1_000)
    const kernel = at(clock)
    const outcome = runMain(kernel, 20_000)
    await rest()
    clock.advance(20_000)
    expect(outputOf(await outcome)).toEqual(['ok', true])
    expect(await linesOf(kernel.journal)).not.toContain('run-suspend')
  })

  test('a long one suspends the run, and the local engine wakes it when it is time', async () => {
    const clock = manualClock(1_000)
    const kernel = at(clock)
    expect(await runMain(kernel, 3_600_000)).toMatchObject({ state: 'suspended', reason: 'timer', wakeAt: 3_601_000 })
    clock.advance(3_599_999)
    await rest()
    expect((await kernel.journal.summary('r'))!.state).toBe('suspended')
    clock.advance(1)
    await eventually(async () => (await kernel.journal.summary('r'))!.state === 'completed')
    expect(outputOf(await kernel.resume('r'))).toEqual(['ok', true])
    expect((await kernel.replay('r')).identical).toBe(true)
  })

  test('a new process wakes what an earlier one put to sleep, at once when the time has passed', async () => {
    for (const late of [false, true]) {
      const clock = manualClock(1_000)
      const first = at(clock)
      await runMain(first, 3_600_000)
      await first.stop()
      if (late) clock.advance(7_200_000)
      const second = at(clock, { journal: first.journal, minds: [sleeper, program('other', async () => 1)] })
      // Anything that is run here starts the engine.
      await second.run({ kind: 'program', name: 'other', input: null })
      clock.advance(late ? 0 : 3_600_000)
      await eventually(async () => (await second.journal.summary('r'))!.state === 'completed')
      expect(outputOf(await second.resume('r'))).toEqual(['ok', true])
    }
  })

  test('works on the real clock', async () => {
    const kernel = kernelWith({ minds: [sleeper], limits: { liveSleepMs: 0 } })
    // Longer than it takes to suspend, also on a busy machine.
    expect(await runMain(kernel, 500)).toMatchObject({ state: 'suspended', reason: 'timer' })
    await eventually(
      async () =>
        (await kernel.journal.summary('r'))!.state === 'completed' ||
        (await new Promise((done) => setTimeout(done, 5)), false),
    )
    await kernel.stop()
  })

  test('many sleep at once, each until its own time, and wake in that order', async () => {
    const clock = manualClock(0)
    const main = program('main', async (_, context) => {
      const order: number[] = []
      await Promise.all(
        [300_000, 100_000, 200_000].map((until) =>
          context.perform({ kind: 'sleep', name: 'sleep', input: { until } }).then(() => order.push(until)),
        ),
      )
      return order
    })
    const kernel = kernelWith({ clock, minds: [main] })
    expect(await runMain(kernel)).toMatchObject({ state: 'suspended', wakeAt: 100_000 })
    for (let step = 0; step < 3; step++) {
      clock.advance(100_000)
      await rest()
    }
    await eventually(async () => (await kernel.journal.summary('r'))!.state === 'completed')
    expect(outputOf(await kernel.resume('r'))).toEqual([100_000, 200_000, 300_000])
  })

  test('a clock that is put back only makes it wait longer', async () => {
    const clock = manualClock(1_000_000)
    const kernel = at(clock)
    await runMain(kernel, 60_000)
    clock.set(0)
    const outcome = await kernel.resume('r')
    expect(outcome).toMatchObject({ state: 'suspended', reason: 'timer', wakeAt: 1_060_000 })
    clock.advance(1_060_000)
    await eventually(async () => (await kernel.journal.summary('r'))!.state === 'completed')
    const times = (await entriesOf(kernel.journal, 'run-end')).map(({ at: time }) => time)
    expect(times[0]).toBeGreaterThanOrEqual(1_060_000)
  })

  test('a sleeping child lets its parent sleep, and wakes it', async () => {
    const clock = manualClock(0)
    const parent = program('main', async (_, context) => [
      await value(context, 'count'),
      (await context.perform({ kind: 'program', name: 'inner', input: 3_600_000 })).status,
    ])
    let counted = 0
    const kernel = kernelWith({
      clock,
      minds: [parent, program('inner', sleeper.start)],
      tools: [tool('count', () => ++counted)],
    })
    expect(await runMain(kernel)).toMatchObject({ state: 'suspended', reason: 'timer', wakeAt: 3_600_000 })
    clock.advance(3_600_000)
    await eventually(async () => (await kernel.journal.summary('r'))!.state === 'completed')
    expect([outputOf(await kernel.resume('r')), counted]).toEqual([[1, 'ok'], 1])
  })

  test('an invalid time fails with what is expected', async () => {
    const main = program(
      'main',
      async (_, context) =>
        JSON.parse(
          JSON.stringify(await context.perform({ kind: 'sleep', name: 'sleep', input: { until: 'tomorrow' } })),
        ) as never,
    )
    expect(outputOf(await runMain(kernelWith({ minds: [main] })))).toMatchObject({
      status: 'failed',
      error: { code: 'INPUT_INVALID', message: expect.stringContaining('input.until') },
    })
  })
})
