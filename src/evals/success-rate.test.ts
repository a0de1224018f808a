import { expect, test } from 'vitest'
import { compareEvals } from './comparison.ts'
import type { EvalBaseline } from './comparison.ts'
import { spreadOf, sumFigures } from './figures.ts'
import type { EvalTaskReport } from './report.ts'
import { successRate } from './success-rate.ts'
import type { EvalTolerance } from './suite.ts'

test('the interval is that of Wilson', () => {
  // Published values: Newcombe 1998, Statistics in Medicine 17, table I, method 3.
  const published = [
    [81, 263, 0.2553, 0.3662],
    [15, 148, 0.0624, 0.1605],
    [0, 20, 0, 0.1611],
    [1, 29, 0.0061, 0.1718],
  ] as const
  for (const [passed, attempts, low, high] of published) {
    const rate = successRate(passed, attempts)
    expect(rate.low).toBeCloseTo(low, 4)
    expect(rate.high).toBeCloseTo(high, 4)
  }
  expect(successRate(5, 5)).toMatchObject({ rate: 1, high: 1 })
  expect(successRate(0, 0)).toMatchObject({ rate: 0, low: 0, high: 1 })
})

test('times are the median and the 95th percentile by the nearest rank', () => {
  expect(spreadOf(Array.from({ length: 100 }, (_, at) => 100 - at))).toEqual({ p50: 50, p95: 95 })
  expect(spreadOf([7])).toEqual({ p50: 7, p95: 7 })
  expect(spreadOf([])).toEqual({ p50: 0, p95: 0 })
})

function compared(
  before: readonly [number, number],
  now: readonly [number, number],
  more: { replayed?: boolean; tokens?: number; tolerance?: EvalTolerance } = {},
) {
  const { replayed = false, tokens = 100, tolerance } = more
  const figures = { ...sumFigures([]), runs: 1, totalTokens: tokens }
  const task: EvalTaskReport = { task: 'one', tags: [], score: 1, figures, ...successRate(...now) }
  const baseline: EvalBaseline = {
    format: 'mandate-eval-baseline',
    version: 1,
    name: 'suite',
    recordedAt: '2026-01-01T00:00:00.000Z',
    tasks: {
      one: { passed: before[0], attempts: before[1], steps: 1, tokens: 100, durationMs: 1 },
      gone: { passed: 1, attempts: 1, steps: 1, tokens: 1, durationMs: 1 },
    },
  }
  return compareEvals({ tasks: [task], replayed }, baseline, tolerance)
}

test('a drop counts when it is beyond chance, and every drop when attempts are replayed', () => {
  expect(compared([10, 10], [9, 10]).regressions).toEqual([])
  expect(compared([10, 10], [9, 10], { replayed: true }).regressions).toHaveLength(1)
  expect(compared([10, 10], [6, 10]).regressions).toEqual([{ task: 'one', what: 'success', before: 1, now: 0.6 }])
  expect(compared([1, 1], [0, 1]).regressions).toHaveLength(1)
  expect(compared([2, 10], [9, 10])).toMatchObject({ regressions: [], improvements: [{ before: 0.2, now: 0.9 }] })
  expect(compared([10, 10], [10, 10])).toMatchObject({
    regressions: [],
    improvements: [],
    missing: ['gone'],
    added: [],
  })
})

test('other figures count where the suite has a tolerance for them', () => {
  expect(compared([1, 1], [1, 1], { tokens: 500 }).regressions).toEqual([])
  expect(compared([1, 1], [1, 1], { tokens: 119, tolerance: { tokens: 1.2 } }).regressions).toEqual([])
  expect(compared([1, 1], [1, 1], { tokens: 121, tolerance: { tokens: 1.2 } }).regressions).toMatchObject([
    { what: 'tokens', before: 100, now: 121 },
  ])
})
