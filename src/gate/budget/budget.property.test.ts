import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { seededRandom } from '../../core/index.ts'
import { Budget } from './budget.ts'
import { World, randomShape } from '../budget-world.fixture.ts'
import { createGate } from '../gate.ts'
import { requestOf } from '../view.fixture.ts'

describe('spent plus reserved', () => {
  it('never passes a limit of any level, through a thousand effects in any order of reserving, settling, failing, retrying and crashing', () => {
    fc.assert(
      fc.property(fc.integer(), fc.integer({ min: 1, max: 8 }), (seed, size) => {
        const random = seededRandom(seed)
        const upTo = (max: number): number => Math.floor(random.next() * max)
        const world = new World(randomShape(random, size))
        for (let effects = 0; effects < 1_000;) {
          const dice = random.next()
          if (dice < 0.55) {
            world.reserve(upTo(size), upTo(400), upTo(1_000))
            effects++
          } else if (dice < 0.8) world.settle(upTo(1_000), random.next())
          else if (dice < 0.92) world.retry(upTo(1_000), random.next())
          else if (dice < 0.96) world.lose(upTo(1_000), dice < 0.94 ? Number.NaN : -1)
          else if (dice < 0.98) world.settleAgain(upTo(1_000))
          else world.crash()
          if (dice > 0.9) world.verify()
        }
        while (world.open.length > 0) world.settle(0, random.next())
        world.verify()
        expect(world.wrong).toEqual([])
      }),
      { numRuns: 30 },
    )
  })

  it('never passes a limit while a thousand effects run at once, each through the gate', async () => {
    const limits = { toolCalls: 600, money: 3, totalTokens: 40_000 }
    const root = new Budget(limits)
    const budgets = [root, new Budget({ money: 1 }, { parent: root }), new Budget({ toolCalls: 150 }, { parent: root })]
    const gate = createGate({ mandate: { callCap: 10_000 } })
    const random = seededRandom('parallel')
    const worst = { toolCalls: 1, money: 0.1, totalTokens: 900 }
    const verdicts = { done: 0, denied: 0, late: 0 }
    const verify = (): void => {
      for (const { limits: own, spent, reserved } of budgets) {
        for (const unit of ['toolCalls', 'money', 'totalTokens'] as const) {
          expect((spent[unit] ?? 0) + (reserved[unit] ?? 0)).toBeLessThanOrEqual(
            (own[unit] ?? Number.POSITIVE_INFINITY) + 1e-12,
          )
        }
      }
    }
    const pause = async (): Promise<void> => {
      for (let turns = Math.floor(random.next() * 40); turns > 0; turns--) await Promise.resolve()
    }
    const effect = async (index: number): Promise<void> => {
      const budget = budgets[index % budgets.length]!
      await pause()
      const decision = await gate.decide(requestOf({ budget, facts: { worst } }))
      if (decision.verdict !== 'allow') return void (verdicts.denied += 1)
      await pause()
      // Others may have reserved since the gate looked; reserving looks again, and that is what counts.
      if (budget.check(worst) !== undefined) return void (verdicts.late += 1)
      const claim = budget.reserve(worst)
      verify()
      await pause()
      budget.settle(claim, {
        toolCalls: 1,
        money: 0.1 * random.next() * 0.1,
        totalTokens: Math.floor(random.next() * 60),
      })
      verify()
      verdicts.done += 1
    }
    await Promise.all(Array.from({ length: 1_000 }, (_, index) => effect(index)))
    expect(root.reserved).toEqual({})
    expect(root.spent.toolCalls).toBe(verdicts.done)
    // The test says something only if all three ways were taken.
    expect(Math.min(verdicts.done, verdicts.denied, verdicts.late)).toBeGreaterThan(0)
  })
})
