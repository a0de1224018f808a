import { expect, onTestFinished, test } from 'vitest'
import type { PostgresLink } from '../../store/postgres/index.ts'
import { DatabaseClock } from './database-clock.ts'

test('follows the clock of the database for as long as the process runs, also while it is away now and then', async () => {
  let aheadMs = 0
  let questions = 0
  const query = async (): Promise<unknown> => {
    questions += 1
    if (questions % 2 === 0) throw new Error('The connection was lost.')
    return { rows: [{ now: Date.now() + aheadMs }], count: 1 }
  }
  const clock = new DatabaseClock()
  onTestFinished(() => clock.stop())
  await clock.keep({ query } as unknown as PostgresLink, 5)
  const difference = (): number => Math.round((clock.now() - Date.now()) / 1_000)
  expect(difference()).toBe(0)
  // The clock of this machine was put back by an hour.
  aheadMs = 3_600_000
  await expect.poll(difference).toBe(3_600)
  await clock.stop()
  const asked = questions
  await new Promise((resolve) => setTimeout(resolve, 50))
  expect(questions).toBe(asked)
})
