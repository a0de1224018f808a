import { describe, expect, it } from 'vitest'
import { MandateError } from '../../core/index.ts'
import { checkMandate } from './check-mandate.ts'
import { mandateHash } from './check-mandate.ts'
import type { Mandate } from './mandate.ts'

function refusal(value: unknown): string {
  try {
    checkMandate(value)
  } catch (error) {
    if (MandateError.isInstance(error)) return `${error.code}: ${error.message}`
    throw error
  }
  return 'accepted'
}

const rule = { id: 'r', when: {}, then: 'deny' }
const withRule = (changes: object): unknown => ({ rules: [{ ...rule, ...changes }] })
const withCondition = (path: string, condition: unknown): unknown => withRule({ when: { [path]: condition } })

describe('a mandate as a user wrote it', () => {
  const whole: Mandate = {
    allow: ['kv.*', 'search', 'agent:writer'],
    deny: ['shell'],
    grant: ['http'],
    profile: 'managed',
    callCap: 10,
    risks: { search: 'read', 'kv.*': 'write' },
    rules: [{ id: 'r', when: { tool: 'kv.*', risk: { gte: 'write' } }, then: 'ask', reason: 'Look.' }],
    roles: { reviewer: ['approve', 'read-journal'] },
    budget: { money: 0.5, steps: 10 },
  }

  it('is returned as a frozen copy', () => {
    const given = structuredClone(whole)
    const mandate = checkMandate(given)
    expect(mandate).toEqual(whole)
    expect(mandate).not.toBe(given)
    for (const part of [
      mandate,
      mandate.allow,
      mandate.rules?.[0]?.when,
      mandate.roles?.['reviewer'],
      mandate.budget,
    ]) {
      expect(Object.isFrozen(part)).toBe(true)
    }
    expect(checkMandate(mandate)).toBe(mandate)
  })

  it('an empty one is fine, and what is undefined is not there', () => {
    expect(checkMandate({})).toEqual({})
    expect(checkMandate({ allow: undefined })).toEqual({})
  })

  it.each<[string, unknown, ...string[]]>([
    ['no object', 'strict', 'must be an object'],
    ['a list', [], 'must be an object'],
    ['null', null, 'must be an object'],
    ['an unknown field', { tools: [] }, '`mandate.tools` is not a field', 'Use only: allow, deny'],
    ['a mistyped field', { profle: 'strict' }, '`mandate.profle`', 'Did you mean "profile"?'],
    ['a field every object inherits', JSON.parse('{"__proto__":{}}'), '`mandate.__proto__` is not a field'],
    ['an unknown profile', { profile: 'stict' }, '`mandate.profile` is "stict"', 'Did you mean "strict"?'],
    ['a list that is none', { allow: 'search' }, '`mandate.allow` must be a list of names'],
    ['a name that is none', { deny: ['a', 5] }, '`mandate.deny[1]` must be the name'],
    ['an empty name', { grant: [''] }, '`mandate.grant[0]` must be the name'],
    ['a name with a space', { allow: ['kv '] }, '`mandate.allow[0]` must be the name'],
    ['a star in the middle', { deny: ['fs.*.delete'] }, '`mandate.deny[0]` is "fs.*.delete"', 'at the end'],
    ['two stars', { deny: ['fs.**'] }, '`mandate.deny[0]`', 'at the end'],
    ['a cap that is no number', { callCap: '5' }, '`mandate.callCap` must be a whole number'],
    ['a cap below zero', { callCap: -1 }, '`mandate.callCap` must be a whole number'],
    ['an unknown risk', { risks: { a: 'high' } }, '`mandate.risks["a"]` is "high"', 'read, write, exec, destructive'],
    ['risks that are a list', { risks: ['read'] }, '`mandate.risks` must be an object'],
    [
      'an unknown permission',
      { roles: { a: ['aprove'] } },
      '`mandate.roles["a"]` is "aprove"',
      'Did you mean "approve"?',
    ],
    ['permissions that are no list', { roles: { a: 'approve' } }, '`mandate.roles["a"]` must be a list'],
    ['a limit below zero', { budget: { money: -1 } }, '`budget.money` is -1'],
    ['an unknown limit', { budget: { dollars: 1 } }, '`budget.dollars` is not known'],
    ['a value that is no JSON', { profile: 5n }, '`mandate.profile` is 5'],
    ['rules that are no list', { rules: {} }, '`rules` must be a list'],
    ['a rule that is none', { rules: ['deny'] }, '`rules[0]` must be an object'],
    ['a rule without an id', { rules: [{ when: {}, then: 'deny' }] }, '`rules[0].id` must be a text'],
    ['two rules with one id', { rules: [rule, rule] }, '`rules[1] ("r").id` is used by an earlier rule'],
    ['a rule with an unknown verdict', withRule({ then: 'refuse' }), '`rules[0] ("r").then` must be one of: allow'],
    ['a rule that modifies', withRule({ then: 'modify' }), '`rules[0] ("r").then`'],
    [
      'a rule with an unknown field',
      withRule({ whn: {} }),
      '`rules[0] ("r").whn` is not known',
      'Did you mean "when"?',
    ],
    ['a rule whose reason is no text', withRule({ reason: 5 }), '`rules[0] ("r").reason` must be a text'],
    ['a rule without conditions', withRule({ when: undefined }), '`rules[0] ("r").when` must be an object'],
    ['an unknown path', withCondition('inputs.a', 1), '`rules[0] ("r").when["inputs.a"]` is not a path'],
    ['a mistyped path', withCondition('tol', 'x'), 'Did you mean "tool"?'],
    ['a path below a text', withCondition('tool.name', 'x'), 'is not a path'],
    ['a path with a hole', withCondition('input..a', 1), 'is not a path'],
    ['a path into the identity', withCondition('identity.password', 1), 'is not a path'],
    ['an unknown test', withCondition('input.a', { matches: 'x' }), '.when["input.a"].matches` is not a test'],
    ['an object to equal', withCondition('input.a', { b: 1 }), 'write { eq: … }'],
    ['no test', withCondition('input.a', {}), '.when["input.a"]` is empty'],
    ['a comparison with a text', withCondition('input.a', { gt: '5' }), '.when["input.a"].gt` must be a number'],
    ['a comparison with NaN', withCondition('input.a', { gt: Number.NaN }), '.gt` must be a number'],
    ['a comparison of names', withCondition('tool', { gt: 5 }), '.gt` compares sizes'],
    ['an unknown kind', withCondition('kind', 'tol'), '.when["kind"]` is "tol". Use one of: model'],
    ['an unknown risk in a list', withCondition('risk', { in: ['read', 'high'] }), '.when["risk"].in` is "high"'],
    ['an unknown risk to compare with', withCondition('risk', { gte: 2 }), '.gte` must be one of: read'],
    ['a tool that is no name', withCondition('tool', 5), '.when["tool"]` must be a name'],
    ['a list to be in that is none', withCondition('input.a', { in: 'abc' }), '.in` must be a list'],
    ['an empty list to be in', withCondition('input.a', { notIn: [] }), '.notIn` must be a list of at least one'],
    ['a list test on a name', withCondition('tool', { has: 'x' }), '.has` is for lists'],
    ['exists without yes or no', withCondition('input.a', { exists: 1 }), '.exists` must be true or false'],
    ['a condition that is no JSON', withCondition('input.a', () => 1), 'must be plain data'],
  ])('%s is refused, and the message says where and how to mend it', (_, value, ...parts) => {
    const message = refusal(value)
    expect(message).toMatch(/^CONFIG_INVALID: /)
    for (const part of parts) expect(message).toContain(part)
  })
})

describe('the hash of a mandate', () => {
  it('does not depend on how it was written, and changes with what it says', () => {
    const hash = mandateHash({ deny: ['a'], profile: 'strict', budget: { money: 1 } })
    expect(mandateHash({ budget: { money: 1 }, profile: 'strict', deny: ['a'], allow: undefined })).toBe(hash)
    expect(mandateHash({ budget: { money: 1, steps: Number.POSITIVE_INFINITY }, profile: 'strict', deny: ['a'] })).toBe(
      hash,
    )
    expect(mandateHash({ deny: ['b'], profile: 'strict', budget: { money: 1 } })).not.toBe(hash)
    expect(mandateHash({ deny: ['a'], profile: 'strict', budget: { money: 2 } })).not.toBe(hash)
  })
})
