import { expect, test } from 'vitest'
import type { Json } from '../../core/index.ts'
import { memoryJournal, readAll } from '../../journal/index.ts'
import { DeliveryQueue } from './delivery.ts'
import {
  call,
  cutAfter,
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

const quiet = { onIdle: () => {}, awaitsIdle: () => true, isWaiting: () => true, onStall: () => {} }

test('recorded outcomes are delivered in the order of the journal, in whichever order they are requested', async () => {
  const queue = new DeliveryQueue(
    [
      { key: 'a', seq: 2, at: 10 },
      { key: 'b', seq: 3, at: 20 },
    ],
    5,
    quiet,
  )
  const given: string[] = []
  queue.claim('b', () => given.push(`b at ${queue.now}`))
  await rest()
  expect([given, queue.now]).toEqual([[], 5])
  queue.claim('a', () => given.push(`a at ${queue.now}`))
  await rest()
  expect(given).toEqual(['a at 10', 'b at 20'])
})

test('what ended first is given first, also when what ended later is on disk sooner', async () => {
  const queue = new DeliveryQueue([], 0, quiet)
  const given: string[] = []
  const first = queue.reserve(1)
  const second = queue.reserve(2)
  queue.fill(second, () => given.push('second'))
  await rest()
  expect(given).toEqual([])
  queue.fill(first, () => given.push('first'))
  await rest()
  expect(given).toEqual(['first', 'second'])
})

test('one outcome is given at a time, after everything that the one before set going by itself', async () => {
  const queue = new DeliveryQueue([], 0, quiet)
  const seen: string[] = []
  const react = (name: string) => (): void => {
    void (async () => {
      for (let hop = 0; hop < 50; hop++) await Promise.resolve()
      seen.push(name)
    })()
  }
  for (const name of ['a', 'b', 'c']) queue.fill(queue.reserve(0), react(name))
  await rest()
  expect(seen).toEqual(['a', 'b', 'c'])
})

test('time for a mind never goes back, and nothing is given after the end', async () => {
  const queue = new DeliveryQueue([], 100, quiet)
  queue.fill(queue.reserve(50), () => {})
  await rest()
  expect(queue.now).toBe(100)
  let isGiven = false
  queue.fill(queue.reserve(200), () => (isGiven = true))
  queue.close()
  await rest()
  expect([isGiven, queue.now]).toEqual([false, 100])
})

test('new work waits until everything recorded has been given', async () => {
  const queue = new DeliveryQueue([{ key: 'a', seq: 2, at: 1 }], 0, quiet)
  const order: string[] = []
  void queue.caughtUp()?.then(() => order.push('caught up'))
  await rest()
  queue.claim('a', () => void Promise.resolve().then(() => order.push('reaction to a')))
  await eventually(() => order.length === 2)
  expect(order).toEqual(['reaction to a', 'caught up'])
  expect(queue.caughtUp()).toBeUndefined()
})

test('a mind gets two outcomes in the same order, live with a slow disk and on replay', async () => {
  const heard: string[][] = []
  const main = program('main', async (_, context) => {
    const order: string[] = []
    heard.push(order)
    const said = (name: string) => () => void order.push(name)
    await Promise.all([
      call(context, 'once', 1, 'once').then(said('once')),
      call(context, 'again', 2, 'again').then(said('again')),
    ])
    return order
  })
  const tools = [tool('once', () => 1), tool('again', async () => (await rest(), 2), { idempotent: true })]
  const { journal, open } = holdAppends(memoryJournal(), (types) => types.includes('effect-end'))
  const kernel = kernelWith({ journal, minds: [main], tools })
  const outcome = runMain(kernel)
  await rest()
  await rest()
  open()
  expect(outputOf(await outcome)).toEqual(['once', 'again'])
  expect((await kernel.replay('r')).identical).toBe(true)
  expect(heard[1]).toEqual(heard[0])
})

const chains = program('main', async (_, context) => {
  const order: Json[] = []
  const say = (name: string) => (): void => void order.push(name)
  // No strands of their own: the names of the later calls depend on which of the earlier ones is heard of first.
  await Promise.all([
    call(context, 'slow', 'a')
      .then(say('a'))
      .then(() => call(context, 'fast', 'b'))
      .then(say('b'))
      .then(() => call(context, 'fast', 'e'))
      .then(say('e')),
    call(context, 'fast', 'c')
      .then(say('c'))
      .then(() => call(context, 'slow', 'd'))
      .then(say('d')),
    context
      .task('apart', (strand) =>
        call(strand, 'fast', 'f')
          .then(say('f'))
          .then(() => call(strand, 'fast', 'g')),
      )
      .then(say('g')),
  ])
  return order
})

test('parallel chains that share one strand come out the same after a cut at every entry', async () => {
  const tools = [
    tool('slow', async (input) => (await rest(), input), { idempotent: true }),
    tool('fast', async (input) => input, { idempotent: true }),
  ]
  const whole = memoryJournal()
  const first = outputOf(await runMain(kernelWith({ journal: whole, minds: [chains], tools })))
  expect(first).toHaveLength(7)
  const { length } = await readAll(whole, 'r')
  for (let count = 1; count <= length; count++) {
    const journal = await cutAfter(whole, 'r', count)
    const kernel = kernelWith({ journal, minds: [chains], tools })
    const resumed = outputOf(await kernel.resume('r'))
    const heard = (await linesOf(journal)).filter((line) => line.startsWith('effect-end')).length
    // What was recorded before the cut keeps its order; the rest may take turns in another way, but everybody is heard once.
    expect([heard, [...(resumed as string[])].sort()], `cut after ${count}`).toEqual([
      7,
      [...(first as string[])].sort(),
    ])
    expect(await kernel.replay('r'), `cut after ${count}`).toMatchObject({ identical: true, complete: true })
  }
})

test('two executions with one seed and one clock write the same bytes', async () => {
  const { deterministicRandom } = await import('../lifecycle/create-run.ts')
  const { manualClock } = await import('../../core/index.ts')
  const bytes = async (): Promise<string> => {
    const kernel = kernelWith({
      clock: manualClock(1_000, 1),
      random: deterministicRandom('x'),
      minds: [chains],
      tools: [tool('slow', async (i) => i), tool('fast', (i) => i)],
    })
    await runMain(kernel)
    return JSON.stringify(await readAll(kernel.journal, 'r'))
  }
  expect(await bytes()).toBe(await bytes())
})

test('now() is the time of the last delivered outcome, and the same on replay', async () => {
  const times: number[][] = []
  const main = program('main', async (_, context) => {
    const seen = [context.now()]
    times.push(seen)
    await call(context, 'wait')
    seen.push(context.now())
    return null
  })
  const kernel = kernelWith({ minds: [main], tools: [tool('wait', () => new Promise((done) => setTimeout(done, 5)))] })
  await runMain(kernel)
  await kernel.replay('r')
  expect(times[1]).toEqual(times[0])
  expect(times[0]![1]).toBeGreaterThan(times[0]![0]!)
})
