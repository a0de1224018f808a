import { MandateError } from '../core/index.ts'
import type { Random } from '../core/index.ts'
import { Budget } from './budget/budget.ts'
import type { Reservation } from './budget/budget.ts'

/** A tree of runs: the parent of each, and its limit. Money is in tenths of a cent, so that the test can count exactly. */
export interface Shape {
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

/** The budgets of a process, and an independent count in whole numbers. */
export class World {
  readonly shape: Shape
  /** The violations found so far. */
  readonly wrong: string[] = []
  budgets: readonly Budget[]
  open: Claim[] = []
  closed: Claim[] = []
  /** The contents of a journal: the cost of every call that has ended. */
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
    const fits = this.#fits(node, mills, tokens)
    let reservation: Reservation | undefined
    try {
      reservation = this.budgets[node]!.reserve({ money: mills * MILL, totalTokens: tokens })
    } catch (error) {
      if (!MandateError.isInstance(error) || error.code !== 'LIMIT_EXCEEDED') throw error
    }
    // Neither too strict nor too lax: it agrees with the exact count every time.
    if ((reservation !== undefined) !== fits)
      this.wrong.push(`run ${node}: ${mills} mills, ${tokens} tokens: ${fits ? 'refused' : 'let through'}`)
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

  /** A failed attempt: its cost is counted, and the same amount is reserved for the next one if that fits. */
  retry(pick: number, share: number): void {
    if (this.open.length === 0) return
    const claim = this.open[pick % this.open.length]!
    const { node, mills, tokens } = claim
    this.settle(pick, share)
    const worst = { money: mills * MILL, totalTokens: tokens }
    const fits = this.#fits(node, mills, tokens)
    const hit = this.budgets[node]!.check(worst)
    if ((hit === undefined) !== fits) this.wrong.push(`run ${node}: a retry was ${fits ? 'refused' : 'let through'}`)
    if (hit !== undefined) return
    this.open.push({ node, mills, tokens, reservation: this.budgets[node]!.claim(worst) })
    this.#count(this.reserved, node, { mills, tokens })
  }

  /** An attempt whose cost is unknown or invalid: it counts with its worst case. */
  lose(pick: number, cost: number): void {
    if (this.open.length === 0) return
    const [claim] = this.open.splice(pick % this.open.length, 1)
    const { node, mills, tokens } = claim!
    this.budgets[node]!.settle(claim!.reservation, { money: cost, totalTokens: cost })
    this.ended.push({ node, mills, tokens })
    this.#count(this.reserved, node, { mills: -mills, tokens: -tokens })
    this.#count(this.spent, node, { mills, tokens })
  }

  settleAgain(pick: number): void {
    const claim = this.closed[pick % Math.max(1, this.closed.length)]
    if (claim !== undefined)
      this.budgets[claim.node]!.settle(claim.reservation, { money: 1_000, totalTokens: 1_000_000 })
  }

  /** The process crashes; the next one knows what the journal has: ends with their cost, starts without an end with their reservation. */
  crash(): void {
    this.budgets = this.#build()
    this.closed = []
    for (const { node, mills, tokens } of this.ended)
      this.budgets[node]!.add({ money: mills * MILL, totalTokens: tokens })
    for (const claim of this.open) {
      claim.reservation = this.budgets[claim.node]!.claim({ money: claim.mills * MILL, totalTokens: claim.tokens })
    }
  }

  /** Records every violated invariant, at all levels. */
  verify(): void {
    for (const [node, { spent, reserved }] of this.budgets.entries()) {
      const { mills = Number.POSITIVE_INFINITY, tokens = Number.POSITIVE_INFINITY } = this.shape.limits[node]!
      const money = Math.round(((spent.money ?? 0) + (reserved.money ?? 0)) / MILL)
      const used = (spent.totalTokens ?? 0) + (reserved.totalTokens ?? 0)
      if (money > mills || used > tokens)
        this.wrong.push(`run ${node}: ${money} of ${mills} mills, ${used} of ${tokens} tokens`)
      const isExact =
        money === this.spent[node]!.mills + this.reserved[node]!.mills &&
        used === this.spent[node]!.tokens + this.reserved[node]!.tokens
      if (!isExact) this.wrong.push(`run ${node}: miscounted`)
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

  #fits(node: number, mills: number, tokens: number): boolean {
    return this.#line(node).every((level) => {
      const limit = this.shape.limits[level]!
      const counted = (unit: 'mills' | 'tokens'): number => this.spent[level]![unit] + this.reserved[level]![unit]
      const isWithin = (unit: 'mills' | 'tokens', want: number): boolean =>
        want === 0 || limit[unit] === undefined || counted(unit) + want <= limit[unit]
      return isWithin('mills', mills) && isWithin('tokens', tokens)
    })
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

/** A tree of that many runs, some without a limit. */
export function randomShape(random: Random, size: number): Shape {
  const upTo = (max: number): number => Math.floor(random.next() * max)
  const maybe = (max: number): number | undefined => (random.next() < 0.3 ? undefined : upTo(max))
  return {
    parents: Array.from({ length: size }, (_, node) => (node === 0 ? undefined : upTo(node))),
    limits: Array.from({ length: size }, () => ({ mills: maybe(20_000), tokens: maybe(50_000) })),
  }
}
