// Public API of `mandate/repl`: sessions of cells, agents that write them, and large inputs that are read in parts.
export {
  ReplSession,
  blobContext,
  codeMode,
  contextOf,
  contextTools,
  describeContext,
  openContext,
  queryContext,
  registerCells,
} from './index.ts'
export type { CallRecord, CellResult, CodeModeOptions, Context, ReplOptions, ReplPolicy } from './index.ts'
