import { later } from '../core/index.ts'
import type { Later } from '../core/index.ts'
import type * as door from './later-door.ts'

/** What is only needed once a model has failed. */
export const modelLater: Later<typeof door> = later(() => import('./later-door.ts'))

/** Loads it before anyone needs it. */
export async function loadModels(): Promise<void> {
  await modelLater(() => undefined)
}
