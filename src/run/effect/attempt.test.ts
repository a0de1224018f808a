import { describe, expect, test } from 'vitest'
import { MandateError, manualClock } from '../../core/index.ts'
import type { Json } from '../../core/index.ts'
import type { MandateEvent } from '../../journal/index.ts'
import { memoryJournal } from '../../journal/index.ts'
import type { Journal } from '../../journal/index.ts'
import type { Tool } from '../../tool/index.ts'
import {
  call,
  entriesOf,
  eventually,
  kernelWith,
  linesOf,
  outputOf,
  program,
  rest,
  runMain,
  tool,
  journalWith,
} from '../kernel/kernel.fixture.ts'

const once = program('main', async (_, context) => (await call(context, 'act')) as unknown as Json)

/** Fails as often as told, then works. */
function failing(times: number, facts: Partial<Tool> = {}): { act: Tool; attempts: number[] } {
  const attempts: number[] = []
  const act = tool(
    'act',
    (_, { attempt }) => {
      attempts.push(attempt)
      if (attempts.length <= times) throw new Error(`failure ${attempts.length}`)
      return 'worked'
    },
    { retry: { attempts: 3, backoffMs: 0 }, ...facts },
  )
  return { act, attempts }
}

function fail(): never {
  throw new Error('no judgement')
}

describe('retry', () => {
  test('a failed attempt is made again as the tool allows, and each is recorded with its reason', async () => {
    const { act, attempts } = failing(2)
    const kernel = kernelWith({ minds: [once], tools: [act] })
    expect(outputOf(await runMain(kernel))).toEqual({ status: 'ok', value: 'worked' })
    expect(attempts).toEqual([1, 2, 3])
    const retries = (await entriesOf(kernel.journal, 'effect-retry')).map(({ data }) => data)
    expect(retries.map(({ attempt, reason }) => [attempt, reason])).toEqual([
      [2, 'failure 1'],
      [3, 'failure 2'],
    ])
    expect((await kernel.replay('r')).identical).toBe(true)
  })

  test('the last failure is the outcome, and goes to the mind as data', async () => {
    const { act, attempts } = failing(9)
    expect(outputOf(await runMain(kernelWith({ minds: [once], tools: [act] })))).toEqual({
      status: 'failed',
      error: { code: 'TOOL_FAILED', message: 'failure 3 (3 attempts)' },
    })
    expect(attempts).toEqual([1, 2, 3])
  })

  test.each([
    ['fatal', { fatal: () => fail() }],
    ['retry.retriable', { retry: { attempts: 2, backoffMs: 0, retriable: () => fail() } }],
  ])('a `%s` that fails is a failure of the tool', async (what, facts) => {
    const { act } = failing(9, facts)
    expect(outputOf(await runMain(kernelWith({ minds: [once], tools: [act] })))).toEqual({
      status: 'failed',
      error: { code: 'TOOL_FAILED', message: `\`${what}\` failed: no judgement` },
    })
  })

  test("a performer whose report of a failed call's spend throws fails, and the run continues", async () => {
    const main = program('main', async (_, context) => {
      return (await context.perform({ kind: 'embed', name: 'own', input: null })) as unknown as Json
    })
    const kernel = kernelWith({ minds: [main] })
    kernel.registry.registerPerformer({
      kind: 'embed',
      facts: () => ({ known: true, worst: {} }),
      repeatable: () => true,
      timeoutMs: () => undefined,
      perform: () => Promise.reject(new Error('not performed')),
      unfinished: () => fail(),
    })
    expect(outputOf(await runMain(kernel))).toMatchObject({ status: 'failed', error: { message: 'no judgement' } })
  })

  test('the waits between attempts double, and are recorded in the journal', async () => {
    const clock = manualClock(0)
    const { act, attempts } = failing(2, { retry: { attempts: 3, backoffMs: 1_000 } })
    const kernel = kernelWith({ clock, minds: [once], tools: [act] })
    const outcome = runMain(kernel)
    await eventually(() => attempts.length === 1)
    await rest()
    clock.advance(999)
    await rest()
    expect(attempts).toHaveLength(1)
    clock.advance(1)
    await eventually(() => attempts.length === 2)
    await rest()
    clock.advance(2_000)
    expect(outputOf(await outcome)).toMatchObject({ status: 'ok' })
    expect((await entriesOf(kernel.journal, 'effect-retry')).map(({ data }) => data.waitMs)).toEqual([1_000, 2_000])
  })

  test('listeners that got parts of a failed attempt are told to discard them', async () => {
    const seen: unknown[] = []
    let attempts = 0
    const act = tool(
      'act',
      async function* () {
        yield `part ${++attempts}`
        if (attempts === 1) throw new Error('broke off')
      },
      { retry: { attempts: 2, backoffMs: 0 } },
    )
    const kernel = kernelWith({ minds: [once], tools: [act] })
    kernel.events.on(
      '*',
      ({ type, data }: MandateEvent) =>
        void (type === 'tool-progress' ? seen.push(data) : type === 'stream-reset' ? seen.push(type) : 0),
    )
    expect(outputOf(await runMain(kernel))).toEqual({ status: 'ok', value: 'part 2' })
    expect(seen).toMatchObject([{ value: 'part 1' }, 'stream-reset', { value: 'part 2' }])
  })

  test('an error that is fatal, or not worth it, is not tried again', async () => {
    const fatal = failing(9, { fatal: () => true })
    expect(outputOf(await runMain(kernelWith({ minds: [once], tools: [fatal.act] })))).toMatchObject({
      status: 'failed',
      fatal: true,
    })
    const picky = failing(9, { retry: { attempts: 3, backoffMs: 0, retriable: () => false } })
    await runMain(kernelWith({ minds: [once], tools: [picky.act] }))
    expect([fatal.attempts, picky.attempts]).toEqual([[1], [1]])
  })

  test('a cancel ends the wait between attempts', async () => {
    const { act, attempts } = failing(9, { retry: { attempts: 3, backoffMs: 60_000 } })
    const kernel = kernelWith({ minds: [once], tools: [act] })
    const outcome = runMain(kernel)
    await eventually(async () => (await linesOf(kernel.journal)).includes('effect-retry tool'))
    await kernel.cancel('r')
    expect((await outcome).state).toBe('cancelled')
    expect(attempts).toEqual([1])
  })
})

