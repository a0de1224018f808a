import type { AgentStatus } from '../agent/index.ts'
import type { CheckResult } from './check.ts'
import type { Comparison } from './comparison.ts'
import { sumFigures } from './figures.ts'
import type { Figures } from './figures.ts'
import type { RunFigures } from './run-figures.ts'
import { successRate } from './success-rate.ts'
import type { SuccessRate } from './success-rate.ts'

/** One attempt at a task: its run, and the results of the checks. */
export interface EvalAttempt {
  readonly task: string
  /** Starts at 1. */
  readonly attempt: number
  /** Id of its run, which ended with the eval. */
  readonly run: string
  readonly status: AgentStatus | 'refused'
  /** Whether every check passed. */
  readonly passed: boolean
  /** The mean score of the checks. */
  readonly score: number
  readonly checks: readonly CheckResult[]
  /** The beginning of the answer. */
  readonly answer: string
  readonly steps: number
  readonly toolCalls: number
  readonly toolErrors: number
  readonly tokens: number
  readonly cost?: number | undefined
  readonly durationMs: number
  readonly error?: { readonly code: string; readonly message: string } | undefined
}

/** The attempts at one task. */
export interface EvalTaskReport extends SuccessRate {
  readonly task: string
  readonly tags: readonly string[]
  readonly score: number
  readonly figures: Figures
}

/** The result of an eval, as plain data. */
export interface EvalReport {
  /** Id of the run that stores the report. */
  readonly id: string
  readonly name: string
  readonly agent: string
  readonly startedAt: string
  readonly finishedAt: string
  /** Whether all attempts were replayed from cassettes, so that the same agent gives the same report. */
  readonly replayed: boolean
  /** Number of attempts that were not made, because the eval was aborted. */
  readonly left: number
  readonly total: SuccessRate & { readonly score: number; readonly figures: Figures }
  readonly tasks: readonly EvalTaskReport[]
  readonly attempts: readonly EvalAttempt[]
  /** Figures of the judge, which are not counted among those of the agent. */
  readonly judge?: Figures | undefined
  /** Differences from the baseline; absent when there is none. */
  readonly comparison?: Comparison | undefined
  /** Whether all attempts were made, the success rate is sufficient (`threshold`), and there is no regression against the baseline. */
  readonly ok: boolean
}

/** An attempt with the figures of its run. */
export interface MeasuredAttempt {
  readonly attempt: EvalAttempt
  readonly figures: RunFigures | undefined
}

interface Task {
  readonly id: string
  readonly tags?: readonly string[] | undefined
}

/** Aggregates attempts, for each task and in total. */
export function sumAttempts(
  measured: readonly MeasuredAttempt[],
  tasks: readonly Task[],
): Pick<EvalReport, 'total' | 'tasks' | 'attempts'> {
  return {
    total: sumOf(measured),
    tasks: tasks.map(({ id, tags = [] }) => ({
      task: id,
      tags,
      ...sumOf(measured.filter(({ attempt }) => attempt.task === id)),
    })),
    attempts: measured.map(({ attempt }) => attempt),
  }
}

function sumOf(measured: readonly MeasuredAttempt[]): EvalReport['total'] {
  const attempts = measured.map(({ attempt }) => attempt)
  const passed = attempts.filter((attempt) => attempt.passed).length
  const score = attempts.length === 0 ? 0 : attempts.reduce((sum, one) => sum + one.score, 0) / attempts.length
  const figures = measured.flatMap((one) => (one.figures === undefined ? [] : [one.figures]))
  return { ...successRate(passed, attempts.length), score, figures: sumFigures(figures) }
}
