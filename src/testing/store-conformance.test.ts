import { describe, expect, it } from 'vitest'
import { memoryJournal } from '../journal/index.ts'
import { inMemory, inMemoryDatabase, inMemoryPrompts } from '../memory/index.ts'
import { countConformance, databaseConformance, memoryConformance, promptConformance } from './index.ts'

const api = { describe, it, expect }
const alone = { isShared: false, stop: async (): Promise<void> => {} }

memoryConformance(
  {
    name: 'in-process',
    start: async () => ({ ...alone, open: ({ maxCount, ...rest }) => inMemory({ ...rest, maxEntries: maxCount }) }),
  },
  api,
)
databaseConformance({ name: 'in-process', start: async () => ({ ...alone, open: inMemoryDatabase }) }, api)
promptConformance({ name: 'in-process', start: async () => ({ ...alone, open: inMemoryPrompts }) }, api)
countConformance({ name: 'in-process', start: async () => ({ ...alone, open: () => memoryJournal() }) }, api)
