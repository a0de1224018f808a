import { describe, expect, it } from 'vitest'
import { canonical } from '../core/index.ts'
import type { JsonObject } from '../core/index.ts'
import { redactJson, secretRedactor } from '../redact/index.ts'
import type { EffectStartData } from './entry-data.ts'
import { redactData } from './entry-redaction.ts'

const start: EffectStartData = {
  kind: 'tool',
  name: 'a "quoted" näme',
  input: { b: [1, null, { z: 'x', a: true }], a: -0 },
  hash: 'f'.repeat(64),
  decision: { verdict: 'allow', rule: 'gate', reason: 'No guard "objects".', risk: 'read' },
  reserved: { toolCalls: 1, money: 0.25 },
  repeatable: false,
}

describe('what an entry may hold', () => {
  const token = `ghp_${'a1B2'.repeat(9)}`
  const redactor = secretRedactor()

  it.each<[string, EffectStartData]>([
    ['input', { ...start, input: { deep: [{ key: token }] } }],
    ['name', { ...start, name: token }],
    ['reason', { ...start, decision: { ...start.decision, reason: `no ${token}` } }],
    ['intent', { ...start, intent: { purpose: token } }],
    ['labels', { ...start, labels: [token] }],
  ])('a secret in the %s of a start is replaced as it would be anywhere', (_, data) => {
    const safe = redactData('effect-start', data, redactor)
    expect(safe).toEqual(redactJson(data as object as JsonObject, redactor))
    expect(canonical(safe)).not.toContain(token)
  })

  it('a secret in an outcome or its facts is replaced, and a name that promises one is believed', () => {
    const value = { password: 'hunter2-x9' }
    const data = { durationMs: 1, meta: { said: token }, outcome: { status: 'ok', value }, spent: {} } as const
    const safe = redactData('effect-end', data, redactor)
    expect(safe).toEqual(redactJson(data, redactor))
    expect(canonical(safe)).not.toMatch(/ghp_|hunter2/)
  })

  it('the same object comes back when nothing had to be replaced, and any other entry is looked at whole', () => {
    expect(redactData('effect-start', start, redactor)).toBe(start)
    const note = { name: 'n', value: token, [token]: 1 }
    expect(canonical(redactData('note', note, redactor))).not.toContain(token)
  })
})
