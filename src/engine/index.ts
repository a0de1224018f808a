export { localEngine } from '../run/index.ts'
export { dbosEngine } from './dbos/dbos-engine.ts'
export type { DbosEngineOptions, QueueOptions } from './dbos/options.ts'
export { restateEngine } from './restate/restate-engine.ts'
