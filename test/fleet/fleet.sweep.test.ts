import { expect, test } from 'vitest'
import { rotate } from '../rotation.ts'
import type { FleetPlan } from './fleet.ts'
import { simulate } from './simulated.ts'

const SMALL = { workers: 20, runs: 400, seed: 7 }

const DEFECTS: readonly (readonly [NonNullable<FleetPlan['defect']>, RegExp])[] = [
  ['repeats-doubtful-calls', /was done \d+ times/],
  ['forgets-the-dead', /at the end/],
  ['forgets-wake-ups', /at the end/],
  ['loses-entries', /is lost|at the end/],
]

test.each(DEFECTS)('what the simulation looks for it finds: %s', async (defect, sentence) => {
  const { problems } = await simulate({ ...SMALL, defect })
  expect(problems).toContainEqual(expect.stringMatching(sentence))
})

test('a seed gives the same simulation every time', async () => {
  const [one, other] = await Promise.all([simulate(SMALL), simulate(SMALL)])
  expect(one.digest).toBe(other.digest)
})

const SEEDS = Array.from({ length: 40 }, (_, seed) => 100 + seed)

test.each(rotate(SEEDS, 'fleet'))('a hundred workers and 4,000 runs lose and repeat nothing: seed %i', async (seed) => {
  const report = await simulate({ workers: 100, runs: 4_000, seed })
  expect(report.problems).toEqual([])
  expect(report.finished + report.suspended).toBe(4_000)
})
