import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { journalConformance } from '../../testing/index.ts'
import { sqliteJournal } from './index.ts'

journalConformance(
  {
    name: 'SQLite',
    async open() {
      const folder = mkdtempSync(join(tmpdir(), 'mandate-conformance-'))
      const open = (): ReturnType<typeof sqliteJournal> =>
        sqliteJournal({ path: join(folder, 'journal.db'), watchIntervalMs: 10 })
      let journal = open()
      return {
        journal,
        async reopen() {
          await journal.close()
          journal = open()
          return journal
        },
        async close() {
          await journal.close()
          rmSync(folder, { recursive: true })
        },
      }
    },
  },
  { describe, it, expect },
)
