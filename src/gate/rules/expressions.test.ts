import { describe, expect, it } from 'vitest'
import { MandateError } from '../../core/index.ts'
import { ident, literal, member } from '../../expr/index.ts'
import { Budget } from '../budget/budget.ts'
import { createGate } from '../gate.ts'
import { rulesGuard } from '../guards/rules.ts'
import { checkMandate } from '../mandate/check-mandate.ts'
import { mandateHash } from '../mandate/check-mandate.ts'
import type { Rule } from '../mandate/mandate.ts'
import { requestOf, viewOf } from '../view.fixture.ts'
import type { ViewParts } from '../view.fixture.ts'

const input = { amount: 500, to: 'ops', tags: ['a', 'b'], nested: { env: 'prod' } }

function check(when: Rule['when'], parts: ViewParts = {}, then: Rule['then'] = 'deny'): unknown {
  return rulesGuard.check(viewOf({ input, mandate: { rules: [{ id: 'r', when, then }] }, ...parts }))
}

function refusal(when: unknown): string {
  try {
    checkMandate({ rules: [{ id: 'r', when, then: 'deny' }] })
  } catch (error) {
    if (MandateError.isInstance(error)) return `${error.code}: ${error.message}`
    throw error
  }
  return 'accepted'
}

describe('a rule with an expression', () => {
  it.each<[string, boolean]>([
    ['tool == "search" && input.amount > 100', true],
    ['input.amount > 1000', false],
    ['tool.startsWith("sea")', true],
    ['kind == "tool" && name != "other"', true],
    ['["write", "exec"].includes(risk)', false],
    ['risk == "read"', true],
    ['identity.roles.includes("owner") && identity.id == "ana"', true],
    ['input.tags.includes("b")', true],
    ['input.nested?.env == "prod"', true],
    ['input.other?.env == "prod"', false],
    ['labels.includes("untrusted:web")', false],
    ['intent == null && origin == null', true],
    ['toolCalls >= 0 && depth == 0 && spent.money < 1', true],
  ])('%s → %s', (when, holds) => {
    expect(check(when) !== undefined).toBe(holds)
  })

  it('may be a node, and survives the check and the hash of the mandate', () => {
    const when = { $expr: 'binary', op: '>', left: member(ident('input'), 'amount'), right: literal(100) } as const
    expect(check(when)).toMatchObject({ verdict: 'deny', rule: 'r', code: 'DENIED' })
    const mandate = checkMandate({ rules: [{ id: 'r', when, then: 'deny' }] })
    expect(mandate.rules?.[0]?.when).toEqual(when)
    expect(mandateHash(mandate)).not.toBe(
      mandateHash({ rules: [{ id: 'r', when: 'input.amount > 100', then: 'deny' }] }),
    )
  })

  it('that names the tool is not about models, not even when it says all tools but these', () => {
    expect(check('tool != "x"', { kind: 'model', name: 'gpt' })).toBeUndefined()
    expect(check('!(tool == "x")', { kind: 'model', name: 'gpt' })).toBeUndefined()
    expect(check('name != "x"', { kind: 'model', name: 'gpt' })).toBeDefined()
  })

  it('says which rule it is, what it read, and what would change it', () => {
    expect(
      check('tool == "search" && input.amount > 100 && [input.to, input.amount].includes("ops")', {}, 'ask'),
    ).toEqual({
      verdict: 'ask',
      rule: 'r',
      reason:
        'The rule "r" says ask, because `tool == "search"` (tool is "search") and `input.amount > 100` (input.amount is 500) and ' +
        '`[input.to, input.amount].includes("ops")` (input.to is "ops", input.amount is 500). Without one of these conditions, the rule does not apply.',
    })
    expect(check('input.absent?.deeper == null || input.amount > 1')).toMatchObject({
      reason:
        'The rule "r" says deny, because `input.absent?.deeper == null || input.amount > 1` (input.absent?.deeper is missing, input.amount is 500). ' +
        'Without this condition, the rule does not apply.',
    })
  })

  it('that meets a value it cannot work with lets nothing pass, and says what to write', async () => {
    const rules: Rule[] = [{ id: 'cap', when: 'tool == "search" && input.nested.limit > 10', then: 'ask' }]
    const decision = await createGate({ mandate: { rules } }).decide(requestOf({ input }))
    expect(decision).toMatchObject({ verdict: 'deny' })
    expect(decision.reason).toContain(
      'The rule "cap" cannot be applied. `>` cannot take `input.nested.limit`, which is missing',
    )
    expect(() => check('input.none.deeper == 1')).toThrow(
      'Nothing can be read of `input.none`, which is missing. Use `?.`',
    )
  })

  it('reads the values where they lie, and only their own members', () => {
    const hidden = Object.create({ amount: 500 }) as { amount: number }
    expect(check('input.amount == null', { input: hidden })).toBeDefined()
    expect(check('spent.toolCalls == 3', { budget: spentBudget() })).toBeDefined()
    expect(() => check('input.toString()')).toThrow('There is no `toString()`')
  })

  it.each<[string, unknown, string]>([
    ['a slip', 'input.amount = 5', 'At 1:14 of `input.amount = 5`: use `==` instead of `=`'],
    ['an unknown name', 'inptu.amount > 5', '`inptu` is not known; known are: tool, name, kind, input'],
    ['a forbidden name', 'input.constructor', '`constructor` is forbidden'],
    ['three values', '1 < input.a < 5', 'use `a < b && b < c` instead'],
    ['risks by the alphabet', 'risk >= "write"', '["exec", "destructive"].includes(risk)'],
    ['an empty text', '', 'the end does not fit here'],
    ['a node of programs', { $expr: 'await', argument: 1 }, '`await` is no expression'],
    ['a node that is none', { $expr: 'binary', op: '+' }, '`$.left`: it is missing'],
  ])('%s is refused when the mandate is checked', (_, when, message) => {
    const text = refusal(when)
    expect(text).toMatch(/^CONFIG_INVALID: `rules\[0\] \("r"\)\.when` /)
    expect(text).toContain(message)
  })
})

function spentBudget(): Budget {
  const budget = new Budget()
  budget.add({ toolCalls: 3 })
  return budget
}
