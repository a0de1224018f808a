import { describe, expect, it } from 'vitest'
import type { Spend } from '../../journal/index.ts'
import { Budget, describeLimit, lowestLimits } from './budget.ts'

describe('limits', () => {
  it.each<[Spend, Spend, boolean]>([
    [{ steps: 5 }, { steps: 5 }, true],
    [{ steps: 5 }, { steps: 6 }, false],
    [{ steps: 0 }, { steps: 1 }, false],
    [{ steps: 0 }, { toolCalls: 1 }, true],
    [{ steps: 0 }, {}, true],
    [{ money: 0.3 }, { money: 0.1 + 0.2 }, true],
    [{ money: 0.3 }, { money: 0.300_000_001 }, false],
    [{ money: 0 }, { money: 1e-9 }, false],
    [{ outputBytes: 10 }, { outputBytes: 10.5 }, false],
    [{ inputTokens: Number.POSITIVE_INFINITY }, { inputTokens: 1e9 }, true],
    [{ depth: 0 }, { depth: 5 }, true],
  ])('of %o, %o fits: %s', (limits, wanted, fits) => {
    expect(new Budget(limits).check(wanted) === undefined).toBe(fits)
  })

  it('a refused reservation takes nothing, and says what to raise', () => {
    const budget = new Budget({ money: 1 })
    budget.add({ money: 0.25 })
    budget.reserve({ money: 0.5 })
    expect(() => budget.reserve({ money: 0.5 })).toThrow(
      'The limit `budget.money` is 1: 0.25 spent, 0.5 reserved, 0.5 more wanted. Raise `budget.money` to allow it.',
    )
    expect(budget.reserved).toEqual({ money: 0.5 })
  })

  it('an invalid worst case does not fit where it is limited', () => {
    for (const wanted of [Number.NaN, Number.POSITIVE_INFINITY, -1]) {
      expect(new Budget({ money: 1_000 }).check({ money: wanted })).toMatchObject({ unit: 'money' })
      expect(new Budget({ steps: 1 }).check({ money: wanted })).toBeUndefined()
    }
  })

  it('a nonsensical limit is refused when it is set', () => {
    expect(() => new Budget({ money: -1 })).toThrow('`budget.money` is -1')
    expect(() => new Budget({ dollars: 1 } as never)).toThrow('`budget.dollars` is not known')
  })

  it('time passes by itself, for the whole tree', () => {
    let elapsed = 0
    const root = new Budget({ timeMs: 100 }, { elapsedMs: () => elapsed })
    const child = new Budget({ timeMs: 1_000 }, { parent: root, elapsedMs: () => elapsed - 20 })
    elapsed = 60
    expect([child.check({}), child.timeLeft(), root.timeLeft(), child.spent]).toEqual([
      undefined,
      40,
      40,
      { timeMs: 40 },
    ])
    elapsed = 100
    expect(child.check({})).toEqual({ unit: 'timeMs', limit: 100, spent: 100, reserved: 0, wanted: 0, inherited: true })
    elapsed = Number.NaN
    expect(child.check({})).toMatchObject({ unit: 'timeMs' })
    expect(new Budget({ steps: 1 }).timeLeft()).toBeUndefined()
  })

  it('depth counts from the run that limits it', () => {
    const root = new Budget({ depth: 5 })
    const child = new Budget({ depth: 1 }, { parent: root })
    const grandchild = new Budget({}, { parent: child })
    expect([root.depthMax(), child.depthMax(), grandchild.depthMax(), new Budget().depthMax()]).toEqual([
      5,
      2,
      2,
      undefined,
    ])
    expect(new Budget({ depth: 1 }, { depth: 3 }).depthMax()).toBe(4)
  })
})

describe('settling', () => {
  it('puts what it took in the place of what was reserved, at every level', () => {
    const root = new Budget({ totalTokens: 1_000 })
    const child = new Budget({ totalTokens: 500 }, { parent: root })
    const sibling = new Budget({}, { parent: root })
    const claim = child.reserve({ totalTokens: 400, modelCalls: 1 })
    expect(sibling.check({ totalTokens: 700 })).toMatchObject({
      unit: 'totalTokens',
      limit: 1_000,
      reserved: 400,
      inherited: true,
    })
    expect(child.settle(claim, { totalTokens: 50, modelCalls: 1 })).toEqual({ totalTokens: 50, modelCalls: 1 })
    for (const budget of [root, child]) {
      expect([budget.reserved, budget.spent]).toEqual([{}, { totalTokens: 50, modelCalls: 1, timeMs: 0 }])
    }
    expect(sibling.spent).toEqual({ timeMs: 0 })
  })

  it('twice changes nothing', () => {
    const budget = new Budget()
    const claim = budget.reserve({ steps: 5 })
    budget.settle(claim, { steps: 2 })
    expect(budget.settle(claim, { steps: 5 })).toEqual({})
    expect([budget.spent, budget.reserved]).toEqual([{ steps: 2, timeMs: 0 }, {}])
  })

  it('with another budget than the one that gave the claim is a mistake that is found', () => {
    const claim = new Budget().reserve({ steps: 1 })
    expect(() => new Budget().settle(claim, {})).toThrow('settled with the budget that gave it')
  })

  it('more than the worst case is counted in full, and nothing fits any more', () => {
    const budget = new Budget({ totalTokens: 100 })
    budget.settle(budget.reserve({ totalTokens: 100 }), { totalTokens: 130 })
    expect(budget.spent).toMatchObject({ totalTokens: 130 })
    expect(budget.check({ totalTokens: 1 })).toMatchObject({ spent: 130 })
  })

  it.each([Number.NaN, -5, Number.POSITIVE_INFINITY])('a cost of %s is not believed: the worst case stands', (cost) => {
    const budget = new Budget({ money: 1 })
    const claim = budget.reserve({ money: 0.75, totalTokens: 10 })
    expect(budget.settle(claim, { money: cost, totalTokens: 4, steps: cost })).toEqual({
      money: 0.75,
      totalTokens: 4,
      // No worst case is known of these, so nothing of them fits any more.
      steps: Number.MAX_SAFE_INTEGER,
      estimated: true,
    })
    expect(budget.check({ money: 0.5 })).toMatchObject({ unit: 'money', spent: 0.75 })
  })
})

