import { kernelOf } from '../agent/index.ts'
import type { AgentService, ServiceAs } from '../agent/index.ts'
import { MandateError, toPlain } from '../core/index.ts'
import type { Mind } from '../run/index.ts'
import type { EvalReport } from './report.ts'

/** The name of the mind whose runs keep reports. */
const EVAL_MIND = 'mandate-eval'

/**
 * A report is kept as a run: its input is the report. So every store has it, it is redacted, chained, exported and verified like any other run, and
 * only those who may read journals see it.
 */
const mind: Mind = {
  kind: 'program',
  name: EVAL_MIND,
  async start(input) {
    const { ok, total } = input as unknown as EvalReport
    return { ok, passed: total.passed, attempts: total.attempts, rate: total.rate }
  },
}

/** Lets a service resume and replay the runs that keep reports. */
export function registerEvalMind(service: AgentService): void {
  kernelOf(service).registry.registerMind(mind, { override: true })
}

/** Keeps a report in the store of a service, and returns it. */
export async function keepReport(service: AgentService, report: EvalReport): Promise<EvalReport> {
  registerEvalMind(service)
  const input = toPlain(report).value
  const outcome = await kernelOf(service).run({ kind: 'program', name: EVAL_MIND, runId: report.id, input })
  if (outcome.state === 'completed') return report
  throw new MandateError('STORE_FAILED', `The report of the eval "${report.name}" could not be kept: ${outcome.state}.`)
}

/** One line about an eval. */
export type EvalSummary = Pick<
  EvalReport,
  'id' | 'name' | 'agent' | 'startedAt' | 'finishedAt' | 'ok' | 'replayed' | 'left' | 'total'
> & { readonly regressions: number | null }

/** A service, or its view for one identity, which sees only the runs that it may read. */
type Reader = Pick<ServiceAs, 'runs' | 'entries'>

const LIST_LIMIT = 100

/**
 * The evals whose reports a service keeps and the caller may read, newest first.
 *
 * @example
 * ```ts
 * import { AgentService } from 'mandate'
 * import { listEvals, readEval } from 'mandate/evals'
 * const service = new AgentService()
 * for (const { id, name, total } of await listEvals(service)) console.log(name, total.rate, (await readEval(service, id)).tasks.length)
 * ```
 */
export async function listEvals(
  service: Reader,
  { limit = LIST_LIMIT }: { readonly limit?: number | undefined } = {},
): Promise<readonly EvalSummary[]> {
  const runs = await service.runs({ name: EVAL_MIND, limit })
  const reports = await Promise.all(runs.filter(({ erased }) => !erased).map(({ run }) => reportIn(service, run)))
  return reports.flatMap((report) => (report === undefined ? [] : [summaryOf(report)]))
}

/** The report of one eval. */
export async function readEval(service: Reader, id: string): Promise<EvalReport> {
  const report = await reportIn(service, id).catch((error: unknown) => {
    if (MandateError.isInstance(error) && error.code === 'NOT_FOUND') return undefined
    throw error
  })
  if (report !== undefined) return report
  throw new MandateError(
    'NOT_FOUND',
    `There is no report of an eval "${id}" here, or it was erased. List the reports with: mandate eval list`,
  )
}

async function reportIn(service: Reader, run: string): Promise<EvalReport | undefined> {
  for await (const { type, data } of service.entries(run)) {
    if (type !== 'run-start' || data?.mind !== 'program' || data.name !== EVAL_MIND) return undefined
    return data.input as unknown as EvalReport
  }
  return undefined
}

function summaryOf({ comparison, ...report }: EvalReport): EvalSummary {
  const { id, name, agent, startedAt, finishedAt, ok, replayed, left, total } = report
  const regressions = comparison?.regressions.length ?? null
  return { id, name, agent, startedAt, finishedAt, ok, replayed, left, total, regressions }
}
