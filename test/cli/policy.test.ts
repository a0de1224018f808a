import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { REFUND, mandate, refunds, store, useOwnFolder } from './mandate.fixture.ts'

useOwnFolder()

describe('mandate policy', () => {
  it('says what the gate would answer to a call of an agent, and does nothing', async () => {
    const asked = await mandate('policy', 'test', REFUND, 'refund', '--input', '{"order":"A-17"}')
    expect(asked.code).toBe(0)
    expect(asked.out).toContain('ask  profile/local-permissive-destructive')
    const invalid = await mandate('policy', 'test', REFUND, 'refund', '--json')
    expect(invalid.code).toBe(3)
    expect(JSON.parse(invalid.out)).toMatchObject({ decision: { verdict: 'deny', rule: 'schema' } })
    expect((await mandate('policy', 'test', REFUND, 'refunds')).out).toContain('Did you mean "refund"?')
    expect(refunds()).toBe('')
  })

  it('says it of a policy in a file', async () => {
    const file = join(store(), '..', 'policy.json')
    writeFileSync(
      file,
      JSON.stringify({ preset: 'managed', rules: [{ id: 'night', when: { tool: 'look' }, then: 'ask' }] }),
    )
    expect(await mandate('policy', 'test', file, 'delete_all')).toMatchObject({ code: 3 })
    expect((await mandate('policy', 'test', file, 'look')).out).toContain('rules/night')
    const flow = [{ id: 'clean', sink: 'look', forbid: ['untrusted:*'] }]
    writeFileSync(file, JSON.stringify({ preset: 'local-permissive', flow }))
    expect(await mandate('policy', 'test', file, 'look')).toMatchObject({ code: 0 })
    expect((await mandate('policy', 'test', file, 'look', '--labels', 'pii,untrusted:web')).out).toContain('flow/clean')
    writeFileSync(file, JSON.stringify({ preset: 'manged' }))
    expect((await mandate('policy', 'test', file, 'look')).notes).toContain('Did you mean "managed"?')
  })

  it('says which name of a policy is probably the tested tool misspelt, and which nothing has', async () => {
    const file = join(store(), '..', 'policy.json')
    writeFileSync(file, JSON.stringify({ rules: [{ id: 'r', when: 'tool == "refnd"', then: 'ask' }], deny: ['other'] }))
    const { notes } = await mandate('policy', 'test', file, 'refund')
    expect(notes).toContain('`mandate.rules[0].when` names "refnd", and no tool here has that name.')
    expect(notes).toContain('Did you mean "refund"?')
    expect(notes).not.toContain('"other"')
  })

  it('says why a run was asked, and who answered', async () => {
    const suspended = await mandate('run', REFUND, 'Refund order A-17.')
    const run = /mandate resume (\S+)/.exec(suspended.notes)![1]!
    await mandate('approve', /mandate approve (\S+)/.exec(suspended.notes)![1]!)
    await mandate('resume', run)
    const { entries } = JSON.parse((await mandate('show', run, '--json')).out) as {
      entries: { seq: number; type: string }[]
    }
    const { seq } = entries.find(({ type }) => type === 'approval-request')!
    const { out } = await mandate('policy', 'explain', run, String(seq))
    expect(out).toContain('ask by profile/local-permissive-destructive')
    expect(out).toContain('approve by local')
    expect(await mandate('policy', 'explain', run, '999')).toMatchObject({ code: 2 })
    expect((await mandate('policy', 'explain', run, '1')).out).toContain('was not a decision of the gate')
  })

  it('says what is left of the budget, what every guard says in full, and which guard could not answer', async () => {
    const file = join(store(), '..', 'policy.json')
    const rules = [{ id: 'small', when: 'input.amount <= 50', then: 'allow' }]
    writeFileSync(file, JSON.stringify({ risks: { refund: 'read' }, rules, budget: { toolCalls: 20, money: 0.5 } }))
    const small = await mandate('policy', 'test', file, 'refund', '--input', '{"amount":20}')
    expect(small.out).toContain('Remaining budget: toolCalls 20, money 0.5.')
    expect(small.out).toContain('the rule does not apply.')
    expect(small.notes).toContain('The file has no tools')
    const missing = await mandate('policy', 'test', file, 'refund')
    expect(missing).toMatchObject({ code: 3, out: expect.stringContaining('rules/fault') })
    expect(JSON.parse((await mandate('policy', 'test', file, 'refund', '--json')).out)).toMatchObject({
      left: { toolCalls: 20, money: 0.5 },
      opinions: expect.arrayContaining([expect.objectContaining({ guard: 'rules', verdict: 'deny', rule: 'fault' })]),
    })
  })

  it('refuses what it does not know with its usage', async () => {
    expect(await mandate('policy', 'test', REFUND, 'refund', 'now')).toMatchObject({ code: 2 })
    expect(await mandate('policy', 'guess')).toMatchObject({
      code: 2,
      notes: expect.stringContaining('policy test <file> <tool>'),
    })
    expect(await mandate('policy')).toMatchObject({ code: 2 })
  })
})
