// What `mandate/repl` offers: sessions of cells, and large inputs of them that are read in parts.
export { ReplSession, blobContext, contextOf, contextTools, describeContext, queryContext } from './index.ts'
export type { CallRecord, CellResult, Context, ReplOptions, ReplPolicy } from './index.ts'
