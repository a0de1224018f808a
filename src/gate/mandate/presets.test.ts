import { describe, expect, it } from 'vitest'
import type { Risk } from '../../tool/index.ts'
import { createGate } from '../gate.ts'
import { mandateHash } from './check-mandate.ts'
import { definePolicy } from './define-policy.ts'
import { PRESETS } from './presets.ts'
import type { Policy, PresetName } from './presets.ts'
import { requestOf } from '../view.fixture.ts'

const intent = { toolName: 'tidy', purpose: 'p', expectedOutcome: 'o', riskLevel: 'read' as const }

describe('presets', () => {
  it.each<[PresetName, Risk, string]>([
    ['local-permissive', 'read', 'allow'],
    ['local-permissive', 'write', 'allow'],
    ['local-permissive', 'exec', 'allow'],
    ['local-permissive', 'destructive', 'ask'],
    ['strict', 'read', 'allow'],
    ['strict', 'write', 'ask'],
    ['strict', 'exec', 'ask'],
    ['strict', 'destructive', 'ask'],
    ['managed', 'read', 'allow'],
    ['managed', 'write', 'ask'],
    ['managed', 'exec', 'deny'],
    ['managed', 'destructive', 'deny'],
    ['governed', 'read', 'allow'],
    ['governed', 'exec', 'allow'],
    ['governed', 'destructive', 'ask'],
  ])('%s: a tool of risk %s with its intent: %s', async (name, risk, verdict) => {
    const gate = createGate({ mandate: PRESETS[name] })
    const decision = await gate.decide(requestOf({ name: 'tidy', effect: { intent }, facts: { risk } }))
    expect(decision.verdict).toBe(verdict)
  })

  it('only governed asks for intents', () => {
    expect(
      Object.entries(PRESETS)
        .filter(([, preset]) => preset.intentRequired === true)
        .map(([name]) => name),
    ).toEqual(['governed'])
  })
})

describe('a policy', () => {
  it('begins with its preset and says otherwise where it says something', () => {
    const policy = definePolicy({ preset: 'governed', profile: 'managed', overseer: undefined, deny: ['x'] })
    expect(policy).toEqual({ profile: 'managed', intentRequired: true, overseer: {}, deny: ['x'] })
  })

  it('without a preset is the mandate it says', () => {
    expect(definePolicy({ deny: ['x'] })).toEqual({ deny: ['x'] })
  })

  it('is data: written as JSON and read back it is the same mandate', () => {
    const policy: Policy = { preset: 'strict', rates: [{ tool: 'a', max: 1, perMs: 5 }], budget: { money: 1 } }
    expect(mandateHash(definePolicy(JSON.parse(JSON.stringify(policy)) as Policy))).toBe(
      mandateHash(definePolicy(policy)),
    )
    expect(Object.isFrozen(definePolicy(policy))).toBe(true)
  })

  it.each<[unknown, string]>([
    [{ preset: 'governd' }, 'Did you mean "governed"?'],
    [{ preset: 'constructor' }, 'Use one of'],
    [{ preset: 'strict', denny: [] }, 'Did you mean "deny"?'],
    ['strict', 'must be an object'],
    [null, 'must be an object'],
  ])('%j is refused with its fix', (policy, message) => {
    expect(() => definePolicy(policy as Policy)).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID', message: expect.stringContaining(message) }),
    )
  })
})
