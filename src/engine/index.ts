export { localEngine } from '../run/index.ts'
export { restateEngine } from './restate/restate-engine.ts'
