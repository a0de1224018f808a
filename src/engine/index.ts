export { localEngine } from '../run/index.ts'
export type { Engine, EngineHost } from '../run/index.ts'
