import type { AgentStatus } from '../agent/index.ts'
import type { CheckResult } from './check.ts'
import type { Comparison } from './comparison.ts'
import { sumFigures } from './figures.ts'
import type { Figures } from './figures.ts'
import type { RunFigures } from './run-figures.ts'
import { successRate } from './success-rate.ts'
import type { SuccessRate } from './success-rate.ts'

/** One attempt at a task: a run, and what the checks said of it. */
export interface EvalAttempt {
  readonly task: string
  /** From 1 up. */
  readonly attempt: number
  /** The run, which the store has. */
  readonly run: string
  readonly status: AgentStatus | 'refused'
  /** Every check passed. */
  readonly passed: boolean
  /** The mean of the scores of the checks. */
  readonly score: number
  readonly checks: readonly CheckResult[]
  /** How the answer begins. */
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

/** What an eval came to. All of it is plain data. */
export interface EvalReport {
  /** The run that keeps the report. */
  readonly id: string
  readonly name: string
  readonly agent: string
  readonly startedAt: string
  readonly finishedAt: string
  /** Every model and tool call was answered by a cassette: the same agent gives the same report. */
  readonly replayed: boolean
  /** Attempts that were not made, because the eval was cut short. */
  readonly left: number
  readonly total: SuccessRate & { readonly score: number; readonly figures: Figures }
  readonly tasks: readonly EvalTaskReport[]
  readonly attempts: readonly EvalAttempt[]
  /** What judging took, which is not counted among the figures of the agent. */
  readonly judge?: Figures | undefined
  /** How it differs from the baseline; absent where there is none. */
  readonly comparison?: Comparison | undefined
  /** No regression against the baseline; without one, a success rate of at least `threshold`. */
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

/** Adds attempts up, task by task and all together. */
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
