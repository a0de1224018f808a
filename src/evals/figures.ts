import type { RunFigures } from './run-figures.ts'

/** The median and the 95th percentile. */
interface Spread {
  readonly p50: number
  readonly p95: number
}

/** Calls of one tool, or of models, over several runs. */
export interface CallSummary {
  readonly calls: number
  readonly errors: number
  readonly latencyMs: Spread
}

/** Aggregated figures of several runs. */
export interface Figures {
  readonly runs: number
  /** Mean number of turns per run. */
  readonly steps: number
  readonly toolCalls: number
  readonly toolErrors: number
  readonly tools: { readonly [name: string]: CallSummary }
  readonly models: CallSummary
  readonly durationMs: Spread
  readonly inputTokens: number
  readonly outputTokens: number
  readonly totalTokens: number
  /** In US dollars; absent when a price is unknown. */
  readonly cost?: number | undefined
}

/** Aggregates the figures of several runs. Tokens and cost are sums; steps are a mean; times are the median and the 95th percentile. */
export function sumFigures(runs: readonly RunFigures[]): Figures {
  const tools = [...toolsOf(runs)].toSorted(([a], [b]) => (a < b ? -1 : 1))
  const summaries = Object.fromEntries(tools.map(([name, calls]) => [name, summaryOf(calls)]))
  const inputTokens = sum(runs.map((run) => run.inputTokens))
  const outputTokens = sum(runs.map((run) => run.outputTokens))
  const costs = runs.map(({ cost }) => cost)
  return {
    runs: runs.length,
    steps: runs.length === 0 ? 0 : sum(runs.map(({ steps }) => steps)) / runs.length,
    toolCalls: sum(Object.values(summaries).map(({ calls }) => calls)),
    toolErrors: sum(Object.values(summaries).map(({ errors }) => errors)),
    tools: summaries,
    models: summaryOf(runs.map(({ models }) => models)),
    durationMs: spreadOf(runs.map(({ activeMs }) => activeMs)),
    inputTokens,
    outputTokens,
    totalTokens: inputTokens + outputTokens,
    ...(costs.every((cost) => cost !== undefined) ? { cost: sum(costs) } : {}),
  }
}

type Calls = RunFigures['models']

function toolsOf(runs: readonly RunFigures[]): Map<string, Calls[]> {
  const tools = new Map<string, Calls[]>()
  for (const run of runs) for (const [name, calls] of run.tools) tools.set(name, [...(tools.get(name) ?? []), calls])
  return tools
}

function summaryOf(calls: readonly Calls[]): CallSummary {
  return {
    calls: sum(calls.map((one) => one.calls)),
    errors: sum(calls.map((one) => one.errors)),
    latencyMs: spreadOf(calls.flatMap(({ durations }) => durations)),
  }
}

/** Returns the median and the 95th percentile by nearest rank; 0 for no values. */
export function spreadOf(values: readonly number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b)
  const at = (share: number): number => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0
  return { p50: at(0.5), p95: at(0.95) }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0)
}
