import { expect, test } from 'vitest'
import { mandate, useOwnFolder } from './mandate.fixture.ts'

useOwnFolder()

const AGENT = 'test/cli/fixtures/thinking-agent.ts'

test('with --verbose the thoughts of a model are shown in lines as they come, and otherwise not', async () => {
  const quiet = await mandate('run', AGENT, 'Which pot?')
  expect(quiet.notes).not.toContain('glaze')
  const told = await mandate('run', AGENT, 'Which pot?', '--verbose')
  const thoughts = told.notes.split('\n').filter((line) => line.startsWith('  ~ '))
  expect(thoughts.length).toBeGreaterThan(2)
  for (const line of thoughts) expect(line.length).toBeLessThanOrEqual(80)
  expect(thoughts.map((line) => line.slice('  ~ '.length)).join(' ')).toBe(
    `First the glaze. ${'Then the spout and the handle. '.repeat(5)}The brown one.`,
  )
  expect(told.out).toBe(quiet.out)
})
