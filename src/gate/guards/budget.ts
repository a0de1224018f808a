import type { EffectKind } from '../../journal/index.ts'
import { describeLimit } from '../budget/budget.ts'
import type { GateView, Guard, GuardVerdict } from '../guard.ts'

const CHILD_KINDS: ReadonlySet<EffectKind> = new Set(['agent', 'program', 'cell', 'graph'])

/** Denies an effect whose worst case does not fit the budget. It only checks: the kernel reserves, and checks again when it does. */
export const budgetGuard: Guard = { name: 'budget', ignoresMandate: true, check: checkBudget }

function checkBudget({ effect, facts, budget, depth }: GateView): GuardVerdict {
  if (facts.unpriced !== undefined && budget.isLimited('money')) {
    return {
      verdict: 'deny',
      rule: 'price',
      code: 'PRICE_UNKNOWN',
      reason: `The price of ${facts.unpriced} is not known, so \`budget.money\` cannot be kept. Give its price (\`prices: withPrices(DEFAULT_PRICES, date, { '${facts.unpriced}': { inputPerMillion, outputPerMillion } })\`), refresh the table (\`mandate prices refresh --from https://models.dev/api.json\`), or limit tokens (\`budget.totalTokens\`) in place of money.`,
    }
  }
  const limit = CHILD_KINDS.has(effect.kind) ? budget.depthMax() : undefined
  const isTooDeep = limit !== undefined && depth + 1 > limit
  const hit = isTooDeep
    ? { unit: 'depth' as const, limit, spent: depth, reserved: 0, wanted: 1 }
    : budget.check(facts.worst)
  if (hit === undefined) return undefined
  return { verdict: 'deny', rule: hit.unit, code: 'LIMIT_EXCEEDED', reason: describeLimit(hit) }
}
