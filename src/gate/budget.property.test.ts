import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { seededRandom } from '../core/index.ts'
import type { Random } from '../core/index.ts'
import { Budget } from './budget.ts'
import type { Reservation } from './budget.ts'
import { createGate } from './gate.ts'
import { requestOf } from './view.fixture.ts'

/** A tree of runs: who is whose parent, and what each may spend. Money is in tenths of a cent here, so that the test can count exactly. */
interface Shape {
  readonly parents: readonly (number | undefined)[]
  readonly limits: readonly { readonly mills: number | undefined; readonly tokens: number | undefined }[]
}

interface Claim {
  readonly node: number
  readonly mills: number
  readonly tokens: number
  reservation: Reservation
}

const MILL = 0.001

/** The budgets of a process, and beside them a count in whole numbers that knows nothing of how budgets work. */
class World {
  readonly shape: Shape
  budgets: readonly Budget[]
  open: Claim[] = []
  closed: Claim[] = []
  /** What a journal would hold: the cost of every call that has ended. */
  readonly ended: { node: number; mills: number; tokens: number }[] = []
  readonly spent: { mills: number; tokens: number }[]
  readonly reserved: { mills: number; tokens: number }[]

  constructor(shape: Shape) {
    this.shape = shape
    this.budgets = this.#build()
    this.spent = shape.parents.map(() => ({ mills: 0, tokens: 0 }))
    this.reserved = shape.parents.map(() => ({ mills: 0, tokens: 0 }))
  }

  reserve(node: number, mills: number, tokens: number): void {
    const fits = this.#line(node).every((level) => {
      const limit = this.shape.limits[level]!
      const counted = (unit: 'mills' | 'tokens'): number => this.spent[level]![unit] + this.reserved[level]![unit]
      const isWithin = (unit: 'mills' | 'tokens', want: number): boolean =>
        want === 0 || limit[unit] === undefined || counted(unit) + want <= limit[unit]
      return isWithin('mills', mills) && isWithin('tokens', tokens)
    })
    let reservation: Reservation | undefined
    try {
      reservation = this.budgets[node]!.reserve({ money: mills * MILL, totalTokens: tokens })
    } catch (error) {
      expect(error).toMatchObject({ code: 'LIMIT_EXCEEDED' })
    }
    // Neither too strict nor too lax: it agrees with the exact count every time.
    expect(reservation !== undefined).toBe(fits)
    if (reservation === undefined) return
    this.open.push({ node, mills, tokens, reservation })
    this.#count(this.reserved, node, { mills, tokens })
  }

  settle(pick: number, share: number): void {
    if (this.open.length === 0) return
    const [claim] = this.open.splice(pick % this.open.length, 1)
    const { node, mills, tokens } = claim!
    const actual = { mills: Math.floor(mills * share), tokens: Math.floor(tokens * share) }
    this.budgets[node]!.settle(claim!.reservation, { money: actual.mills * MILL, totalTokens: actual.tokens })
    this.closed.push(claim!)
    this.ended.push({ node, ...actual })
    this.#count(this.reserved, node, { mills: -mills, tokens: -tokens })
    this.#count(this.spent, node, actual)
  }

  settleAgain(pick: number): void {
    const claim = this.closed[pick % Math.max(1, this.closed.length)]
    if (claim !== undefined)
      this.budgets[claim.node]!.settle(claim.reservation, { money: 1_000, totalTokens: 1_000_000 })
  }

  /** The process dies; the next one knows what the journal says: ends with their cost, starts without an end with their claim. */
  crash(): void {
    this.budgets = this.#build()
    this.closed = []
    for (const { node, mills, tokens } of this.ended)
      this.budgets[node]!.add({ money: mills * MILL, totalTokens: tokens })
    for (const claim of this.open) {
      claim.reservation = this.budgets[claim.node]!.claim({ money: claim.mills * MILL, totalTokens: claim.tokens })
    }
  }

  /** What must hold at every moment, at every level. */
  verify(): void {
    for (const [node, budget] of this.budgets.entries()) {
      const { mills, tokens } = this.shape.limits[node]!
      const { spent, reserved } = budget
      const money = Math.round(((spent.money ?? 0) + (reserved.money ?? 0)) / MILL)
      const used = (spent.totalTokens ?? 0) + (reserved.totalTokens ?? 0)
      expect(money).toBeLessThanOrEqual(mills ?? Number.POSITIVE_INFINITY)
      expect(used).toBeLessThanOrEqual(tokens ?? Number.POSITIVE_INFINITY)
      expect(money).toBe(this.spent[node]!.mills + this.reserved[node]!.mills)
      expect(used).toBe(this.spent[node]!.tokens + this.reserved[node]!.tokens)
    }
  }

  #build(): Budget[] {
    const budgets: Budget[] = []
    for (const [node, parent] of this.shape.parents.entries()) {
      const { mills, tokens } = this.shape.limits[node]!
      const limits = { money: mills === undefined ? undefined : mills * MILL, totalTokens: tokens }
      budgets.push(new Budget(limits, { parent: parent === undefined ? undefined : budgets[parent] }))
    }
    return budgets
  }

  #line(node: number): number[] {
    const parent = this.shape.parents[node]
    return parent === undefined ? [node] : [node, ...this.#line(parent)]
  }

  #count(sums: { mills: number; tokens: number }[], node: number, by: { mills: number; tokens: number }): void {
    for (const level of this.#line(node)) {
      sums[level]!.mills += by.mills
      sums[level]!.tokens += by.tokens
    }
  }
}

function randomShape(random: Random, size: number): Shape {
  const upTo = (max: number): number => Math.floor(random.next() * max)
  const maybe = (max: number): number | undefined => (random.next() < 0.3 ? undefined : upTo(max))
  return {
    parents: Array.from({ length: size }, (_, node) => (node === 0 ? undefined : upTo(node))),
    limits: Array.from({ length: size }, () => ({ mills: maybe(20_000), tokens: maybe(50_000) })),
  }
}

describe('spent plus reserved', () => {
  it('never passes a limit of any level, through a thousand effects in any order of reserving, settling and crashing', () => {
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
          } else if (dice < 0.96) world.settle(upTo(1_000), random.next())
          else if (dice < 0.98) world.settleAgain(upTo(1_000))
          else world.crash()
          if (dice > 0.9) world.verify()
        }
        while (world.open.length > 0) world.settle(0, random.next())
        world.verify()
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
