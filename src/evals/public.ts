// Exports of `mandate/evals`: tasks with checks, their success rates against a baseline, and figures over recorded runs.
export {
  assertEval,
  baselineOf,
  benchmark,
  compareEvals,
  defineEval,
  evaluate,
  listEvals,
  readEval,
  runMetrics,
} from './index.ts'
export type {
  Attempted,
  BenchmarkReport,
  EvalAttempt,
  EvalBaseline,
  EvalCheck,
  EvalOptions,
  EvalReport,
  EvalSuite,
  EvalTask,
  EvalVariant,
  RunMetrics,
} from './index.ts'
