import { expect, test } from 'vitest'
import { simulate } from './simulated.ts'

const SMALL = { workers: 20, runs: 400, seed: 7 }

test('workers that die, freeze, drain and disagree about the time lose and repeat nothing', async () => {
  const report = await simulate(SMALL)
  expect(report.problems).toEqual([])
  expect(report.finished + report.suspended).toBe(SMALL.runs)
  // It was not all calm.
  const { kills, freezes, drains, answers, engine } = report
  expect(Math.min(kills, freezes, drains, answers, engine.returned)).toBeGreaterThan(0)
})
