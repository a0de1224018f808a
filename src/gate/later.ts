import { later } from '../core/index.ts'
import type { Later } from '../core/index.ts'
import type * as door from './later-door.ts'

/** What only some mandates call for. */
export const gateLater: Later<typeof door> = later(() => import('./later-door.ts'))

/** Loads it before anyone needs it. */
export async function loadGate(): Promise<void> {
  await gateLater(() => undefined)
}
