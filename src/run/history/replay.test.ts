import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Json } from '../../core/index.ts'
import { memoryJournal, readAll } from '../../journal/index.ts'
import type { Journal } from '../../journal/index.ts'
import { call, cutAfter, kernelWith, outputOf, program, rest, runMain, tool, value } from '../kernel/kernel.fixture.ts'
import { MindStop } from '../mind/mind.ts'
import type { Mind } from '../mind/mind.ts'

const original: Mind['start'] = async (_, context) => {
  context.append('hello')
  const plan = await context.record('plan', () => 'left')
  const [a, b] = await Promise.all([value(context, 'act', 'a'), value(context, 'act', 'b')])
  return [plan, a, b, await value(context, 'act', 'c')]
}

async function recorded(start: Mind['start'] = original): Promise<Journal> {
  const journal = memoryJournal()
  await runMain(kernelWith({ journal, minds: [program('main', start)], tools: [tool('act', (input) => input)] }))
  return journal
}

/** How long a mind may be busy with itself is a question of real time: here it passes faster. */
async function impatiently<T>(promise: Promise<T>): Promise<T> {
  const state = { isSettled: false }
  const watched = promise.finally(() => (state.isSettled = true))
  watched.catch(() => {})
  while (!state.isSettled) {
    await rest()
    vi.advanceTimersByTime(1_000)
  }
  return watched
}

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(() => void vi.useRealTimers())

/** Nothing may be performed by a replay. */
const forbidden = tool('act', () => {
  throw new Error('performed')
})

async function replayed(journal: Journal, start: Mind['start']): ReturnType<ReturnType<typeof kernelWith>['replay']> {
  const before = JSON.stringify(await readAll(journal, 'r'))
  const report = await impatiently(
    kernelWith({ journal, minds: [program('main', start)], tools: [forbidden] }).replay('r'),
  )
  expect(JSON.stringify(await readAll(journal, 'r'))).toBe(before)
  return report
}

