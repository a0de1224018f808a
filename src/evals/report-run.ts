import { kernelOf } from '../agent/index.ts'
import type { AgentService, ServiceAs } from '../agent/index.ts'
import { MandateError, toPlain } from '../core/index.ts'
import { EVAL_REPORT as EVAL_MIND } from '../journal/index.ts'
import type { Mind } from '../run/index.ts'
import type { EvalReport } from './report.ts'

/**
 * Stores a report as the input of a run. Reports thus work with every store; they are redacted, hash-chained, exported and verified like any other run, and can
 * only be read with the permission to read journals.
 */
const mind: Mind = {
  kind: 'program',
  name: EVAL_MIND,
  async start(input) {
    const { ok, total } = input as unknown as EvalReport
    return { ok, passed: total.passed, attempts: total.attempts, rate: total.rate }
  },
}

/** Registers the mind, so that a service can resume and replay the runs that store reports. */
export function registerEvalMind(service: AgentService): void {
  kernelOf(service).registry.registerMind(mind, { override: true })
}

/** Stores a report in the store of a service, and returns it. */
export async function keepReport(service: AgentService, report: EvalReport): Promise<EvalReport> {
  registerEvalMind(service)
  const input = toPlain(report).value
  const outcome = await kernelOf(service).run({ kind: 'program', name: EVAL_MIND, runId: report.id, input })
  if (outcome.state === 'completed') return report
  throw new MandateError('STORE_FAILED', `The report of the eval "${report.name}" could not be kept: ${outcome.state}.`)
}

/** The summary of an eval in a list. */
export type EvalSummary = Pick<
  EvalReport,
  'id' | 'name' | 'agent' | 'startedAt' | 'finishedAt' | 'ok' | 'replayed' | 'left' | 'total'
> & { readonly regressions: number | null }

/** A service, or its view for one identity, which contains only the runs that the identity may read. */
type Reader = Pick<ServiceAs, 'runs' | 'entries'>

const LIST_LIMIT = 100

/**
 * Lists the evals whose reports the service stores and the caller may read, newest first.
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

/** Returns the report of one eval. Throws if there is none. */
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
