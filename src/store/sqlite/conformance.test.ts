import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { everyFifth } from '../../../test/rotation.ts'
import { type TestApi, journalConformance } from '../../testing/index.ts'
import { keyRing, newKey, sqliteJournal } from './index.ts'
import type { SqliteJournalOptions } from './sqlite-journal.ts'

const subjects: readonly (readonly [string, Partial<SqliteJournalOptions>, TestApi['it']])[] = [
  ['SQLite', {}, it],
  ['SQLite, encrypted', { encryption: keyRing(`k1:${newKey()}`) }, everyFifth(it)],
]

for (const [name, options, someOrAll] of subjects)
  journalConformance(
    {
      name,
      async open() {
        const folder = mkdtempSync(join(tmpdir(), 'mandate-conformance-'))
        const open = (): ReturnType<typeof sqliteJournal> =>
          sqliteJournal({ ...options, path: join(folder, 'journal.db'), watchIntervalMs: 10 })
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
    { describe, it: someOrAll, expect },
  )