describe('replay', () => {
  test('of the mind that wrote the journal is identical, performs nothing and writes nothing', async () => {
    const journal = await recorded()
    expect(await replayed(journal, original)).toEqual({
      run: 'r',
      identical: true,
      complete: true,
      entries: (await readAll(journal, 'r')).length,
      effects: 4,
    })
  })

  test('of a run that failed, stopped itself or threw is identical too', async () => {
    for (const start of [
      async () => {
        throw new Error('always')
      },
      async () => {
        throw new MindStop('NO_PROGRESS', 'stuck', { so: 'far' })
      },
    ] as Mind['start'][]) {
      expect(await replayed(await recorded(start), start)).toMatchObject({ identical: true, complete: true })
    }
  })

  test('of a run that has not ended is identical as far as it goes, behind every entry', async () => {
    const whole = await recorded()
    const { length } = await readAll(whole, 'r')
    for (let count = 1; count < length; count++) {
      expect(await replayed(await cutAfter(whole, 'r', count), original), `cut after ${count}`).toMatchObject({
        identical: true,
        complete: false,
        entries: count,
      })
    }
  })

  const changes: readonly [string, Mind['start'], { key: string; recorded: unknown; replayed: unknown }][] = [
    [
      'asks with another input',
      async (_, context) => {
        context.append('hello')
        await context.record('plan', () => 'left')
        return [await value(context, 'act', 'A')]
      },
      { key: 'tool', recorded: 'tool act "a"', replayed: 'tool act "A"' },
    ],
    [
      'leaves an effect out and goes on',
      async (_, context) => {
        context.append('hello')
        const plan = await context.record('plan', () => 'left')
        return [plan, await context.task('elsewhere', (strand) => value(strand, 'act', 'c'))]
      },
      { key: 'elsewhere/tool', recorded: expect.stringContaining('nothing'), replayed: 'tool act "c"' },
    ],
    [
      'leaves out everything after a while',
      async (_, context) => {
        context.append('hello')
        return [await context.record('plan', () => 'left'), 'a', 'b', 'c']
      },
      { key: 'tool', recorded: expect.any(String), replayed: expect.stringContaining('without it') },
    ],
    [
      'asks for one effect more',
      async (input, context) => {
        const output = await original(input, context)
        await value(context, 'act', 'd')
        return output
      },
      { key: 'tool#4', recorded: expect.stringContaining('nothing'), replayed: 'tool act "d"' },
    ],
    [
      'comes to another end',
      async (input, context) => [...((await original(input, context)) as Json[]), 'more'],
      { key: 'run-end', recorded: expect.stringContaining('"c"]'), replayed: expect.stringContaining('"more"]') },
    ],
    [
      'fails',
      async (input, context) => {
        await original(input, context)
        throw new Error('now')
      },
      {
        key: 'run-end',
        recorded: expect.stringContaining('completed'),
        replayed: expect.stringContaining('MIND_FAILED'),
      },
    ],
    [
      'says something else',
      async (input, context) => original(input, { ...context, append: () => context.append('goodbye') }),
      { key: 'message', recorded: '"hello"', replayed: '"goodbye"' },
    ],
    [
      'says more',
      async (input, context) => {
        const output = await original(input, context)
        context.append('and another thing')
        return output
      },
      { key: 'message#2', recorded: expect.stringContaining('nothing'), replayed: '"and another thing"' },
    ],
    [
      'says less',
      async (input, context) => original(input, { ...context, append: () => {} }),
      { key: 'message', recorded: expect.any(String), replayed: expect.stringContaining('without it') },
    ],
    [
      'consults another strategy and waits for it',
      async (input, context) => {
        await context.record('reflect', () => 1)
        return original(input, context)
      },
      { key: 'plan', recorded: expect.any(String), replayed: expect.any(String) },
    ],
    [
      'consults another strategy at the end and waits for it',
      async (input, context) => {
        await original(input, context)
        return context.record('reflect', () => 1)
      },
      { key: 'reflect', recorded: expect.stringContaining('nothing'), replayed: expect.any(String) },
    ],
    [
      'waits for something that is not there, before',
      async () => new Promise(() => {}),
      { key: 'plan', recorded: expect.any(String), replayed: expect.any(String) },
    ],
    [
      'waits for something that is not there, at the end',
      async (input, context) => {
        await original(input, context)
        return new Promise(() => {})
      },
      { key: 'run-end', recorded: expect.any(String), replayed: expect.stringContaining('end') },
    ],
  ]
  for (const [how, start, difference] of changes) {
    test(`of a mind that ${how} shows the first difference, with both sides`, async () => {
      expect(await replayed(await recorded(), start)).toMatchObject({ identical: false, difference })
    })
  }

  test('of a mind that takes its time is identical all the same', async () => {
    const slow: Mind['start'] = async (input, context) => {
      await new Promise((done) => setTimeout(done, 50))
      const output = await original(input, context)
      await new Promise((done) => setTimeout(done, 50))
      return output
    }
    expect((await replayed(await recorded(), slow)).identical).toBe(true)
  })

  test('of a run or a mind that is not there says so', async () => {
    await expect(kernelWith({}).replay('nobody')).rejects.toMatchObject({ code: 'NOT_FOUND' })
    await expect(kernelWith({ journal: await recorded() }).replay('r')).rejects.toMatchObject({
      code: 'NOT_FOUND',
      message: expect.stringContaining('main'),
    })
  })
})

