import { later } from '../core/index.ts'
import type { Later } from '../core/index.ts'
import type * as door from './later-door.ts'

/** What only some agents have: strategies of the host's own, hooks, memory, other agents. */
export const agentLater: Later<typeof door> = later(() => import('./later-door.ts'))
