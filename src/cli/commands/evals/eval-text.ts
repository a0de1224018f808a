import { describeAttempt } from '../../../evals/index.ts'
import type {
  BenchmarkReport,
  CallSummary,
  EvalAttempt,
  EvalReport,
  EvalSummary,
  Figures,
  RunMetrics,
} from '../../../evals/index.ts'
import { block, figureTable, moment } from '../../terminal/layout.ts'
import { count } from '../../output.ts'
import { ownCommand } from '../../help/own-command.ts'

interface Rate {
  readonly passed: number
  readonly attempts: number
  readonly rate: number
  readonly low: number
  readonly high: number
}

/** Formats a rate with its confidence interval: `90 % (60–98)`. */
function rateText({ attempts, rate, low, high }: Rate): string {
  return attempts === 0 ? '–' : `${percent(rate)} % (${percent(low)}–${percent(high)})`
}

function percent(share: number): string {
  return (share * 100).toFixed(0)
}

/** Formats a duration: `350 ms`, `2.4 s`. */
function timeText(ms: number): string {
  return ms < 1_000 ? `${ms.toFixed(0)} ms` : `${(ms / 1_000).toFixed(1)} s`
}

function costText(cost: number | undefined): string {
  return cost === undefined ? 'unknown' : `$${cost.toFixed(4)}`
}

/** The columns of a row: turns per attempt, failed tool calls of all, tokens, cost, and median duration. */
const HEAD = ['steps', 'errors', 'tokens', 'cost', 'time'] as const

function figureCells({ steps, toolCalls, toolErrors, totalTokens, cost, durationMs }: Figures): readonly string[] {
  return [steps.toFixed(1), `${toolErrors}/${toolCalls}`, String(totalTokens), costText(cost), timeText(durationMs.p50)]
}

/** Formats the progress line of one attempt. */
export function attemptText({ task, attempt, passed, steps, tokens, durationMs, checks }: EvalAttempt): string {
  const why = checks.find((check) => !check.passed)
  const took = `${count(steps, 'turn')}, ${count(tokens, 'token')}, ${timeText(durationMs)}`
  return `${passed ? 'passed' : 'failed'} ${task} #${attempt} (${took})${why === undefined ? '' : `: ${why.name}`}`
}

/** Formats a report as text. */
export function reportText(report: EvalReport): string {
  const { total, tasks, attempts, left, replayed, id, judge } = report
  const rows = tasks.map((task) => [
    task.task,
    `${task.passed}/${task.attempts}`,
    rateText(task),
    ...figureCells(task.figures),
  ])
  const failed = attempts.filter(({ passed }) => !passed)
  return [
    figureTable(['task', 'passed', 'rate (95 %)', ...HEAD], rows),
    '',
    `${report.name}: ${total.passed} of ${count(total.attempts, 'attempt')} passed, ${rateText(total)}${replayed ? ', from cassettes' : ''}`,
    ...toolLines(total.figures),
    ...(judge === undefined ? [] : [`judging took ${count(judge.totalTokens, 'token')}, ${costText(judge.cost)}`]),
    ...(left === 0 ? [] : [`${count(left, 'attempt')} not made: the eval was cut short`]),
    ...(failed.length === 0
      ? []
      : ['', 'failed:', ...failed.flatMap((attempt) => block(describeAttempt(attempt), ''))]),
    ...comparisonLines(report),
    '',
    `stored as ${id}`,
    `show it again: ${ownCommand()} eval show ${id}`,
  ].join('\n')
}

/** Lists regressions and improvements compared with the baseline. */
function comparisonLines({ comparison, tasks }: EvalReport): readonly string[] {
  if (comparison === undefined) return []
  const { regressions, improvements, added, missing } = comparison
  const line =
    (word: string) =>
    ({ task, what, before, now }: (typeof regressions)[number]) =>
      `  ${word} ${task}: ${what} ${shown(before)} → ${shown(now)}`
  return [
    '',
    regressions.length === 0
      ? 'no regression against the baseline'
      : `${count(regressions.length, 'regression')} against the baseline:`,
    ...regressions.map(line('worse ')),
    ...improvements.map(line('better')),
    ...tasks
      .filter(({ task }) => added.includes(task))
      .map(({ task, passed, attempts }) => `  new    ${task}: not in the baseline, ${passed} of ${attempts} passed`),
    ...(missing.length === 0 ? [] : [`  not run: ${missing.join(', ')}`]),
  ]
}

function shown(value: number): string {
  return String(Number(value.toPrecision(3)))
}

function toolLines({ tools, models }: Figures): readonly string[] {
  const rows = [
    ...Object.entries(tools).map(([name, calls]): [string, CallSummary] => [`tool ${name}`, calls]),
    ['models', models] as const,
  ]
  return rows.map(
    ([name, { calls, errors, latencyMs }]) =>
      `  ${name}: ${count(calls, 'call')}, ${count(errors, 'error')}, ${timeText(latencyMs.p50)} (p95 ${timeText(latencyMs.p95)})`,
  )
}

/** Formats a comparison of variants. */
export function benchmarkText({ variants }: BenchmarkReport): string {
  const rows = variants.map(({ variant, report: { total } }) => [
    variant,
    `${total.passed}/${total.attempts}`,
    rateText(total),
    ...figureCells(total.figures),
  ])
  return figureTable(['variant', 'passed', 'rate (95 %)', ...HEAD], rows)
}

export const EVAL_HEADS = ['report', 'state', 'rate', 'ended', 'eval'] as const

/** Formats a report as one row. */
export function evalRow({ id, name, ok, total, finishedAt }: EvalSummary, now: number): readonly string[] {
  return [id, ok ? 'ok' : 'failed', rateText(total), moment(Date.parse(finishedAt), now), name]
}

/** Formats the metrics of recorded runs. */
export function metricsText({ success, states, figures }: RunMetrics): string {
  const counted = Object.entries(states).map(([state, number]) => `${number} ${state}`)
  const { steps, inputTokens, outputTokens, cost, durationMs, toolCalls, toolErrors } = figures
  return [
    `runs          ${figures.runs}${counted.length === 0 ? '' : ` (${counted.join(', ')})`}`,
    `success rate  ${rateText(success)}`,
    `steps         ${steps.toFixed(1)} per run`,
    `tools         ${count(toolCalls, 'call')}, ${count(toolErrors, 'error')}`,
    `tokens        ${inputTokens} in, ${outputTokens} out`,
    `cost          ${costText(cost)}`,
    `time          ${timeText(durationMs.p50)} (p95 ${timeText(durationMs.p95)})`,
    ...toolLines(figures),
  ].join('\n')
}
