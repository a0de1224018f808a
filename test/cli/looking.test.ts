import { expect, it } from 'vitest'
import { mandate, useOwnFolder } from './mandate.fixture.ts'

useOwnFolder()

const AGENT = 'test/cli/fixtures/ending-agent.ts'

it('a list that is cut says so on stderr and how to see more, and --limit is taken', async () => {
  for (let count = 0; count < 2; count++) await mandate('run', AGENT, 'Go.')
  const cut = await mandate('runs', '--limit', '1', '--json')
  expect(JSON.parse(cut.out)).toHaveLength(1)
  expect(cut).toMatchObject({ code: 0, notes: expect.stringContaining('--limit 10') as string })
  const whole = await mandate('runs', '--limit', '2', '--jsonl')
  expect(
    whole.out
      .trim()
      .split('\n')
      .map((line) => typeof JSON.parse(line)),
  ).toEqual(['object', 'object'])
  expect(whole.notes).toBe('')
  expect(await mandate('runs', '--limit', '0')).toMatchObject({
    code: 2,
    notes: expect.stringContaining('--limit') as string,
  })
}, 60_000)

it('the entries of a run are one JSON value with --json, and one a line with --jsonl', async () => {
  await mandate('run', AGENT, 'Go.')
  const [{ run }] = JSON.parse((await mandate('runs', '--json')).out) as [{ run: string }]
  const entries = JSON.parse((await mandate('logs', run, '--json')).out) as { seq: number }[]
  expect(entries.map(({ seq }) => seq)).toEqual(entries.map((_, index) => index + 1))
  const lines = (await mandate('logs', run, '--jsonl')).out.trim().split('\n')
  expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual(entries)
  expect(await mandate('logs', run, '-f', '--json')).toMatchObject({
    code: 2,
    notes: expect.stringContaining('--jsonl') as string,
  })
}, 60_000)
