import { later, loadRedaction } from '../core/index.ts'
import type { Later } from '../core/index.ts'
import type * as door from './later-door.ts'

/** What a run that goes through in one go does not need: waiting for people, coming back, failing, running others. */
export const runLater: Later<typeof door> = later(async () => {
  // What is behind the door redacts without asking first.
  const [loaded] = await Promise.all([import('./later-door.ts'), loadRedaction()])
  return loaded
})
