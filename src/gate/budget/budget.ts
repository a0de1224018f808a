import { checkNumbers, BUDGET_UNITS, MandateError, budgetLimits, checkFields } from '../../core/index.ts'
import type { BudgetLimits, BudgetUnit, FieldNames } from '../../core/index.ts'
import type { Spend } from '../../journal/index.ts'
import { amountOf, amountsOf, isAmount, limitsAsAmounts, natural, noAmounts, spendOf } from './amounts.ts'
import type { Amounts } from './amounts.ts'

/** A limit that a request would exceed. */
export interface LimitHit {
  readonly unit: BudgetUnit
  readonly limit: number
  readonly spent: number
  readonly reserved: number
  readonly wanted: number
  /** The output tokens that a model call reserves for its reply, if they are part of what is wanted. */
  readonly reply?: number | undefined
  /** Set if the limit is that of a parent run. */
  readonly inherited?: boolean | undefined
}

/** A reservation of budget, from before a call until its real cost is known. */
export interface Reservation {
  readonly budget: Budget
  readonly spend: Spend
  open: boolean
}

/** The share of a child run in another process. */
interface Allotment {
  /** The limits of the child's own budget: everything that is limited here is limited there. */
  readonly limits: BudgetLimits
  /** The amount to reserve here for it. */
  readonly spend: Spend
}

interface BudgetOptions {
  readonly parent?: Budget | undefined
  readonly elapsedMs?: (() => number) | undefined
  /** The depth of the run: one more than its parent's, zero without a parent. */
  readonly depth?: number | undefined
}

const BUDGET_OPTIONS: FieldNames<BudgetOptions> = { parent: 'object', elapsedMs: 'function', depth: true }

/** The index of each unit in `Amounts`. */
const INDEX: ReadonlyMap<string, number> = new Map(BUDGET_UNITS.map((unit, index) => [unit, index]))
const TIME: number = BUDGET_UNITS.indexOf('timeMs')
const DEPTH: number = BUDGET_UNITS.indexOf('depth')
/** The units in which the reply of a model counts. */
const OF_REPLIES: ReadonlySet<BudgetUnit> = new Set(['outputTokens', 'totalTokens', 'money'])
/** Memory is not a sum but the maximum of any one program. */
const MEMORY: number = BUDGET_UNITS.indexOf('memory')

/**
 * The budget of one run. Reserving takes the worst case before a call, at every level up to the root; settling replaces it with the real cost. Spent
 * plus reserved never exceeds a limit, because reserving is one synchronous step. (Only a call that cost more than its worst case can exceed a limit;
 * it is counted in full, and nothing fits any more.)
 */
export class Budget {
  limits: BudgetLimits = {}
  readonly parent: Budget | undefined
  readonly depth: number
  readonly #elapsed: () => number
  /** This budget and all budgets above it. */
  readonly #levels: readonly Budget[]
  #limits: Amounts = []
  /** Most runs have no limits, so that nothing has to be compared. */
  #hasLimits = false
  readonly #spent: Amounts = noAmounts()
  readonly #reserved: Amounts = noAmounts()

  constructor(limits: BudgetLimits = {}, options: BudgetOptions = {}) {
    checkFields(options, 'an option of a budget', BUDGET_OPTIONS)
    checkNumbers(options, 'an option of a budget', { depth: 'count' })
    this.parent = options.parent
    this.setLimits(limits)
    this.#levels = this.parent === undefined ? [this] : [this, ...this.parent.#levels]
    this.depth = options.depth ?? (this.parent === undefined ? 0 : this.parent.depth + 1)
    this.#elapsed = options.elapsedMs ?? ((): number => 0)
  }

  /** Replaces the limits. What was spent and reserved stays counted. */
  setLimits(limits: BudgetLimits): void {
    this.limits = budgetLimits(limits)
    this.#limits = limitsAsAmounts(this.limits)
    this.#hasLimits = Object.keys(this.limits).length > 0
  }

