import { describe, expect, it } from 'vitest'
import { Budget } from '../budget/budget.ts'
import { viewOf } from '../view.fixture.ts'
import type { ViewParts } from '../view.fixture.ts'
import { budgetGuard } from './budget.ts'

const check = (parts: ViewParts): unknown => budgetGuard.check(viewOf(parts))

describe('the budget guard', () => {
  it('a worst case that fits, exactly too, passes; one more does not, and the message says how to raise the limit', () => {
    const budget = new Budget({ totalTokens: 100 })
    budget.add({ totalTokens: 40 })
    budget.reserve({ totalTokens: 10 })
    expect(check({ budget, facts: { worst: { totalTokens: 50 } } })).toBeUndefined()
    expect(check({ budget, facts: { worst: { totalTokens: 51 } } })).toEqual({
      verdict: 'deny',
      rule: 'totalTokens',
      code: 'LIMIT_EXCEEDED',
      reason:
        'The limit `budget.totalTokens` is 100: 40 spent, 10 reserved, 51 more wanted. Raise `budget.totalTokens` to allow it.',
    })
  })

  it('looking reserves nothing', () => {
    const budget = new Budget({ toolCalls: 1 })
    for (let i = 0; i < 3; i++) expect(check({ budget, facts: { worst: { toolCalls: 1 } } })).toBeUndefined()
    expect(budget.reserved).toEqual({})
  })

  it('an unknown price is refused when money is limited, here or above, and only then', () => {
    const facts = { unpriced: 'the model "new"' }
    const child = new Budget({}, { parent: new Budget({ money: 1 }) })
    expect(check({ kind: 'model', facts })).toBeUndefined()
    expect(check({ kind: 'model', facts, budget: new Budget({ totalTokens: 5 }) })).toBeUndefined()
    for (const budget of [new Budget({ money: 1 }), new Budget({ money: 0 }), child]) {
      expect(check({ kind: 'model', facts, budget })).toMatchObject({
        verdict: 'deny',
        code: 'PRICE_UNKNOWN',
        reason: expect.stringContaining('the model "new"'),
      })
    }
  })

  it('children nest as deep as the limit says, and only children are counted', () => {
    const budget = new Budget({ depth: 2 })
    expect(check({ kind: 'agent', budget, depth: 1 })).toBeUndefined()
    expect(check({ kind: 'agent', budget, depth: 2 })).toMatchObject({ code: 'LIMIT_EXCEEDED', rule: 'depth' })
    expect(check({ kind: 'cell', budget, depth: 2 })).toMatchObject({ code: 'LIMIT_EXCEEDED' })
    expect(check({ kind: 'tool', budget, depth: 9 })).toBeUndefined()
    expect(check({ kind: 'agent', budget: new Budget({ depth: 0 }), depth: 0 })).toMatchObject({ rule: 'depth' })
  })
})
