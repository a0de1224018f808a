import { SCHEDULE_MIND } from '../agent/index.ts'
import { checkFields, checkNumbers } from '../core/index.ts'
import type { FieldNames } from '../core/index.ts'
import { isEnded, isServiceJournal } from '../journal/index.ts'
import type { Journal, RunSummary } from '../journal/index.ts'
import { sumFigures } from './figures.ts'
import type { Figures } from './figures.ts'
import { runFigures } from './run-figures.ts'
import { successRate } from './success-rate.ts'
import type { SuccessRate } from './success-rate.ts'

/** Figures over recorded runs. */
export interface RunMetrics {
  /** The share of completed runs among those that have ended. */
  readonly success: SuccessRate
  /** Number of runs in each state. */
  readonly states: { readonly [state: string]: number }
  readonly figures: Figures
}

/** Selects the runs. */
interface MetricsFilter {
  /** Runs of this agent, program or graph. */
  readonly name?: string | undefined
  readonly sessionId?: string | undefined
  /** Runs created at this time or later, in milliseconds since 1970. */
  readonly since?: number | undefined
  /** Maximum number of runs, newest first; 1,000 when absent. */
  readonly limit?: number | undefined
}

const METRICS_FILTER: FieldNames<MetricsFilter> = { name: 'text', sessionId: 'text', since: true, limit: 'number' }

const LIMIT = 1_000

/**
 * Aggregates recorded runs: success rate, steps, tool errors and latencies, tokens, cost. A run is counted together with its child runs.
 *
 * @example
 * ```ts
 * import { AgentService } from 'mandate'
 * import { runMetrics } from 'mandate/evals'
 * const service = new AgentService()
 * const { success, figures } = await runMetrics(service.journal, { name: 'weather' })
 * console.log(success.rate, figures.toolErrors, figures.cost)
 * ```
 */
export async function runMetrics(journal: Journal, filter: MetricsFilter = {}): Promise<RunMetrics> {
  checkFields(filter, 'a filter of metrics', METRICS_FILTER, 'INPUT_INVALID')
  checkNumbers(filter, 'a filter of metrics', { since: 'amount', limit: 'count+' }, 'INPUT_INVALID')
  const { name, sessionId, since = 0, limit = LIMIT } = filter
  const listed = [
    ...(await journal.list({ name, sessionId, parent: null, limit })),
    ...(await scheduledRuns(journal, filter)),
  ]
  const runs = listed
    .filter((run) => isCounted(run) && run.createdAt >= since)
    .toSorted((a, b) => b.createdAt - a.createdAt)
    .slice(0, limit)
  const figures = []
  // One after the other: reading them concurrently would hold the journals of many runs in memory.
  for (const { run } of runs) figures.push(await runFigures(journal, run))
  const ended = runs.filter(({ state }) => isEnded(state))
  const states: Record<string, number> = {}
  for (const { state } of runs) states[state] = (states[state] ?? 0) + 1
  return {
    success: successRate(ended.filter(({ state }) => state === 'completed').length, ended.length),
    states,
    figures: sumFigures(figures),
  }
}

/** Returns the runs that schedules started: child runs of the schedule's run, which only waits and is not counted itself. */
async function scheduledRuns(
  journal: Journal,
  { name, sessionId, limit = LIMIT }: MetricsFilter,
): Promise<readonly RunSummary[]> {
  const schedules = await journal.list({ name: SCHEDULE_MIND, parent: null, limit })
  const found: RunSummary[] = []
  for (const { run } of schedules) found.push(...(await journal.list({ name, sessionId, parent: run, limit })))
  return found
}

/** Whether a run is counted. Runs of the package itself did no requested work: reports of evals, schedules, webhooks, reviews of graphs. */
function isCounted({ run, mind, name, erased }: RunSummary): boolean {
  const isOwn = mind === 'program' && name.startsWith(OWN_NAMES)
  return !isOwn && !isServiceJournal(run) && !erased
}

/** Prefix of the names of the package's own minds. */
const OWN_NAMES = 'mandate-'
