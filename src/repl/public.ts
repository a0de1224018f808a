// What `mandate/repl` offers: large inputs of sessions that are read in parts.
export { blobContext, contextOf, contextTools, describeContext, queryContext } from './index.ts'
export type { Context } from './index.ts'
