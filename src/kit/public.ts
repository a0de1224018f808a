// What `mandate/kit` offers to authors of stores, engines and minds: contracts, building blocks and conformance suites.
export type { Effect } from '../gate/index.ts'
export { foldSummary, leaseLost, planAppend, restoreEntry } from '../journal/index.ts'
export type { AcquireOptions, Change, Lease, Signal } from '../journal/index.ts'
export { databaseOver, memoryOver, promptsOver } from '../memory/index.ts'
export type { PromptPort, RecordPort, StoredRow } from '../memory/index.ts'
export { Kernel, MindStop } from '../run/index.ts'
export type {
  Engine,
  EngineHost,
  Placement,
  Mind,
  PerformCall,
  Performed,
  Performer,
  PerformerRun,
  RunContext,
  RunHandle,
} from '../run/index.ts'
export {
  countConformance,
  databaseConformance,
  engineConformance,
  journalConformance,
  memoryConformance,
  modelConformance,
  promptConformance,
  toolConformance,
} from '../testing/index.ts'
export type { TestApi } from '../testing/index.ts'
