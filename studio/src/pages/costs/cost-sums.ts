/** The cost of the calls of one model in one run, as returned by `GET /api/costs`. */
export interface Cost {
  readonly run: string
  readonly agent: string
  readonly at: number
  readonly model: string
  readonly calls: number
  readonly money: number
  readonly inputTokens: number
  readonly outputTokens: number
  readonly cachedTokens: number
}

export interface Sum {
  readonly name: string
  readonly runs: number
  readonly calls: number
  readonly money: number
  readonly inputTokens: number
  readonly outputTokens: number
  readonly cachedTokens: number
}

/** Groups costs by a key and sums them, in descending order. */
export function sumsBy(costs: readonly Cost[], by: (cost: Cost) => string): readonly Sum[] {
  return Object.entries(Object.groupBy(costs, by))
    .map(([name, group = []]) => sumOf(name, group))
    .toSorted((a, b) => b.money - a.money || b.inputTokens - a.inputTokens || (a.name < b.name ? -1 : 1))
}

export function sumOf(name: string, costs: readonly Cost[]): Sum {
  const add = (amount: (cost: Cost) => number): number => costs.reduce((total, cost) => total + amount(cost), 0)
  return {
    name,
    runs: new Set(costs.map(({ run }) => run)).size,
    calls: add(({ calls }) => calls),
    money: add(({ money }) => money),
    inputTokens: add(({ inputTokens }) => inputTokens),
    outputTokens: add(({ outputTokens }) => outputTokens),
    cachedTokens: add(({ cachedTokens }) => cachedTokens),
  }
}

const DAY_MS = 86_400_000

/** Returns the local day of a time: `2026-11-16`. */
export function dayOf(at: number): string {
  const date = new Date(at)
  const two = (part: number): string => String(part).padStart(2, '0')
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
}

/** Returns all days from the first to the last cost, including days without costs, so that gaps are visible. Returns at most the latest `most` days. */
export function daysOf(costs: readonly Cost[], most = 31): readonly string[] {
  if (costs.length === 0) return []
  const times = costs.map(({ at }) => at)
  const last = dayOf(Math.max(...times))
  const days: string[] = []
  for (
    let at = Math.max(Math.min(...times), Math.max(...times) - (most - 1) * DAY_MS);
    days.at(-1) !== last;
    at += DAY_MS / 2
  )
    if (days.at(-1) !== dayOf(at)) days.push(dayOf(at))
  return days
}
