// What `mandate/engine` offers: where and when runs are driven.
export { dbosEngine, localEngine, restateEngine } from './index.ts'
export type { DbosEngineOptions, QueueOptions } from './index.ts'