describe('money', () => {
  it('ten times ten cents is a dollar, and the eleventh time is too much', () => {
    const budget = new Budget({ money: 1 })
    for (let i = 0; i < 10; i++) budget.settle(budget.reserve({ money: 0.1 }), { money: 0.1 })
    expect(budget.spent.money).toBe(1)
    expect(budget.check({ money: 0.000_000_001 })).toMatchObject({ unit: 'money' })
  })

  it('a hundred thousand claims that came and went leave nothing behind', () => {
    const budget = new Budget({ money: 1 })
    const prices = [0.1, 0.2, 0.000_000_15, 0.7 / 3]
    for (let i = 0; i < 25_000; i++) {
      const claims = prices.map((money) => budget.claim({ money }))
      for (const claim of claims.toReversed()) budget.settle(claim, { money: 0 })
    }
    expect(budget.reserved).toEqual({})
    expect(budget.check({ money: 1 })).toBeUndefined()
  })

  it('a sum that was made elsewhere in floating point is still the sum it was meant to be', () => {
    let sum = 0
    for (let i = 0; i < 900; i++) sum += 0.001
    const budget = new Budget({ money: 1 })
    budget.add({ money: sum })
    expect(budget.spent.money).toBe(0.9)
    expect(budget.check({ money: 0.1 })).toBeUndefined()
  })

  it('the cheapest token is still counted', () => {
    const budget = new Budget({ money: 1 })
    for (let i = 0; i < 1_000; i++) budget.add({ money: 0.000_000_01 })
    expect(budget.spent.money).toBe(0.000_01)
  })
})

describe('an allotment', () => {
  it('is the requested amount, and the rest of every other limited unit', () => {
    const root = new Budget({ money: 10, totalTokens: 1_000, depth: 3, timeMs: 500 }, { elapsedMs: () => 100 })
    const parent = new Budget({ totalTokens: 400 }, { parent: root })
    root.add({ money: 1 })
    parent.reserve({ totalTokens: 150 })
    expect(parent.allotment({ money: 2, steps: 7 })).toEqual({
      limits: { money: 2, totalTokens: 250, steps: 7, timeMs: 400, depth: 1 },
      spend: { money: 2, totalTokens: 250, steps: 7 },
    })
  })

  it('is reserved whole, and what the child did not use comes back', () => {
    const parent = new Budget({ money: 10 })
    const { limits, spend } = parent.allotment({ money: 4 })
    const claim = parent.reserve(spend)
    const child = new Budget(limits, { depth: 1 })
    expect(child.check({ money: 4.5 })).toMatchObject({ limit: 4 })
    expect(parent.check({ money: 6.5 })).toMatchObject({ reserved: 4 })
    child.settle(child.reserve({ money: 1 }), { money: 0.5 })
    parent.settle(claim, child.spent)
    expect([parent.spent.money, parent.reserved]).toEqual([0.5, {}])
  })

  it('of more than is left is refused by name', () => {
    const parent = new Budget({ money: 1 })
    expect(parent.check(parent.allotment({ money: 2 }).spend)).toMatchObject({ unit: 'money', wanted: 2 })
  })

  it('two at once cannot both take everything', () => {
    const parent = new Budget({ totalTokens: 100 })
    parent.reserve(parent.allotment().spend)
    expect(parent.allotment().limits).toEqual({ totalTokens: 0 })
  })

  it('time and depth are never more than here, however much was asked', () => {
    const parent = new Budget({ timeMs: 100, depth: 2 }, { elapsedMs: () => 40 })
    expect(parent.allotment({ timeMs: 1_000, depth: 9 }).limits).toEqual({ timeMs: 60, depth: 1 })
    expect(parent.allotment({ timeMs: 10, depth: 0 }).limits).toEqual({ timeMs: 10, depth: 0 })
    expect(new Budget().allotment().limits).toEqual({})
  })
})

describe('the words for a limit', () => {
  it('say whose it is', () => {
    const hit = { unit: 'steps', limit: 5, spent: 5, reserved: 0, wanted: 1 } as const
    expect(describeLimit(hit)).toBe(
      'The limit `budget.steps` is 5: 5 spent, 1 more wanted. Raise `budget.steps` to allow it.',
    )
    expect(describeLimit({ ...hit, inherited: true })).toContain('`budget.steps` of a run above this one is 5')
  })
})

describe('several sets of limits', () => {
  it('are kept by the lowest of each unit', () => {
    expect(lowestLimits({ money: 1, steps: 5 }, undefined, { money: 0.5, depth: 2 }, { steps: 9 })).toEqual({
      money: 0.5,
      steps: 5,
      depth: 2,
    })
    expect(lowestLimits({ money: 0 }, { money: 1 })).toEqual({ money: 0 })
    expect(lowestLimits()).toEqual({})
    expect(() => lowestLimits({ money: Number.NaN })).toThrow('`budget.money` is NaN')
  })
})
