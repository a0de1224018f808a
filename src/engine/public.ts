// The exports of `mandate/engine`: the engines, which determine where and when runs are driven.
export { dbosEngine, localEngine, restateEngine } from './index.ts'
export type { DbosEngineOptions, QueueOptions } from './index.ts'
