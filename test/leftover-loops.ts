import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll } from 'vitest'

const TURNS_MAX = 100

/** Loaded before each file of tests that shares its process with others: a loop that a file leaves behind would take the processor from all
 *  files after it, and none of them would fail. */
afterAll(async () => {
  for (let turn = 0; process.getActiveResourcesInfo().includes('Immediate'); turn++) {
    if (turn === TURNS_MAX)
      throw new Error('This file leaves a loop of `setImmediate` behind. End it before the last test ends.')
    await sleep(5)
  }
})
