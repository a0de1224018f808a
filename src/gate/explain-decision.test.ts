import { expect, it } from 'vitest'
import { explainDecision } from './explain-decision.ts'
import { createGate } from './gate.ts'
import type { Mandate } from './mandate/mandate.ts'
import { requestOf } from './view.fixture.ts'

const own: Mandate = { deny: ['delete*'], riskMax: 'write' }
const host: Mandate = { profile: 'managed' }

it('returns every objection, not only the one that decides', async () => {
  const { decision, opinions } = await explainDecision(
    { mandate: own, above: [host] },
    requestOf({ name: 'delete_all', facts: { risk: undefined } }),
  )
  expect(decision).toMatchObject({ verdict: 'deny', rule: 'allowlist/deny' })
  expect(
    opinions.filter(({ verdict }) => verdict === 'deny').map(({ guard, level, rule }) => `${guard} ${level} ${rule}`),
  ).toEqual(['allowlist 0 deny', 'risk 0 destructive', 'profile 1 managed-destructive'])
})

it('decides as the gate does', async () => {
  for (const name of ['search', 'save', 'run', 'delete_all']) {
    const request = requestOf({ name })
    const { decision } = await explainDecision({ mandate: own, above: [host] }, request)
    expect(decision).toEqual(await createGate({ mandate: own, above: [host] }).decide(request))
  }
})
