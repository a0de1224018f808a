import { expect, test } from 'vitest'
import { manualClock } from '../../core/index.ts'
import type { Json } from '../../core/index.ts'
import { memoryJournal } from '../../journal/index.ts'
import type { Journal } from '../../journal/index.ts'
import {
  call,
  cutAfter,
  entriesOf,
  journalWith,
  kernelWith,
  outputOf,
  program,
  tool,
} from '../kernel/kernel.fixture.ts'
import type { Kernel } from '../kernel/kernel.ts'

const mandate = { rates: [{ tool: 'ping', max: 2, perMs: 1_000 }] }
const statuses = (outcomes: readonly { status: string }[]): Json => outcomes.map(({ status }) => status)

/** Three calls, one after another or at once. */
const main = program('main', async (input, context) => {
  const calls = (): ReturnType<typeof call>[] => [1, 2, 3].map((i) => call(context, 'ping', i))
  if (input === 'together') return statuses(await Promise.all(calls()))
  const outcomes = []
  for (let i = 1; i <= 3; i++) outcomes.push(await call(context, 'ping', i))
  return statuses(outcomes)
})

interface Bench {
  readonly kernel: Kernel
  readonly performed: Json[]
}

function bench(journal: Journal, clock = manualClock(10_000), more = {}): Bench {
  const performed: Json[] = []
  const ping = tool('ping', (input) => void performed.push(input))
  return { kernel: kernelWith({ minds: [main], tools: [ping], journal, clock, mandate, ...more }), performed }
}

const run = async ({ kernel }: Bench, runId: string, input: Json = null, id = 'ana'): Promise<Json> =>
  outputOf(await kernel.run({ kind: 'program', name: 'main', input, runId, identity: { id, roles: ['owner'] } }))

test('calls over the limit are refused with when to try again, and nothing is done', async () => {
  const journal = memoryJournal()
  const one = bench(journal)
  expect(await run(one, 'r')).toEqual(['ok', 'ok', 'denied'])
  expect(one.performed).toEqual([1, 2])
  const [refused] = await entriesOf(journal, 'effect-decide')
  expect(refused!.data.decision).toMatchObject({
    verdict: 'deny',
    rule: 'rate/ping',
    code: 'RATE_LIMITED',
    reason: expect.stringContaining('Try again in 1 s'),
  })
})

test('calls made at once cannot all take the last place', async () => {
  const one = bench(memoryJournal())
  expect(await run(one, 'r', 'together')).toEqual(['ok', 'ok', 'denied'])
  expect(one.performed).toHaveLength(2)
})

test('two kernels over one store count together', async () => {
  const journal = memoryJournal()
  const both = [bench(journal), bench(journal)]
  await Promise.all(both.map((each, index) => run(each, `r${index}`, 'together')))
  expect(both.flatMap(({ performed }) => performed)).toHaveLength(2)
})

test('of two processes that count at the same moment none takes one call too many, and what was refused is not counted', async () => {
  const inner = memoryJournal()
  const journal = journalWith(inner, {
    addCount: async (name, at, amount) => {
      await inner.addCount(name, at, amount)
      // The other process, which looked before this one had counted.
      if (amount > 0) await inner.addCount(name, at, 1)
    },
  })
  const one = bench(journal, manualClock(10_000), { mandate: { rates: [{ tool: 'ping', max: 1, perMs: 1_000 }] } })
  expect(await run(one, 'r')).toEqual(['denied', 'denied', 'denied'])
  expect(one.performed).toEqual([])
  expect(await inner.sumCount('rate/ping/identity/ana', 0)).toBe(1)
})

test('the count outlives the process, and the window passes', async () => {
  const journal = memoryJournal()
  const clock = manualClock(10_000)
  await run(bench(journal, clock), 'r1')
  const later = bench(journal, clock)
  expect(await run(later, 'r2')).toEqual(['denied', 'denied', 'denied'])
  clock.advance(1_000)
  expect(await run(later, 'r3')).toEqual(['ok', 'ok', 'denied'])
})

test('identities have their own counts', async () => {
  const journal = memoryJournal()
  const one = bench(journal)
  await run(one, 'r1')
  expect(await run(one, 'r2', null, 'bob')).toEqual(['ok', 'ok', 'denied'])
})

test('the limit of a run and that of its host on the same calls count each call once', async () => {
  const journal = memoryJournal()
  const own = { ...main, mandate }
  const one = bench(journal, manualClock(10_000), { minds: [own] })
  expect(await run(one, 'r')).toEqual(['ok', 'ok', 'denied'])
})

test('a store that cannot count lets nothing pass that is limited', async () => {
  const journal = memoryJournal()
  journal.sumCount = async () => {
    throw new Error('the disk is gone')
  }
  const one = bench(journal)
  expect(await run(one, 'r')).toEqual(['denied', 'denied', 'denied'])
  expect(one.performed).toEqual([])
})

/** A tool that fails in passing as often as it is told, and may be tried again. */
function flaky(journal: Journal, failures: number, more = {}): Bench {
  const performed: Json[] = []
  const ping = tool(
    'ping',
    (input) => {
      performed.push(input)
      if (performed.length <= failures) throw Object.assign(new Error('busy'), { code: 'EBUSY' })
    },
    { idempotent: true, retry: { attempts: 5, backoffMs: 0 } },
  )
  const options = { minds: [main], tools: [ping], journal, mandate, limits: { attempts: 5 }, ...more }
  return { kernel: kernelWith(options), performed }
}

test('another attempt at a call counts like the first, and one that does not fit is not made', async () => {
  const journal = memoryJournal()
  const one = flaky(journal, 9)
  expect(await run(one, 'r')).toEqual(['failed', 'denied', 'denied'])
  expect(one.performed).toEqual([1, 1])
  const [end] = await entriesOf(journal, 'effect-end')
  expect(end!.data.outcome).toMatchObject({
    error: {
      code: 'RATE_LIMITED',
      message: expect.stringMatching(/busy.*not tried again\. At most 2 calls of "ping"/u),
    },
  })
})

test('a call that a crash cut short is counted again when it is repeated', async () => {
  for (const max of [1, 2]) {
    const journal = memoryJournal()
    const rates = { mandate: { rates: [{ tool: 'ping', max, perMs: 9e15 }] } }
    await run(flaky(journal, 0, rates), 'r')
    const cut = await cutAfter(journal, 'r', 2)
    await cut.addCount('rate/ping/identity/ana', 1, 1)
    const later = flaky(cut, 0, rates)
    await later.kernel.resume('r')
    expect(later.performed).toEqual(max === 1 ? [] : [1])
  }
})

test('attempts count towards `callCap`, also after the run was brought back', async () => {
  const journal = memoryJournal()
  const capped = { mandate: { callCap: 2 } }
  const one = flaky(journal, 1, capped)
  expect(await run(one, 'r')).toBe('suspended')
  expect(one.performed).toEqual([1, 1])
  const later = flaky(await cutAfter(journal, 'r', 4), 0, capped)
  expect(outputOf(await later.kernel.resume('r'))).toBe('suspended')
  expect(later.performed).toEqual([])
})
