import { describe, expect, it } from 'vitest'
import { memoryJournal } from '../journal/index.ts'
import { localEngine } from '../run/index.ts'
import { engineConformance } from './engine-conformance.ts'

engineConformance(
  {
    name: 'local',
    async start() {
      const journal = memoryJournal()
      return { join: async () => ({ journal, engine: localEngine() }), stop: () => journal.close() }
    },
  },
  { describe, it, expect },
)