  /** The spend of this run and all runs below it. */
  get spent(): Spend {
    return { ...spendOf(this.#spent), timeMs: this.#elapsed() }
  }

  /** The reservations of calls in flight, in this run and below it. */
  get reserved(): Spend {
    return spendOf(this.#reserved)
  }

  /** The first limit, here or above, that `wanted` would exceed; `undefined` if it fits. */
  check(wanted: Spend): LimitHit | undefined {
    if (!this.#levels.some((level) => level.#hasLimits)) return undefined
    const amounts = amountsOf(wanted)
    for (const level of this.#levels) {
      const index = level.#firstPassed(amounts)
      if (index < 0) continue
      const spent = index === TIME ? level.#elapsed() : natural(level.#spent[index]!, index)
      const reserved = index === TIME ? 0 : natural(level.#reserved[index]!, index)
      const unit = BUDGET_UNITS[index]!
      const { outputTokens = 0 } = wanted
      const reply = OF_REPLIES.has(unit) && outputTokens > 0 ? { reply: outputTokens } : {}
      const hit = {
        unit,
        limit: level.limits[unit]!,
        spent,
        reserved,
        wanted: natural(amounts[index]!, index),
        ...reply,
      }
      return level === this ? hit : { ...hit, inherited: true }
    }
    return undefined
  }

  /** Milliseconds until the nearest time limit here or above; `undefined` without one. */
  timeLeft(): number | undefined {
    let left = Number.POSITIVE_INFINITY
    for (const level of this.#levels) left = Math.min(left, Math.max(0, level.#limits[TIME]! - level.#elapsed()))
    return left === Number.POSITIVE_INFINITY ? undefined : left
  }

  /** The maximum depth of a run below this one, counted from the root: the strictest of all levels. */
  depthMax(): number | undefined {
    let deepest = Number.POSITIVE_INFINITY
    for (const level of this.#levels) deepest = Math.min(deepest, level.depth + level.#limits[DEPTH]!)
    return deepest === Number.POSITIVE_INFINITY ? undefined : deepest
  }

  /** Whether this unit is limited here or above. */
  isLimited(unit: BudgetUnit): boolean {
    return this.limits[unit] !== undefined || this.parent?.isLimited(unit) === true
  }

  /** What is left of everything that is limited here or above. */
  remaining(): BudgetLimits {
    const left: { [U in BudgetUnit]?: number } = {}
    for (const [index, unit] of BUDGET_UNITS.entries()) {
      if (index === TIME || index === DEPTH || !this.isLimited(unit)) continue
      let least = Number.POSITIVE_INFINITY
      for (const level of this.#levels)
        least = Math.min(
          least,
          index === MEMORY
            ? level.#limits[index]!
            : level.#limits[index]! - level.#spent[index]! - level.#reserved[index]!,
        )
      left[unit] = natural(Math.max(0, least), index)
    }
    const timeMs = this.timeLeft()
    const deepest = this.depthMax()
    if (timeMs !== undefined) left.timeMs = timeMs
    if (deepest !== undefined) left.depth = Math.max(0, deepest - this.depth)
    return left
  }

  /**
   * The share of a child run in another process. Units that are limited here and not requested are passed on whole, because the child could not be
   * held to the limit otherwise. A request for more than is left is found by `check(allotment.spend)`.
   */
  allotment(wanted: BudgetLimits = {}): Allotment {
    const left = this.remaining()
    // The child itself takes one level of depth.
    const handed = left.depth === undefined ? left : { ...left, depth: Math.max(0, left.depth - 1) }
    const { timeMs, depth } = lowestLimits(wanted, handed)
    const { timeMs: _time, depth: _depth, ...spend } = { ...handed, ...budgetLimits(wanted) }
    return { limits: budgetLimits({ ...spend, timeMs, depth }), spend }
  }

  /** Reserves the worst case of a call, or throws LIMIT_EXCEEDED and reserves nothing. */
  reserve(spend: Spend): Reservation {
    const hit = this.check(spend)
    if (hit !== undefined) throw new MandateError('LIMIT_EXCEEDED', describeLimit(hit), { info: hit })
    return this.claim(spend)
  }

  /** Reserves without checking: for reservations that an earlier process left open. They stay counted. */
  claim(spend: Spend): Reservation {
    this.#count('reserved', spend, 1)
    return { budget: this, spend, open: true }
  }

  /** Replaces a reservation with the real spend, and returns what was counted. Settling again has no effect. */
  settle(claim: Reservation, actual: Spend): Spend {
    if (claim.budget !== this) throw new MandateError('INTERNAL', 'A claim is settled with the budget that gave it.')
    if (!claim.open) return {}
    claim.open = false
    const counted = credible(actual, claim.spend)
    this.#count('reserved', claim.spend, -1)
    this.#count('spent', counted, 1)
    return counted
  }

  /** Counts what was spent before this process, or outside any reservation. */
  add(actual: Spend): void {
    this.#count('spent', credible(actual, {}), 1)
  }

  /** Returns what was counted in advance and not used: the rest of a slice of fuel. */
  giveBack(unused: Spend): void {
    this.#count('spent', unused, -1)
  }

  #firstPassed(wanted: Amounts): number {
    for (let i = 0; i < wanted.length; i++) {
      const limit = this.#limits[i]!
      if (limit === Number.POSITIVE_INFINITY || i === DEPTH) continue
      if (i === TIME) {
        // Time passes without being reserved, so the limit is checked even if no time is wanted. The comparison is written so that a broken clock
        // fails closed.
        const spent = this.#elapsed()
        if (!(spent < limit && spent + wanted[i]! <= limit)) return i
      } else if (i === MEMORY) {
        if (wanted[i]! > limit) return i
      } else if (wanted[i]! > 0 && this.#spent[i]! + this.#reserved[i]! + wanted[i]! > limit) return i
    }
    return -1
  }

  #count(where: 'spent' | 'reserved', spend: Spend, sign: 1 | -1): void {
    for (const unit of Object.keys(spend)) {
      const i = INDEX.get(unit)
      const given = spend[unit as BudgetUnit]
      if (i === undefined || given === undefined) continue
      const amount = sign * amountOf(given, i)
      if (i === MEMORY) {
        if (where === 'spent') for (const level of this.#levels) level.#spent[i] = Math.max(level.#spent[i]!, amount)
        continue
      }
      for (const level of this.#levels) (where === 'spent' ? level.#spent : level.#reserved)[i]! += amount
    }
  }
}

/**
 * A reported cost, or the worst case in place of an invalid (negative or non-numeric) one. If the worst case is unknown too, the cost is infinite:
 * what cannot be counted must not count as zero.
 */
function credible(actual: Spend, worst: Spend): Spend {
  if (isCredible(actual)) return actual
  const units = BUDGET_UNITS.filter((unit) => actual[unit] !== undefined)
  const counted = units.map((unit) => [
    unit,
    isAmount(actual[unit]) ? actual[unit] : (worst[unit] ?? Number.MAX_SAFE_INTEGER),
  ])
  return { ...Object.fromEntries(counted), estimated: true }
}

function isCredible(actual: Spend): boolean {
  for (const unit of Object.keys(actual)) {
    const given = actual[unit as BudgetUnit]
    if (unit !== 'estimated' && given !== undefined && !isAmount(given)) return false
  }
  return true
}

/** The intersection of several sets of limits: the lowest limit of each unit. */
export function lowestLimits(...sets: readonly (BudgetLimits | undefined)[]): BudgetLimits {
  const lowest: { [U in BudgetUnit]?: number } = {}
  for (const set of sets) {
    for (const unit of BUDGET_UNITS) {
      const limit = set?.[unit]
      if (limit !== undefined && !(limit >= (lowest[unit] ?? Number.POSITIVE_INFINITY))) lowest[unit] = limit
    }
  }
  return budgetLimits(lowest)
}

/** Describes a limit: its name, its value, what it is compared with, and how to raise it. */
export function describeLimit(hit: LimitHit): string {
  const name = `\`budget.${hit.unit}\``
  const whose = hit.inherited === true ? ' of a run above this one' : ''
  const reserved = hit.reserved > 0 ? `, ${round(hit.reserved)} reserved` : ''
  const { reply } = hit
  const reserve =
    reply === undefined
      ? ''
      : `, with a reserve of ${reply} output tokens for the reply (\`maxTokens\` of the agent or \`maxOutputTokens\` of the request lowers it)`
  return `The limit ${name}${whose} is ${hit.limit}: ${round(hit.spent)} spent${reserved}, ${round(hit.wanted)} more wanted${reserve}. Raise ${name} to allow it.`
}

function round(amount: number): number {
  return Math.round(amount * 1e6) / 1e6
}
