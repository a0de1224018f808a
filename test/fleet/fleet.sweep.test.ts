import { expect, test } from 'vitest'
import { rotate } from '../rotation.ts'
import type { Defect } from './fleet.ts'
import { simulate } from './simulated.ts'

const SMALL = { workers: 20, runs: 400, seed: 7, faults: 5 }

/** Workers freeze so often that their runs have other owners when they come back. */
const HARSH = { workers: 20, runs: 2_000, seed: 7, faults: 20 }

const DEFECTS: readonly (readonly [Defect, RegExp])[] = [
  ['repeats-doubtful-calls', /was done \d+ times/],
  ['forgets-the-dead', /at the end/],
  ['forgets-wake-ups', /at the end/],
  ['loses-entries', /is lost|at the end/],
  ['does-not-fence', /was done \d+ times|at the end/],
  ['drives-twice', /was done \d+ times|at the end/],
]

test.each(DEFECTS)('what the simulation looks for it finds: %s', async (defect, sentence) => {
  const { problems } = await simulate({ ...(defect === 'does-not-fence' ? HARSH : SMALL), defect })
  expect(problems).toContainEqual(expect.stringMatching(sentence))
})

test('where workers freeze all the time, those that come back too late are refused, and nothing is lost or repeated', async () => {
  const { problems, store } = await simulate(HARSH)
  expect(problems).toEqual([])
  expect(store.fenced).toBeGreaterThan(0)
})

test.each(rotate([2, 3, 4, 5, 6, 7, 8, 9], 'unreliable store'))(
  'where the store loses answers and segments are handed out twice all the time, nothing is lost or repeated: seed %i',
  async (seed) => {
    const { problems, store } = await simulate({ workers: 100, runs: 10_000, seed, faults: 4, store: 20 })
    expect(problems).toEqual([])
    expect(store.failed).toBeGreaterThan(100)
  },
)

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
