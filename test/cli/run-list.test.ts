import { describe, expect, it } from 'vitest'
import { REFUND, mandate, mandateIn, useOwnFolder } from './mandate.fixture.ts'
import { storeRuns } from './stored-runs.fixture.ts'

useOwnFolder()

const DAY = 86_400_000

/** The ids of the runs that are listed with these options. */
async function listed(...options: string[]): Promise<string> {
  const { code, out, notes } = await mandate('runs', ...options, '--json')
  expect(code, notes).toBe(0)
  return (JSON.parse(out) as { run: string }[]).map(({ run }) => run).join(' ')
}

async function storeSamples(): Promise<void> {
  const now = Date.now()
  await storeRuns([
    [
      'run-a',
      { at: now - 10 * DAY, end: 'completed', start: { name: 'support', input: { prompt: 'Order "A-17"\nnow' } } },
    ],
    ['run-b', { at: now - 5 * DAY, end: 'failed', start: { name: 'support', sessionId: 'trip', input: 'B-2' } }],
    [
      'run-b.child',
      { at: now - 4 * DAY, end: 'failed', start: { name: 'writer', parent: { run: 'run-b', key: 'k' } } },
    ],
    ['run-c', { at: now - 60_000, start: { name: 'writer', input: ['C', { deep: 'ORDER "a-17"' }] } }],
  ])
}

describe('mandate runs', () => {
  it('lists, newest first, the runs for which every option holds', async () => {
    await storeSamples()
    expect(await listed()).toBe('run-c run-b.child run-b run-a')
    expect(await listed('--status', 'failed')).toBe('run-b.child run-b')
    expect(await listed('--status', 'running,completed')).toBe('run-c run-a')
    expect(await listed('--agent', 'support')).toBe('run-b run-a')
    expect(await listed('--session', 'trip')).toBe('run-b')
    expect(await listed('--since', '7d')).toBe('run-c run-b.child run-b')
    expect(await listed('--until', '1d')).toBe('run-b.child run-b run-a')
    expect(await listed('--since', '2001-01-01')).toBe(await listed())
    expect(await listed('--until', '2001-01-01')).toBe('')
    expect(await listed('--since', '7d', '--until', new Date(Date.now() - 4.5 * DAY).toISOString())).toBe('run-b')
    expect(await listed('--parent', 'run-b')).toBe('run-b.child')
    expect(await listed('--parent', 'none')).toBe('run-c run-b run-a')
    expect(await listed('--text', 'order "a-17"')).toBe('run-c run-a')
    expect(await listed('--text', 'no one')).toBe('')
    expect(await listed('--status', 'failed', '--agent', 'writer', '--since', '7d')).toBe('run-b.child')
  })

  it('gives page after page, whatever else is asked for', async () => {
    await storeSamples()
    const first = await mandate('runs', '--limit', '2', '--parent', 'none')
    expect(first.out).toMatch(/^run-c .*\nrun-b .*\n$/)
    const next = /--after \S+/.exec(first.notes)![0].split(' ')
    expect(await listed('--limit', '2', '--parent', 'none', ...next)).toBe('run-a')
    expect(await listed('--text', 'A-17', '--limit', '1')).toBe('run-c')
    expect(await listed('--text', 'A-17', '--after', 'run-c')).toBe('run-a')
    expect((await mandate('runs', '--text', 'A-17', '--limit', '2')).notes).toBe('')
  })

  it('finds what a run answered, and why it failed', async () => {
    const agent = 'test/cli/fixtures/ending-agent.ts'
    await mandate('run', agent, 'Go.')
    const ended = await listed()
    await mandateIn({ ENDING: 'blocked' }, 'run', agent, 'Go.')
    expect(await listed('--text', 'LOOKED.')).toBe(ended)
    expect(await listed('--text', 'not with these words')).toBe((await listed()).replace(` ${ended}`, ''))
  })

  it('refuses what it does not know, with the nearest that it does', async () => {
    await storeSamples()
    const refused: readonly (readonly [string, string, string])[] = [
      ['--status', 'fialed', 'Did you mean "failed"?'],
      ['--status', 'waiting', 'suspended'],
      ['--agent', 'suport', 'Did you mean --agent support?'],
      ['--since', 'yesterday', '--since'],
      ['--until', '7', '--until'],
      ['--until', '2026-13-01', '--until'],
      ['--parent', 'nobody', 'no run "nobody"'],
      ['--after', 'nobody', 'no run "nobody"'],
      ['--limit', 'many', '--limit'],
    ]
    for (const [option, value, hint] of refused)
      expect([option, value, await mandate('runs', option, value)]).toMatchObject([
        option,
        value,
        { code: 2, out: '', notes: expect.stringContaining(hint) as string },
      ])
    // A name that is like no other may come to be: it has no runs yet.
    expect(await mandate('runs', '--agent', 'translator')).toMatchObject({
      code: 0,
      notes: expect.stringContaining('No run matches') as string,
    })
  })

  it('shows the state of a run that waits as the word by which it is found', { timeout: 60_000 }, async () => {
    await mandate('run', REFUND, 'Refund order A-17.')
    expect((await mandate('runs', '--status', 'suspended')).out).toContain('suspended (approval)')
  })
})
