export { resolveSecrets } from '../core/index.ts'
export { intentFilter } from '../gate/index.ts'
export { adopt } from './adoption.ts'
export { believedSignals } from './believed-signals.ts'
export {
  answer,
  authorise,
  cancelRun,
  listRuns,
  openInbox,
  oversightOf,
  putBudget,
  resetOversight,
  rootOf,
  steerRun,
} from './desk.ts'
export { cutWithParent, driveChild } from './driven-child.ts'
export { diverge, divergeAt } from './diverged.ts'
export { checkDriftModels } from './drift-check.ts'
export { tellFault } from './engine-fault.ts'
export { hasNews } from './news.ts'
export { durabilityError, outputError, startError } from './start-errors.ts'
export { filterOutput } from './output-content.ts'
export { performerOf } from './performers/others.ts'
export { retryModel, retryTool } from './performers/retrying.ts'
export { permitSlowly } from './permit-slowly.ts'
export { refuseRate, takeRates } from './rate-taking.ts'
export { prepare } from './preparing.ts'
export { leave, suspendRun } from './putting-away.ts'
export { record } from './record.ts'
export { recover } from './recovery.ts'
export { refuse, refuseByDurability, refuseOverLimit } from './refusals.ts'
export { handHead, signHead } from './signed-head.ts'
export { takeSignals } from './signals.ts'
export { watchTime } from './time-watch.ts'
export { beforeNext, wait } from './waiting.ts'
