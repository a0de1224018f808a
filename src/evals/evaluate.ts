import { AgentService, evaluationService, kernelOf } from '../agent/index.ts'
import type { AgentConfig } from '../agent/index.ts'
import { MandateError, checkFields, checkNumbers, newId } from '../core/index.ts'
import type { FieldNames } from '../core/index.ts'
import type { CassetteMode } from '../model/index.ts'
import { makeAttempt } from './attempt.ts'
import type { AttemptMade, Bench } from './attempt.ts'
import { cassettesOf, checkMode } from './cassettes.ts'
import { checkBaseline, compareEvals } from './comparison.ts'
import type { Comparison, EvalBaseline } from './comparison.ts'
import { sumFigures } from './figures.ts'
import { registerJudge } from './judge.ts'
import { sumAttempts } from './report.ts'
import type { EvalAttempt, EvalReport } from './report.ts'
import { keepReport } from './report-run.ts'
import { runFigures } from './run-figures.ts'
import { agentOf, defineEval, readyTasks } from './suite.ts'
import type { EvalSuite, ReadyTask } from './suite.ts'

/** Options of running a suite. */
export interface EvalOptions {
  /** Service with the agents and rules of the attempts, which stores the report. When absent, a service in memory that ends with the eval. */
  readonly service?: AgentService | undefined
  /** Attempts per task; overrides the suite and its tasks. */
  readonly repeat?: number | undefined
  /** Attempts at the same time; overrides the suite. */
  readonly concurrency?: number | undefined
  /** Runs only tasks with one of these tags. */
  readonly tags?: readonly string[] | undefined
  /** The baseline to compare with. */
  readonly baseline?: EvalBaseline | undefined
  /** Whether cassettes in a folder are recorded, replayed or not used; when absent, `MANDATE_CASSETTE` and the existing files decide. */
  readonly mode?: CassetteMode | undefined
  /** Once it is aborted, no attempt starts, and running ones are cancelled. */
  readonly signal?: AbortSignal | undefined
  /** Called after each attempt. */
  readonly onAttempt?: ((attempt: EvalAttempt) => void) | undefined
}

const EVAL_OPTIONS: FieldNames<EvalOptions> = {
  service: true,
  repeat: true,
  concurrency: true,
  tags: 'list',
  baseline: true,
  mode: 'text',
  signal: 'object',
  onAttempt: 'function',
}

/**
 * Runs every task of a suite as often as specified, checks the results and aggregates them: success rate with its confidence interval, steps, tool errors,
 * latencies, tokens and cost. Attempts are runs in memory: they are in no list or inbox of the service, and end with the eval. The report is kept in its store.
 *
 * @example
 * ```ts
 * import { assertEval, evaluate } from 'mandate/evals'
 * import { scripted } from 'mandate/model'
 * const report = await evaluate({
 *   name: 'weather',
 *   agent: { id: 'weather', model: scripted(() => 'It is grey.') },
 *   tasks: [{ id: 'oslo', input: 'How is Oslo?', checks: ["text.includes('grey')"], repeat: 3 }],
 * })
 * assertEval(report)
 * ```
 */
export async function evaluate(suite: EvalSuite, options: EvalOptions = {}): Promise<EvalReport> {
  checkFields(options, 'an option of `evaluate`', EVAL_OPTIONS)
  checkNumbers(options, 'an option of `evaluate`', { repeat: 'count+', concurrency: 'count+' })
  if (options.baseline !== undefined) checkBaseline(options.baseline, 'The `baseline`')
  const tasks = readyTasks(defineEval(suite), options.tags)
  checkMode(suite, options.mode)
  const agent = agentOf(suite)
  const { service = serviceFor(agent, suite.name) } = options
  try {
    return await evaluateIn(service, { suite, tasks, agent, options })
  } finally {
    if (options.service === undefined) await service.stop()
  }
}

function serviceFor(agent: string | AgentConfig, name: string): AgentService {
  if (typeof agent !== 'string') return new AgentService()
  throw new MandateError(
    'CONFIG_INVALID',
    `The eval "${name}" names its agent by the id "${agent}". Give the \`service\` that has it, or the configuration of the agent.`,
  )
}

interface Evaluation {
  readonly suite: EvalSuite
  readonly tasks: readonly ReadyTask[]
  readonly agent: string | AgentConfig
  readonly options: EvalOptions
}

