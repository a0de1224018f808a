import { AssertionError } from 'node:assert'
import { checkFields, checkNumbers } from '../core/index.ts'
import type { FieldNames } from '../core/index.ts'
import type { EvalAttempt, EvalReport } from './report.ts'

interface AssertEvalOptions {
  /** The required success rate; overrides that of the suite. */
  readonly atLeast?: number | undefined
}

const ASSERT_OPTIONS: FieldNames<AssertEvalOptions> = { atLeast: true }

/** Maximum number of failed attempts in the error. */
const SHOWN = 10

/**
 * Throws unless an eval succeeded; the error lists what failed and why. For tests of any framework.
 *
 * @example
 * ```ts
 * import { test } from 'vitest'
 * import { assertEval, evaluate } from 'mandate/evals'
 * import { scripted } from 'mandate/model'
 * test('the agent tells the weather', async () => {
 *   const agent = { id: 'weather', model: scripted(() => 'It is grey.') }
 *   const tasks = [{ input: 'How is Oslo?', checks: ["text.includes('grey')"] }]
 *   assertEval(await evaluate({ name: 'weather', agent, tasks, repeat: 5 }), { atLeast: 0.8 })
 * })
 * ```
 */
export function assertEval(report: EvalReport, options: AssertEvalOptions = {}): void {
  checkFields(options, 'an option of `assertEval`', ASSERT_OPTIONS)
  checkNumbers(options, 'an option of `assertEval`', { atLeast: 'share' })
  const { atLeast } = options
  const { total, comparison } = report
  const regressions = comparison?.regressions ?? []
  const isOk = atLeast === undefined ? report.ok : total.rate >= atLeast && regressions.length === 0
  if (isOk) return
  const needed = atLeast === undefined ? '' : `, and ${atLeast} is needed`
  const lines = [
    `The eval "${report.name}" passed ${total.passed} of ${total.attempts} attempts${needed}.`,
    ...regressions.map(({ task, what, before, now }) => `  ${task}: ${what} was ${before} and is ${now}`),
    ...report.attempts
      .filter(({ passed }) => !passed)
      .slice(0, SHOWN)
      .map(describeAttempt),
  ]
  throw new AssertionError({
    message: lines.join('\n'),
    actual: total.rate,
    expected: atLeast ?? 1,
    operator: 'assertEval',
  })
}

/** Indents the lines of a reason below the first one, and drops empty ones. */
function indented(reason: string): string {
  return reason.trim().replaceAll(/\n\s*/g, '\n      ')
}

/** Describes why an attempt did not pass. */
export function describeAttempt({ task, attempt, status, checks, error }: EvalAttempt): string {
  const why = checks
    .filter(({ passed }) => !passed)
    .map(({ name, reason = 'failed' }) => `    ${name}: ${indented(reason)}`)
  const failure = error === undefined ? [] : [`    error[${error.code}] ${indented(error.message)}`]
  return [`  ${task} #${attempt} (${status})`, ...why, ...failure].join('\n')
}
