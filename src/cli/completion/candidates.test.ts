import { expect, test } from 'vitest'
import { candidates } from './candidates.ts'

const ids = {
  runs: async () => [{ word: 'r-1', about: 'greeter, suspended' }],
  approvals: async () => [{ word: 'r-1-ap4', about: 'refund {}' }],
}

async function complete(...typed: string[]): Promise<readonly string[]> {
  return (await candidates(typed, ids)).map(({ word }) => word)
}

test('names of commands, by how they begin', async () => {
  expect(await complete('rep')).toEqual(['repl', 'replay'])
  expect(await complete('')).toContain('run')
  expect(await complete('help', 'ch')).toEqual(['chat'])
})

test('options of a command, and the words that an option takes', async () => {
  expect(await complete('fork', '--i')).toEqual(['--input'])
  expect(await complete('runs', '--st')).toEqual(['--status', '--store'])
  expect(await complete('approve', 'r-1-ap4', '--scope', 'r')).toEqual(['run', 'rule'])
})

test('ids of runs and of what waits, where the command takes them', async () => {
  expect(await complete('resume', '')).toEqual(['r-1'])
  expect(await complete('resume', '--budget', 'money=1', '')).toEqual(['r-1'])
  expect(await complete('resume', 'r-1', '')).toEqual([])
  expect(await complete('runs', '--parent', '')).toEqual(['r-1'])
  expect(await complete('policy', 'explain', '')).toEqual(['r-1'])
  expect(await complete('policy', 'explain', 'r-1', '')).toEqual([])
  expect(await complete('policy', 'test', '')).toEqual([])
  expect(await complete('approve', 'r-1-ap4', '')).toEqual(['r-1-ap4'])
  expect(await complete('deny', 'r-1-ap4', '')).toEqual([])
})

test('verbs of a command, and nothing where a file can stand, which shells complete themselves', async () => {
  expect(await complete('graph', '')).toEqual(['check', 'fmt', 'diff', 'show', 'run', 'review'])
  expect(await complete('run', '')).toEqual([])
  expect(await complete('run', 'a.ts', '--file', '')).toEqual([])
})