async function evaluateIn(service: AgentService, { suite, tasks, agent, options }: Evaluation): Promise<EvalReport> {
  const { clock, random } = kernelOf(service)
  const evalId = newId('eval', clock, random)
  const apart = evaluationService(service)
  const startedAt = iso(clock.now())
  try {
    const bench: Bench = {
      ...{ suite, service: apart, evalId, signal: options.signal },
      agentId: typeof agent === 'string' ? apart.agent(agent).id : registered(apart, agent, suite.name),
      judgeId: judgeFor(apart, suite, tasks, evalId),
      open: cassettesOf(suite, options.mode),
    }
    const planned = plan(tasks, suite, options.repeat)
    const made = await makeAll(bench, planned, options)
    const summed = sumAttempts(made, tasks)
    const replayed = made.length > 0 && made.every(({ mode }) => mode === 'replay')
    const comparison = options.baseline && compareEvals({ ...summed, replayed }, options.baseline, suite.tolerance)
    return await keepReport(service, {
      ...{ id: evalId, name: suite.name, agent: bench.agentId, startedAt, finishedAt: iso(clock.now()) },
      ...{ replayed, left: planned.length - made.length, ...summed },
      ...(await judgeFigures(apart, made)),
      ...(comparison === undefined ? {} : { comparison }),
      ok:
        isEnough(suite, summed, comparison) &&
        made.length === planned.length &&
        (comparison?.regressions.length ?? 0) === 0,
    })
  } finally {
    await apart.stop()
  }
}

function registered(service: AgentService, agent: AgentConfig, name: string): string {
  try {
    return service.register(agent).id
  } catch (cause) {
    if (!MandateError.isInstance(cause) || cause.code !== 'DUPLICATE') throw cause
    const id = agent.id ?? agent.name
    throw new MandateError(
      'DUPLICATE',
      `The \`service\` of the eval "${name}" already has an agent "${id}". Give the eval its id: \`agent: '${id}'\`.`,
      { cause },
    )
  }
}

/**
 * Whether the success rates are sufficient. Tasks that the baseline does not have must meet the threshold by themselves, as in an eval without a baseline:
 * otherwise a new task that fails would count as a success.
 */
function isEnough(
  { threshold }: EvalSuite,
  { total, tasks }: Pick<EvalReport, 'total' | 'tasks'>,
  comparison: Comparison | undefined,
): boolean {
  if (comparison === undefined) return total.rate >= (threshold ?? 1)
  const added = tasks.filter(({ task }) => comparison.added.includes(task))
  const [passed, attempts] = [sumOf(added, 'passed'), sumOf(added, 'attempts')]
  return total.rate >= (threshold ?? 0) && passed >= attempts * (threshold ?? 1)
}

function sumOf(tasks: EvalReport['tasks'], field: 'passed' | 'attempts'): number {
  return tasks.reduce((sum, task) => sum + task[field], 0)
}

function judgeFor(
  service: AgentService,
  { name, judge }: EvalSuite,
  tasks: readonly ReadyTask[],
  evalId: string,
): string | undefined {
  if (!tasks.some(({ checks }) => checks.some(({ needsJudge }) => needsJudge))) return undefined
  if (judge !== undefined) return registerJudge(service, judge, evalId)
  throw new MandateError(
    'CONFIG_INVALID',
    `The eval "${name}" has checks with \`judge\`, and no model for them. Add \`judge\`.`,
  )
}

interface Planned {
  readonly task: ReadyTask
  readonly attempt: number
}

function plan(tasks: readonly ReadyTask[], suite: EvalSuite, repeat: number | undefined): readonly Planned[] {
  return tasks.flatMap((task) => {
    const times = repeat ?? task.repeat ?? suite.repeat ?? 1
    return Array.from({ length: times }, (_, at) => ({ task, attempt: at + 1 }))
  })
}

/** Makes the attempts with limited concurrency; the results are in the order of the plan. */
async function makeAll(
  bench: Bench,
  planned: readonly Planned[],
  options: EvalOptions,
): Promise<readonly AttemptMade[]> {
  const { concurrency = bench.suite.concurrency ?? 1, signal, onAttempt } = options
  const made: (AttemptMade | undefined)[] = planned.map(() => undefined)
  const rest = planned.entries()
  const isCut = (): boolean => signal?.aborted === true
  const work = async (): Promise<void> => {
    for (const [at, { task, attempt }] of rest) {
      if (isCut()) return
      const one = await makeAttempt(bench, task, attempt)
      // A cancelled attempt is no evidence about the agent.
      if (isCut()) return
      made[at] = one
      onAttempt?.(one.attempt)
    }
  }
  await Promise.all(Array.from({ length: Math.min(concurrency, planned.length) }, work))
  return made.filter((one) => one !== undefined)
}

async function judgeFigures(
  { journal }: AgentService,
  made: readonly AttemptMade[],
): Promise<Pick<EvalReport, 'judge'>> {
  const runs = made.flatMap(({ judged }) => judged)
  if (runs.length === 0) return {}
  return { judge: sumFigures(await Promise.all(runs.map((run) => runFigures(journal, run)))) }
}

function iso(at: number): string {
  return new Date(at).toISOString()
}
