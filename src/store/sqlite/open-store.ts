import { existsSync, mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { MandateError, messageOf, checkFields } from '../../core/index.ts'
import type { FieldNames } from '../../core/index.ts'
import type { RekeyReport } from '../encryption/index.ts'
import { sqliteData } from './data/sqlite-data.ts'
import type { SqliteData } from './data/sqlite-data.ts'
import { SQLITE_JOURNAL_OPTIONS, sqliteJournal } from './sqlite-journal.ts'
import type { SqliteJournal, SqliteJournalOptions } from './sqlite-journal.ts'

interface OpenStoreOptions extends Omit<SqliteJournalOptions, 'path'> {
  /** The folder of the store; `.mandate` in the current one by default. Created if it is missing. */
  readonly dir?: string | undefined
}

const { path: _, ...SHARED_OPTIONS } = SQLITE_JOURNAL_OPTIONS
const OPEN_STORE_OPTIONS: FieldNames<OpenStoreOptions> = { ...SHARED_OPTIONS, dir: 'text' }

/** An opened store: journal, memory, database and prompts in one folder. */
export interface OpenedStore {
  readonly journal: SqliteJournal
  readonly path: string
  /** Memory, database and prompts, in `<dir>/memory.db`; the file is created on first use. */
  readonly data: SqliteData
  /** Re-encrypts both with the current key of the ring; see `SqliteJournal.rekey`. */
  rekey(): Promise<RekeyReport>
  /** Closes both. */
  close(): Promise<void>
}

/**
 * Opens the journal of a folder, `<dir>/journal.db`, and reports problems at once; also provides memory, database and prompts of the folder.
 *
 * @example
 * ```ts
 * import { openStore } from 'mandate/sqlite'
 * const store = await openStore({ dir: '.mandate' })
 * console.log(store.path, (await store.journal.list()).length)
 * const database = store.data.database()
 * await database.write('users', 'ada', { name: 'Ada' })
 * await store.close()
 * ```
 */
export async function openStore(given: OpenStoreOptions = {}): Promise<OpenedStore> {
  checkFields(given, 'an option of `openStore`', OPEN_STORE_OPTIONS)
  const { dir = '.mandate', ...options } = given
  const folder = resolve(dir)
  try {
    mkdirSync(folder, { recursive: true })
  } catch (cause) {
    throw new MandateError(
      'STORE_FAILED',
      `The folder ${folder} cannot be made (${messageOf(cause)}). Give another \`dir\`, or make it yourself.`,
      { cause },
    )
  }
  const path = join(folder, 'journal.db')
  const journal = sqliteJournal({ ...options, path })
  try {
    await journal.open()
  } catch (error) {
    await journal.close()
    throw error
  }
  const { encryption, busyTimeoutMs } = options
  const data = sqliteData({ path: join(folder, 'memory.db'), encryption, busyTimeoutMs })
  const rekeyJournal = journal.rekey.bind(journal)
  return {
    journal,
    path,
    data,
    async rekey() {
      const report = await rekeyJournal()
      if (!existsSync(data.path)) return report
      const { rewrapped } = await data.rekey()
      return { ...report, rewrapped: report.rewrapped + rewrapped }
    },
    async close() {
      await data.close()
      await journal.close()
    },
  }
}
