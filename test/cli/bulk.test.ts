import { expect, it } from 'vitest'
import { REFUND, mandate, refunds, useOwnFolder } from './mandate.fixture.ts'

useOwnFolder()

it('several approvals at once: those that can be given are given, and the first that cannot is told', async () => {
  const run = async (): Promise<string> => (await mandate('run', REFUND, 'Refund order A-17.')).notes
  const waiting = [await run(), await run()]
  const [first, second] = waiting.map((notes) => /mandate approve (\S+)/u.exec(notes)![1]!)
  const edited = await mandate('approve', first!, second!, '--edit', '{"order":"B"}')
  expect(edited).toMatchObject({ code: 2, notes: expect.stringContaining('one by one') as string })
  const said = await mandate('approve', first!, 'nothing-ap1', second!)
  expect(said.code).not.toBe(0)
  expect(said.notes).toContain('nothing-ap1')
  for (const notes of waiting)
    expect(await mandate('resume', /mandate resume (\S+)/u.exec(notes)![1]!)).toMatchObject({ code: 0 })
  expect(refunds()).toBe('A-17\nA-17\n')
}, 60_000)
