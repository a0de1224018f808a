import { describe, expect, it } from 'vitest'
import { canonical, redactJson, secretRedactor } from '../core/index.ts'
import type { Json, JsonObject } from '../core/index.ts'
import type { EffectEndData, EffectStartData } from './entry-data.ts'
import { endText, redactData, startText } from './entry-text.ts'

const start: EffectStartData = {
  kind: 'tool',
  name: 'a "quoted" näme',
  input: { b: [1, null, { z: 'x', a: true }], a: -0 },
  hash: 'f'.repeat(64),
  decision: { verdict: 'allow', rule: 'gate', reason: 'No guard "objects".', risk: 'read' },
  reserved: { toolCalls: 1, money: 0.25 },
  repeatable: false,
}

const end: EffectEndData = {
  durationMs: 12,
  outcome: { status: 'ok', value: { b: 1, a: 'ä "q"' } },
  spent: { toolCalls: 1 },
}

describe('the text of an end', () => {
  it.each<[string, EffectEndData]>([
    ['plain', end],
    ['with the time', { ...end, asked: 'e', activeMs: 12 }],
    ['without a start', { ...end, asked: 'e'.repeat(64) }],
    ['with facts', { ...end, meta: { truncated: true, issues: ['x'] } }],
    [
      'of a failure',
      { ...end, outcome: { status: 'failed', error: { code: 'INTERNAL', message: 'no' } }, durationMs: 0.5 },
    ],
  ])('%s, is the canonical one', (_, data) => {
    expect(endText(data)).toBe(canonical(data))
  })
})

describe('the text of a start', () => {
  it.each<[string, EffectStartData]>([
    ['plain', start],
    ['with the time', { ...start, asked: 'e', activeMs: 12 }],
    ['of a changed input', { ...start, asked: 'e'.repeat(64) }],
    ['with labels of the whole input', { ...start, labels: ['untrusted:web', 'pii'] }],
    ['with labels of its parts', { ...start, labels: { at: { '/b': ['secret'], '': [] }, pc: ['pii'] } }],
    ['with an intent', { ...start, intent: { toolName: 'x', purpose: 'p', riskLevel: 'read' } }],
    ['with all of them', { ...start, asked: 'a', labels: ['x'], intent: { b: 1, a: 2 }, repeatable: true }],
  ])('%s is its canonical text', (_, data) => {
    expect(startText(data, canonical(data.input))).toBe(canonical(data))
  })
})

describe('what an entry may hold', () => {
  const token = `ghp_${'a1B2'.repeat(9)}`
  const redactor = secretRedactor()
  const plain = (data: object): JsonObject => data as JsonObject

  it.each<[string, object]>([
    ['input', { ...start, input: { deep: [{ key: token }] } }],
    ['name', { ...start, name: token }],
    ['reason', { ...start, decision: { ...start.decision, reason: `no ${token}` } }],
    ['intent', { ...start, intent: { purpose: token } }],
    ['labels', { ...start, labels: [token] }],
  ])('a secret in the %s of a start is replaced as it would be anywhere', (_, data) => {
    const safe = redactData('effect-start', plain(data), redactor)
    expect(safe).toEqual(redactJson(plain(data), redactor))
    expect(canonical(safe)).not.toContain(token)
  })

  it('a secret in an outcome or its facts is replaced, and a name that promises one is believed', () => {
    const data = { durationMs: 1, meta: { said: token }, outcome: { status: 'ok', value: { password: 'hunter2-x9' } } }
    const safe = redactData('effect-end', plain({ ...data, spent: {} }), redactor)
    expect(safe).toEqual(redactJson(plain({ ...data, spent: {} }), redactor))
    expect(canonical(safe)).not.toMatch(/ghp_|hunter2/)
  })

  it('the same object comes back when nothing had to be replaced, and any other entry is looked at whole', () => {
    expect(redactData('effect-start', plain(start), redactor)).toBe(start)
    const note = plain({ name: 'n', value: token as Json, [token]: 1 })
    expect(canonical(redactData('note', note, redactor))).not.toContain(token)
  })
})
