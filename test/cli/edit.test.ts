import { expect, it } from 'vitest'
import { REFUND, mandate, refunds, useOwnFolder } from './mandate.fixture.ts'

useOwnFolder()

it('an edit that the tool does not understand is refused with what is wrong, and the approval can still be given', async () => {
  const { notes } = await mandate('run', REFUND, 'Refund order A-17.')
  const approval = /mandate approve (\S+)/u.exec(notes)![1]!
  expect(await mandate('approve', approval, '--edit', '{"order":7}')).toMatchObject({
    code: 2,
    notes: expect.stringContaining('order') as string,
  })
  expect((await mandate('inbox')).out).toContain(approval)
  expect(await mandate('approve', approval, '--edit', '{"order":"B-4"}')).toMatchObject({ code: 0 })
  expect(await mandate('resume', /mandate resume (\S+)/u.exec(notes)![1]!)).toMatchObject({ code: 0 })
  expect(refunds()).toBe('B-4\n')
}, 60_000)
