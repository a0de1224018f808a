import { later } from '../core/index.ts'
import type { Later } from '../core/index.ts'
import type * as door from './later-door.ts'

/** What a journal in memory needs only for whoever looks at runs from outside. */
export const journalLater: Later<typeof door> = later(() => import('./later-door.ts'))
