import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { RateLimit } from '../mandate/guard-fields.ts'
import type { Counts } from '../budget/rates.ts'
import { viewOf } from '../view.fixture.ts'
import type { ViewParts } from '../view.fixture.ts'
import { rateGuard } from './rate.ts'

/** Counters as a journal has them: moments by name. */
function countsOf(moments: { readonly [name: string]: readonly number[] }): Counts {
  return { sum: async (name, since) => (moments[name] ?? []).filter((at) => at >= since).length }
}

async function reason(rate: RateLimit, parts: ViewParts): Promise<string | undefined> {
  const verdict = await rateGuard.check(viewOf({ now: 100_000, runId: 'r', mandate: { rates: [rate] }, ...parts }))
  if (verdict !== undefined) expect(verdict).toMatchObject({ verdict: 'deny', code: 'RATE_LIMITED', rule: rate.tool })
  return verdict?.reason
}

const rate: RateLimit = { tool: 'search', max: 2, perMs: 10_000 }

it.each<[string, RateLimit, readonly number[], string, string | undefined]>([
  ['nothing yet', rate, [], 'rate/search/identity/ana', undefined],
  ['room for one', rate, [99_000], 'rate/search/identity/ana', undefined],
  ['full', rate, [95_000, 99_000], 'rate/search/identity/ana', 'Try again in 5 s'],
  ['one just left the window', rate, [90_000, 99_000], 'rate/search/identity/ana', undefined],
  ['one is just about to leave', rate, [90_001, 99_000], 'rate/search/identity/ana', 'Try again in 1 ms'],
  ["another identity's calls", rate, [95_000, 99_000], 'rate/search/identity/bob', undefined],
  ['calls of this run', { ...rate, per: 'run' }, [95_000, 99_000], 'rate/search/run/r', 'one run'],
  ['calls of another run', { ...rate, per: 'run' }, [95_000, 99_000], 'rate/search/run/q', undefined],
  ["everybody's calls", { ...rate, per: 'all' }, [95_000, 99_000], 'rate/search', 'everyone together'],
  ['tools that share a limit', { ...rate, tool: 'se*' }, [95_000, 99_000], 'rate/se*/identity/ana', 'Try again'],
  ['another tool', { ...rate, tool: 'other' }, [95_000, 99_000], 'rate/other/identity/ana', undefined],
  ['none at all', { ...rate, max: 0 }, [], 'rate/search/identity/ana', 'None is allowed'],
])('%s', async (_, limit, moments, name, expected) => {
  const said = await reason(limit, { counts: countsOf({ [name]: moments }) })
  expect(said).toEqual(expected === undefined ? undefined : expect.stringContaining(expected))
})

it('what it says to wait is what has to be waited, to the millisecond', async () => {
  const counts = fc.array(fc.integer({ min: 0, max: 999 }), { minLength: 1, maxLength: 30 })
  await fc.assert(
    fc.asyncProperty(counts, fc.integer({ min: 1, max: 10 }), async (moments, max) => {
      const at = (now: number): Promise<string | undefined> =>
        reason({ tool: 'search', max, perMs: 500 }, { now, counts: countsOf({ 'rate/search/identity/ana': moments }) })
      const said = /again in (\d+) ms/.exec((await at(999)) ?? '')?.[1]
      if (said === undefined) {
        expect(moments.filter((one) => one > 499).length).toBeLessThan(max)
        return
      }
      expect(await at(999 + Number(said))).toBeUndefined()
      expect(await at(999 + Number(said) - 1)).toBeDefined()
    }),
  )
})

it('a gate that cannot count does not let anything pass that is limited', async () => {
  const verdict = await rateGuard.check(viewOf({ mandate: { rates: [rate] } }))
  expect(verdict).toMatchObject({ verdict: 'deny', rule: 'uncounted' })
})

it('is not asked where nothing is limited', () => {
  expect([{}, { rates: [] }, { rates: [rate] }].map((mandate) => rateGuard.appliesTo!(mandate))).toEqual([
    false,
    false,
    true,
  ])
})
