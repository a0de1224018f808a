import { later } from '../core/index.ts'
import type { Later } from '../core/index.ts'
import type * as door from './later-door.ts'

/** What only some tools need: schemas that check themselves, connectors, results that are too large. */
export const toolLater: Later<typeof door> = later(() => import('./later-door.ts'))

/** Loads it before anyone needs it. */
export async function loadTools(): Promise<void> {
  await toolLater(() => undefined)
}
