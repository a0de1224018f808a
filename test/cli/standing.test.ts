import { expect, it } from 'vitest'
import { REFUND, mandate, refunds, useOwnFolder } from './mandate.fixture.ts'

useOwnFolder()

it('an approval of a rule holds for the next run, is listed, and ends when it is revoked', async () => {
  const first = (await mandate('run', REFUND, 'Refund order A-17.')).notes
  const approval = /mandate approve (\S+)/u.exec(first)![1]!
  expect(await mandate('approve', approval, '--scope', 'rule', '--until', 'soon')).toMatchObject({ code: 2 })
  const late = await mandate('approve', approval, '--scope', 'rule', '--until', '31d')
  expect(late).toMatchObject({ code: 2, notes: expect.stringContaining('within 30 days') as string })
  const only = ['--only', '{"order":"A-17"}']
  expect(
    await mandate('approve', approval, '--scope', 'rule', '--until', '7d', ...only, '--reason', 'a regular'),
  ).toMatchObject({
    code: 0,
  })
  expect((await mandate('approvals')).notes).toContain('No approval applies')
  expect(await mandate('resume', /mandate resume (\S+)/u.exec(first)![1]!)).toMatchObject({ code: 0 })
  expect(await mandate('run', REFUND, 'Refund order A-17.')).toMatchObject({ code: 0 })
  expect(refunds()).toBe('A-17\nA-17\n')
  expect((await mandate('approvals')).out).toContain(approval)
  expect(JSON.parse((await mandate('approvals', '--json')).out)).toMatchObject([
    { id: approval, state: 'active', input: { order: 'A-17' }, reason: 'a regular', by: { id: 'local' } },
  ])
  expect(await mandate('revoke', approval, 'enough')).toMatchObject({ code: 0 })
  expect(await mandate('run', REFUND, 'Refund order A-17.')).toMatchObject({ code: 4 })
  expect(JSON.parse((await mandate('approvals', '--json')).out)).toEqual([])
  expect(JSON.parse((await mandate('approvals', '--all', '--json')).out)).toMatchObject([
    { state: 'revoked', revoked: { reason: 'enough' } },
  ])
  expect((await mandate('runs')).out).not.toContain('standing-approvals')
  expect((await mandate('revoke', 'nothing-ap1')).code).toBe(2)
  expect(await mandate('doctor')).toMatchObject({ out: expect.stringContaining('3 runs') as string })
}, 120_000)
