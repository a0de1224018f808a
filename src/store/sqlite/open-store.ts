import { mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { MandateError, messageOf } from '../../core/index.ts'
import { sqliteJournal } from './sqlite-journal.ts'
import type { SqliteJournal, SqliteJournalOptions } from './sqlite-journal.ts'

export interface OpenStoreOptions extends Omit<SqliteJournalOptions, 'path'> {
  /** The folder of the store; `.mandate` in the current one when absent. Created when it is missing. */
  readonly dir?: string | undefined
}

export interface OpenedStore {
  readonly journal: SqliteJournal
  readonly path: string
}

/**
 * Opens the journal of a folder, `<dir>/journal.db`, and says at once what is wrong if that cannot be done.
 *
 * @example
 * ```ts
 * import { openStore } from 'mandate/sqlite'
 * const { journal, path } = await openStore({ dir: '.mandate' })
 * console.log(path, (await journal.list()).length)
 * await journal.close()
 * ```
 */
export async function openStore({ dir = '.mandate', ...options }: OpenStoreOptions = {}): Promise<OpenedStore> {
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
  return { journal, path }
}
