import { describe, expect, it } from 'vitest'
import type { Condition, Rule } from '../mandate/mandate.ts'
import { viewOf } from '../view.fixture.ts'
import type { ViewParts } from '../view.fixture.ts'
import { rulesGuard } from './rules.ts'

const input = { amount: 100, to: 'ops', tags: ['a', { b: 1 }], nested: { env: 'prod', list: [{ id: 7 }] }, none: null }

function holds(when: Rule['when'], parts: ViewParts = {}): boolean {
  const verdict = rulesGuard.check(viewOf({ input, mandate: { rules: [{ id: 'r', when, then: 'deny' }] }, ...parts }))
  return verdict !== undefined
}

describe('conditions', () => {
  it.each<[string, Condition, boolean]>([
    ['input.amount', 100, true],
    ['input.amount', '100', false],
    ['input.amount', { eq: 100 }, true],
    ['input.amount', { ne: 100 }, false],
    ['input.amount', { ne: 99 }, true],
    ['input.amount', { gt: 99 }, true],
    ['input.amount', { gt: 100 }, false],
    ['input.amount', { gte: 100 }, true],
    ['input.amount', { lt: 101 }, true],
    ['input.amount', { lt: 100 }, false],
    ['input.amount', { lte: 100 }, true],
    ['input.amount', { lte: 99 }, false],
    ['input.amount', { gt: 50, lt: 150 }, true],
    ['input.amount', { gt: 50, lt: 60 }, false],
    ['input.amount', { in: [1, 100] }, true],
    ['input.amount', { in: [1, '100'] }, false],
    ['input.amount', { notIn: [1, 100] }, false],
    ['input.amount', { notIn: [1] }, true],
    ['input.to', { gt: 1 }, false],
    ['input.tags', { has: 'a' }, true],
    ['input.tags', { has: { b: 1 } }, true],
    ['input.tags', { has: 'b' }, false],
    ['input.to', { has: 'o' }, false],
    ['input.tags', ['a', { b: 1 }], true],
    ['input.tags', ['a'], false],
    ['input.nested', { eq: { list: [{ id: 7 }], env: 'prod' } }, true],
    ['input.nested.env', 'prod', true],
    ['input.nested.list.0.id', 7, true],
    ['input.none', null, true],
    ['input.none', { exists: true }, true],
    ['input', { eq: input }, true],
    ['tool', 'search', true],
    ['tool', 'sea*', true],
    ['tool', { ne: 'sea*' }, false],
    ['tool', { notIn: ['kv*', 'fetch'] }, true],
    ['name', 'search', true],
    ['kind', 'tool', true],
    ['kind', { in: ['model', 'agent'] }, false],
    ['risk', 'read', true],
    ['risk', { lt: 'exec' }, true],
    ['risk', { gte: 'write' }, false],
    ['identity.id', 'ana', true],
    ['identity.roles', { has: 'owner' }, true],
    ['identity.agent', { ne: true }, true],
  ])('%s %o → %s', (path, condition, expected) => {
    expect(holds({ [path]: condition })).toBe(expected)
  })

  it.each<[Condition, boolean]>([
    [1, false],
    [null, false],
    [{ eq: 1 }, false],
    [{ gt: 0 }, false],
    [{ lt: 0 }, false],
    [{ in: [1] }, false],
    [{ has: 1 }, false],
    [{ exists: true }, false],
    [{ ne: 1 }, true],
    [{ notIn: [1] }, true],
    [{ exists: false }, true],
    [{ exists: true, ne: 1 }, false],
  ])('of a value that is missing, %o → %s', (condition, expected) => {
    for (const path of [
      'input.missing',
      'input.to.deeper',
      'input.none.deeper',
      'input.toString',
      'input.__proto__',
      'input.tags.9',
    ]) {
      expect(holds({ [path]: condition }), path).toBe(expected)
    }
  })

  it('all conditions of a rule must hold; a rule without any always does', () => {
    expect(holds({ tool: 'search', 'input.amount': { gt: 50 } })).toBe(true)
    expect(holds({ tool: 'search', 'input.amount': { gt: 500 } })).toBe(false)
    expect(holds({})).toBe(true)
  })

  it('a rule about tools is not about models, not even when it says all tools but these', () => {
    for (const condition of [{ ne: 'x' }, { notIn: ['x'] }, { exists: false }, '*']) {
      expect(holds({ tool: condition }, { kind: 'model', name: 'gpt' })).toBe(false)
    }
    expect(holds({ kind: 'model', name: 'g*' }, { kind: 'model', name: 'gpt' })).toBe(true)
  })
})

describe('the rules guard', () => {
  const rules: readonly Rule[] = [
    { id: 'staging', when: { 'input.env': 'staging' }, then: 'allow' },
    { id: 'big', when: { 'input.amount': { gte: 1_000 } }, then: 'kill', reason: 'Far too much.' },
    { id: 'medium', when: { 'input.amount': { gte: 100 } }, then: 'ask' },
    { id: 'rest', when: { kind: 'tool', 'input.env': { ne: 'dev' } }, then: 'deny' },
  ]
  it.each([
    [
      { env: 'staging', amount: 5_000 },
      { verdict: 'allow', rule: 'staging' },
    ],
    [{ amount: 5_000 }, { verdict: 'kill', rule: 'big', reason: 'Far too much.', code: 'KILLED' }],
    [{ amount: 500 }, { verdict: 'ask', rule: 'medium' }],
    [{}, { verdict: 'deny', rule: 'rest', code: 'DENIED', reason: 'The rule "rest" says deny.' }],
  ])('the first rule that matches %o decides', (given, expected) => {
    expect(rulesGuard.check(viewOf({ input: given, mandate: { rules } }))).toMatchObject(expected)
  })

  it('says nothing when no rule matches, or there are none', () => {
    expect(rulesGuard.check(viewOf({ input: { env: 'dev' }, mandate: { rules } }))).toBeUndefined()
    expect(rulesGuard.check(viewOf({ mandate: { rules: [] } }))).toBeUndefined()
    expect(rulesGuard.check(viewOf())).toBeUndefined()
  })
})