describe('resume', () => {
  const changes: readonly [string, Mind['start'], string][] = [
    [
      'asks with another input',
      async (_, context) => (
        context.append('hello'),
        await context.record('plan', () => 'left'),
        value(context, 'act', 'A')
      ),
      'tool',
    ],
    [
      'asks for something else first',
      async (input, context) => (await value(context, 'other'), original(input, context)),
      'tool',
    ],
    [
      'asks for something new first',
      async (input, context) => (
        await context.task('new', (strand) => value(strand, 'other')),
        original(input, context)
      ),
      'plan',
    ],
    ['ends without what is recorded', async (_, context) => (context.append('hello'), 'early'), 'plan'],
    [
      'says something else',
      async (input, context) => original(input, { ...context, append: () => context.append('goodbye') }),
      'message',
    ],
    [
      'says less and ends',
      async (_, context) => [
        await context.record('plan', () => 'left'),
        await value(context, 'act', 'a'),
        await value(context, 'act', 'b'),
      ],
      'message',
    ],
    [
      'says more, consults more, then leaves out the rest',
      async (_, context) => {
        context.append('hello')
        context.append('unheard')
        await context.record('plan', () => 'left')
        void context.record('strange', () => 1)
        return null
      },
      'tool',
    ],
    [
      'never asks for what is recorded, while it waits for something new',
      async (_, context) =>
        Promise.all([
          context.task('y', (strand) => value(strand, 'other')),
          context.task('x', (strand) => value(strand, 'other')),
        ]),
      'plan',
    ],
  ]
  for (const [how, start, key] of changes) {
    test(`of a mind that ${how} is refused with both sides, performs nothing and leaves the journal as it was`, async () => {
      const whole = await recorded()
      const journal = await cutAfter(whole, 'r', 7)
      const before = JSON.stringify(await readAll(journal, 'r'))
      const calls: Json[] = []
      const tools = [tool('act', (input) => (calls.push(input), input)), tool('other', () => calls.push('other'))]
      const kernel = kernelWith({ journal, minds: [program('main', start)], tools })
      await expect(impatiently(kernel.resume('r'))).rejects.toMatchObject({
        code: 'REPLAY_DIVERGED',
        info: { key, recorded: expect.any(String), replayed: expect.any(String) },
      })
      await rest()
      expect([calls, JSON.stringify(await readAll(journal, 'r'))]).toEqual([[], before])
      // The right mind still finds everything in its place.
      expect(
        outputOf(
          await kernelWith({
            journal,
            minds: [program('main', original)],
            tools,
            onApproval: () => ({ answer: 'not-happened' }),
          }).resume('r'),
        ),
      ).toEqual(['left', 'a', 'b', 'c'])
    })
  }

  test('an answer that waits in the inbox is kept when the mind has changed', async () => {
    const asking: Mind['start'] = async (_, context) => [await value(context, 'act', 1), await value(context, 'ask', 2)]
    const tools = [tool('act', (input) => input), tool('ask', (input) => input, { needsApproval: true })]
    const first = kernelWith({ minds: [program('main', asking)], tools })
    await runMain(first)
    await first.stop()
    const { journal } = first
    const [request] = await first.approvals()
    const changed: Mind['start'] = async (_, context) => value(context, 'act', 'other')
    const second = kernelWith({
      journal,
      minds: [program('main', changed)],
      tools,
      engine: {
        name: 'none',
        attach: async () => {},
        dispatch: async () => {},
        schedule: async () => {},
        stop: async () => {},
      },
    })
    await second.respond(request!.id, { answer: 'approve' })
    const before = JSON.stringify(await readAll(journal, 'r'))
    await expect(second.resume('r')).rejects.toMatchObject({ code: 'REPLAY_DIVERGED' })
    expect(JSON.stringify(await readAll(journal, 'r'))).toBe(before)
    expect(outputOf(await kernelWith({ journal, minds: [program('main', asking)], tools }).resume('r'))).toEqual([1, 2])
  })

  test('of a run that is over gives what it gave; of one that is not there says so', async () => {
    const kernel = kernelWith({ journal: await recorded(), minds: [program('main', original)], tools: [forbidden] })
    expect(outputOf(await kernel.resume('r'))).toEqual(['left', 'a', 'b', 'c'])
    await expect(kernel.resume('nobody')).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })

  test('two at once are one', async () => {
    const calls: Json[] = []
    const journal = await cutAfter(await recorded(), 'r', 3)
    const kernel = kernelWith({
      journal,
      minds: [program('main', original)],
      tools: [tool('act', (input) => (calls.push(input), input))],
    })
    const [first, second] = await Promise.all([kernel.resume('r'), kernel.resume('r')])
    expect([outputOf(first), outputOf(second), calls.length]).toEqual([
      ['left', 'a', 'b', 'c'],
      ['left', 'a', 'b', 'c'],
      3,
    ])
  })

  test('an effect that was asked for and not yet started when the process died is simply asked for again', async () => {
    const main: Mind['start'] = async (_, context) =>
      (await Promise.all([call(context, 'quick', 1, 'quick'), call(context, 'judged', 2, 'judged')])).map(
        ({ status }) => status,
      )
    const slowValidate = async (input: Json) => (await rest(), { valid: true as const, value: input })
    const tools = [tool('quick', () => 1), tool('judged', () => 2, { validate: slowValidate })]
    const whole = memoryJournal()
    await runMain(kernelWith({ journal: whole, minds: [program('main', main)], tools }))
    const journal = await cutAfter(whole, 'r', 3)
    expect((await readAll(journal, 'r')).map(({ key }) => key)).toEqual([undefined, 'quick', 'quick'])
    expect(outputOf(await kernelWith({ journal, minds: [program('main', main)], tools }).resume('r'))).toEqual([
      'ok',
      'ok',
    ])
  })
})
