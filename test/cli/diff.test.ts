import { expect, it } from 'vitest'
import { mandate, useOwnFolder, REFUND } from './mandate.fixture.ts'

useOwnFolder()

/** A run that has paid back, and a fork of it in which the payment failed. */
async function twoRuns(): Promise<{ run: string; fork: string }> {
  const { notes } = await mandate('run', REFUND, 'Refund order A-17.')
  const run = /mandate resume (\S+)/.exec(notes)![1]!
  await mandate('approve', /mandate approve (\S+)/.exec(notes)![1]!)
  await mandate('resume', run)
  const forked = await mandate('fork', run, '--key', 'turn:1/tool:1', '--value', '"the bank said no"')
  return { run, fork: /forked \S+ as (\S+)/.exec(forked.notes)![1]! }
}

it('shows two runs side by side, folds what is the same, and marks what differs', async () => {
  const { run, fork } = await twoRuns()
  const { code, out } = await mandate('diff', run, fork)
  expect(code).toBe(1)
  expect(out).toContain(`A ${run} completed`)
  expect(out).toContain(`B ${fork} completed`)
  expect(out).toMatch(/^~ .*\| .*the bank said no/m)
  expect(out).toMatch(/entries \d+ to \d+ are the same/)
  expect(out).toMatch(/^same \d+, changed \d+, only in A \d+, only in B \d+$/m)
  for (const line of out.split('\n')) expect(line.length).toBeLessThanOrEqual(160)
})

it('compares a fork with the run that it comes from; a run with itself does not differ', async () => {
  const { run, fork } = await twoRuns()
  expect((await mandate('diff', fork)).out).toBe((await mandate('diff', run, fork)).out)
  const same = await mandate('diff', run, run, '--json')
  expect(same.code).toBe(0)
  expect(JSON.parse(same.out)).toMatchObject({ changed: 0, onlyA: 0, onlyB: 0, a: { run }, b: { run } })
  expect(await mandate('diff', run)).toMatchObject({ code: 2, notes: /is not a fork/ })
  expect(await mandate('diff', run, 'nothing')).toMatchObject({ code: 2, notes: /no run "nothing"/ })
})

it('shows what a fork with another input was asked instead', async () => {
  const { run } = await twoRuns()
  const forked = await mandate('fork', run, '--input', '"Refund order B-99."', '--no-input')
  const [start] = (await mandate('diff', / as (\S+)/u.exec(forked.notes)![1]!)).out.match(/^~ 1 run-start.*$/mu)!
  expect(start).toMatch(/A-17.*\|.*B-99/)
})

it('two runs of the same agent that did the same do not differ', async () => {
  const agent = 'test/cli/fixtures/ending-agent.ts'
  for (let count = 0; count < 2; count++) await mandate('run', agent, 'Go.')
  const runs = JSON.parse((await mandate('runs', '--json')).out) as { readonly run: string }[]
  expect(await mandate('diff', runs[0]!.run, runs[1]!.run)).toMatchObject({ code: 0, out: /changed 0, only in A 0/ })
})

it('retention shows what would go, erases it with --yes, and keeps chains and open runs', async () => {
  const { run, fork } = await twoRuns()
  const open = /mandate resume (\S+)/.exec((await mandate('run', REFUND, 'Refund order A-18.')).notes)![1]!
  expect(await mandate('retention')).toMatchObject({ code: 2, notes: /--older-than 30d/ })
  expect(await mandate('retention', '--older-than', 'soon')).toMatchObject({ code: 2, notes: /such as 30d/ })
  expect(await mandate('retention', '--older-than', '1d')).toMatchObject({
    code: 0,
    out: '',
    notes: /no session exceeds/,
  })
  const plan = await mandate('retention', '--keep', '0')
  // A fork is in the session of its run, so both are erased together.
  expect(plan.out).toMatch(/^\S+ +agent \S+ +2 +\d{4}-/u)
  expect(plan.notes).toContain('nothing was erased')
  expect((await mandate('show', run)).out).not.toContain('(erased)')
  const { out, notes } = await mandate('retention', '--keep', '0', '--yes', '--json')
  expect(JSON.parse(out)).toMatchObject({
    erased: true,
    sessions: [{ runs: 2 }],
    runs: expect.arrayContaining([run, fork]),
  })
  expect(notes).toContain('can still be verified')
  expect((await mandate('show', run)).out).toContain('(erased)')
  expect(await mandate('verify', run)).toMatchObject({ code: 0 })
  expect((await mandate('show', open)).out).not.toContain('(erased)')
})
