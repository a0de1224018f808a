import { describe, expect, it } from 'vitest'
import { seededRandom, systemClock } from '../../src/core/index.ts'
import { memoryJournal } from '../../src/journal/index.ts'
import { engineConformance } from '../../src/testing/index.ts'
import { ModelQueue } from './model-engine.ts'

engineConformance(
  {
    name: 'modelled',
    async start() {
      const journal = memoryJournal()
      const queue = new ModelQueue({ clock: systemClock, random: seededRandom('conformance'), retryMs: 20 })
      let members = 0
      const join = async (): Promise<{ journal: typeof journal; engine: ReturnType<ModelQueue['engine']> }> => ({
        journal,
        engine: queue.engine({ id: `member ${members++}`, slots: 10 }),
      })
      return { join, stop: async () => (queue.close(), journal.close()) }
    },
  },
  { describe, it, expect },
)