describe('timeout', () => {
  test('a tool that hangs fails after its timeout, its signal aborts, and the run continues', async () => {
    const clock = manualClock(0)
    let isTold = false
    const act = tool(
      'act',
      (_, { signal }) => new Promise(() => signal.addEventListener('abort', () => (isTold = true))),
      { timeoutMs: 100 },
    )
    const kernel = kernelWith({ clock, minds: [once], tools: [act] })
    const outcome = runMain(kernel)
    await eventually(async () => (await linesOf(kernel.journal)).includes('effect-start tool'))
    await rest()
    clock.advance(100)
    expect(outputOf(await outcome)).toMatchObject({
      status: 'failed',
      error: { code: 'TIMEOUT', message: expect.stringContaining('100 ms') },
    })
    expect(isTold).toBe(true)
  })

  test('a tool without a time of its own is cut after `toolTimeoutMs`', async () => {
    const clock = manualClock(1_000)
    const ends: number[] = []
    const hears = tool('act', (_, { deadline }) => void ends.push(deadline))
    await runMain(kernelWith({ clock, minds: [once], tools: [hears], limits: { toolTimeoutMs: 70 } }))
    expect(ends).toEqual([1_070])
  })

  test('a tool gets its deadline', async () => {
    const clock = manualClock(1_000)
    let heard = 0
    await runMain(
      kernelWith({
        clock,
        minds: [once],
        tools: [tool('act', (_, { deadline }) => void (heard = deadline), { timeoutMs: 250 })],
      }),
    )
    expect(heard).toBe(1_250)
  })

  test('one that may have happened is tried again only when the tool is idempotent', async () => {
    const attempts = async (idempotent: boolean): Promise<number> => {
      let count = 0
      const act = tool('act', () => (++count, new Promise(() => {})), {
        timeoutMs: 5,
        retry: { attempts: 3, backoffMs: 0 },
        idempotent,
      })
      await runMain(kernelWith({ minds: [once], tools: [act] }))
      return count
    }
    expect([await attempts(false), await attempts(true)]).toEqual([1, 3])
  })
})

