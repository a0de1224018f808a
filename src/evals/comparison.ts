import { MandateError, checkFields, checkNumbers, isRecord } from '../core/index.ts'
import type { FieldNames } from '../core/index.ts'
import { successRate } from './success-rate.ts'
import type { Figures } from './figures.ts'
import type { EvalReport } from './report.ts'
import type { EvalTolerance } from './suite.ts'

/** The result of a task when the baseline was recorded. Figures are per attempt. */
type BaselineTask = {
  readonly passed: number
  readonly attempts: number
  readonly steps: number
  readonly tokens: number
  readonly cost?: number | undefined
  readonly durationMs: number
}

/** The recorded result of an eval, with which later ones are compared. It is small and readable, to be committed. */
export type EvalBaseline = {
  readonly format: 'mandate-eval-baseline'
  readonly version: 1
  readonly name: string
  readonly recordedAt: string
  readonly tasks: { readonly [task: string]: BaselineTask }
}

/** A difference from the baseline. */
type Difference = {
  readonly task: string
  readonly what: 'success' | keyof EvalTolerance
  readonly before: number
  readonly now: number
}

/** The differences of a report from a baseline. */
export interface Comparison {
  /** Differences that are worse beyond chance, or beyond their tolerance. */
  readonly regressions: readonly Difference[]
  readonly improvements: readonly Difference[]
  /** Tasks that the baseline does not have. */
  readonly added: readonly string[]
  /** Tasks of the baseline that were not run. */
  readonly missing: readonly string[]
}

/** Returns the part of a report that later ones are compared with. */
export function baselineOf(report: Pick<EvalReport, 'name' | 'finishedAt' | 'tasks'>): EvalBaseline {
  const tasks = report.tasks.map(({ task, passed, attempts, figures }): [string, BaselineTask] => [
    task,
    { passed, attempts, ...perAttempt(figures) },
  ])
  return {
    format: 'mandate-eval-baseline',
    version: 1,
    name: report.name,
    recordedAt: report.finishedAt,
    tasks: Object.fromEntries(tasks.toSorted(([a], [b]) => (a < b ? -1 : 1))),
  }
}

const BASELINE: FieldNames<EvalBaseline> = {
  format: true,
  version: 'number',
  name: 'text',
  recordedAt: 'text',
  tasks: true,
}

/** Validates a baseline. */
export function checkBaseline(value: unknown, what: string): EvalBaseline {
  if (isRecord(value) && value['format'] === 'mandate-eval-baseline') {
    checkFields(value, 'a field of a baseline', BASELINE)
    if (value['version'] === 1 && isRecord(value['tasks'])) {
      for (const [id, task] of Object.entries(value['tasks'])) checkBaselineTask(id, task, what)
      return value as unknown as EvalBaseline
    }
    throw new MandateError('VERSION_UNSUPPORTED', `${what} is a baseline of another version. Record it again.`)
  }
  throw new MandateError('CONFIG_INVALID', `${what} is no baseline of an eval. Record one with --update-baseline.`)
}

const FIGURES = { passed: 'count', attempts: 'count', steps: 'amount', tokens: 'amount', durationMs: 'amount' } as const

/** A missing or invalid figure would compare as "no worse", so a damaged baseline would let every regression pass. */
function checkBaselineTask(id: string, task: unknown, what: string): void {
  const where = `a figure of the task "${id}" in ${what}`
  checkFields(task, where, { ...FIGURES, cost: true })
  const given = (task ?? {}) as Readonly<Record<string, unknown>>
  checkNumbers(given, where, { ...FIGURES, cost: 'amount' })
  const missing = Object.keys(FIGURES).find((name) => given[name] === undefined)
  if (missing === undefined) return
  throw new MandateError(
    'CONFIG_INVALID',
    `The task "${id}" in ${what} has no \`${missing}\`. Record the baseline again with --update-baseline.`,
  )
}

/** Compares a report with a baseline. */
export function compareEvals(
  report: Pick<EvalReport, 'tasks' | 'replayed'>,
  baseline: EvalBaseline,
  tolerance: EvalTolerance = {},
): Comparison {
  const differences = report.tasks.flatMap((task) => {
    const before = Object.hasOwn(baseline.tasks, task.task) ? baseline.tasks[task.task] : undefined
    return before === undefined
      ? []
      : [...successDifference(task, before, report.replayed), ...figureDifferences(task, before, tolerance)]
  })
  const ran = report.tasks.map(({ task }) => task)
  return {
    regressions: differences.filter(({ isWorse }) => isWorse).map(({ isWorse: _worse, ...one }) => one),
    improvements: differences.filter(({ isWorse }) => !isWorse).map(({ isWorse: _worse, ...one }) => one),
    added: ran.filter((task) => !Object.hasOwn(baseline.tasks, task)),
    missing: Object.keys(baseline.tasks).filter((task) => !ran.includes(task)),
  }
}

type Judged = Difference & { readonly isWorse: boolean }
type TaskReport = EvalReport['tasks'][number]

/**
 * Compares success rates. Replayed attempts do not vary, so every change counts. Otherwise a change counts if neither confidence interval contains the other
 * rate, so that chance alone seldom fails a build.
 */
function successDifference(now: TaskReport, before: BaselineTask, replayed: boolean): readonly Judged[] {
  const then = successRate(before.passed, before.attempts)
  if (now.rate === then.rate || now.attempts === 0) return []
  const isBeyond =
    now.rate < then.rate ? now.high < then.rate && now.rate < then.low : now.low > then.rate && now.rate > then.high
  if (!replayed && !isBeyond) return []
  return [{ task: now.task, what: 'success', before: then.rate, now: now.rate, isWorse: now.rate < then.rate }]
}

function figureDifferences(now: TaskReport, before: BaselineTask, tolerance: EvalTolerance): readonly Judged[] {
  const measured = perAttempt(now.figures)
  return (['steps', 'tokens', 'cost', 'durationMs'] as const).flatMap((what) => {
    const [factor, was, is] = [tolerance[what], before[what], measured[what]]
    if (factor === undefined || was === undefined || is === undefined || is <= was * factor) return []
    return [{ task: now.task, what, before: was, now: is, isWorse: true }]
  })
}

function perAttempt({
  runs,
  steps,
  totalTokens,
  cost,
  durationMs,
}: Figures): Omit<BaselineTask, 'passed' | 'attempts'> {
  const share = Math.max(1, runs)
  return {
    steps,
    tokens: totalTokens / share,
    ...(cost === undefined ? {} : { cost: cost / share }),
    durationMs: durationMs.p50,
  }
}
