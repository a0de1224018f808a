// What `mandate/engine` offers: where and when runs are driven.
export { localEngine, restateEngine } from './index.ts'