describe('at once', () => {
  test('no more effects of one run are in flight than the limit says, and all get their turn', async () => {
    let now = 0
    let most = 0
    const act = tool('act', async () => {
      most = Math.max(most, ++now)
      await rest()
      now -= 1
    })
    const main = program(
      'main',
      async (_, context) =>
        (await Promise.all(Array.from({ length: 20 }, () => call(context, 'act')))).filter(
          ({ status }) => status === 'ok',
        ).length,
    )
    const kernel = kernelWith({ minds: [main], tools: [act], limits: { parallel: 3 } })
    expect(outputOf(await runMain(kernel))).toBe(20)
    expect(most).toBe(3)
  })

  test('effects that wait for a human or a timer leave their places to others', async () => {
    const main = program('main', async (_, context) => {
      const asleep = Array.from({ length: 5 }, () =>
        context.perform({ kind: 'sleep', name: 'sleep', input: { until: 10_000 } }),
      )
      const awake = await call(context, 'act')
      return [awake.status, (await Promise.all(asleep)).length]
    })
    const clock = manualClock(0)
    const kernel = kernelWith({
      clock,
      minds: [main],
      tools: [tool('act', () => clock.advance(10_000))],
      limits: { parallel: 1 },
    })
    expect(outputOf(await runMain(kernel))).toEqual(['ok', 5])
  })
})

test('an error that carries anything at all is recorded as data', async () => {
  const cyclic: Record<string, unknown> = { big: 1n, f: () => 1 }
  cyclic['self'] = cyclic
  for (const thrown of [
    new MandateError('TOOL_FAILED', 'odd', { info: cyclic }),
    Object.create(null),
    undefined,
    'text',
    new Error('x'.repeat(1_000_000)),
  ]) {
    const kernel = kernelWith({
      minds: [once],
      tools: [
        tool('act', () => {
          throw thrown
        }),
      ],
    })
    const outcome = await runMain(kernel)
    expect(outputOf(outcome)).toMatchObject({ status: 'failed', error: { code: 'TOOL_FAILED' } })
    expect(JSON.stringify(outcome).length).toBeLessThan(20_000)
    expect((await kernel.verify('r')).ok).toBe(true)
  }
})

test('a run that loses its journal is let go only when its calls have ended or were given up', async () => {
  const clock = manualClock(0)
  const inner = memoryJournal()
  let isBroken = false
  const append: Journal['append'] = async (...args) => {
    if (isBroken) throw new MandateError('STORE_FAILED', 'broken')
    return inner.append(...args)
  }
  const main = program('main', async (_, context) =>
    (await Promise.all([call(context, 'act'), call(context, 'quick')])).map(({ status }) => status),
  )
  const tools = [tool('act', () => new Promise(() => {})), tool('quick', () => ((isBroken = true), 1))]
  const outcome = runMain(
    kernelWith({
      clock,
      journal: journalWith(inner, { append }),
      minds: [main],
      tools,
      limits: { cancelGraceMs: 100 },
    }),
  )
  let isOver = false
  void outcome.then(() => (isOver = true))
  await eventually(() => isBroken)
  await rest()
  // Whoever resumed it now would be told that the call had not happened, while it still might.
  expect(isOver).toBe(false)
  clock.advance(100)
  expect(await outcome).toMatchObject({ state: 'suspended', reason: 'disk' })
})
