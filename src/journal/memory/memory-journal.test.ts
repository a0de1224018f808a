import { describe, expect, it } from 'vitest'
import { journalConformance } from '../../testing/index.ts'
import { memoryJournal } from '../index.ts'

journalConformance(
  {
    name: 'memory',
    async open() {
      const journal = memoryJournal()
      return { journal, close: () => journal.close() }
    },
  },
  { describe, it, expect },
)
