import { expect, test } from 'vitest'
import { isFull, rotate } from '../rotation.ts'
import { MUTATIONS } from './mutations.ts'
import { isNoticed, lineOf, runTrials } from './trial.ts'

/** Each row is a process of its own; of today's tenth so many run, and others of it ten days later. */
const ROWS_MAX = 6
const DAY_MS = 86_400_000

const tenth = rotate(MUTATIONS, 'guards switched off')
const step = Math.ceil(tenth.length / ROWS_MAX)
const turn = Math.floor(Date.now() / (10 * DAY_MS)) % step
const rows = isFull ? tenth : tenth.filter((_, index) => index % step === turn)
const BATCH = 20

for (let from = 0; from < rows.length; from += BATCH) {
  const batch = rows.slice(from, from + BATCH)
  test(
    `with its guard switched off, tests of each row fail: ${batch.map(({ id }) => id).join(', ')}`,
    { timeout: 600_000 },
    async () => {
      const trials = await runTrials(batch)
      const unnoticed = batch.filter(({ id }) => !isNoticed(trials.get(id)!))
      expect(unnoticed.map((row) => lineOf(row, trials.get(row.id)!))).toEqual([])
    },
  )
}
