import { checkNeeded } from '../../core/index.ts'
import { POSTGRES_DATA_OPTIONS, dataOver } from './data/postgres-data.ts'
import type { PostgresData, PostgresDataOptions } from './data/postgres-data.ts'
import { PostgresLink } from './link.ts'
import { linkOptions } from './options.ts'
import { ServerJournal } from './postgres-journal.ts'
import type { PostgresJournal } from './postgres-journal.ts'

/** A journal, memory, database and prompts that share a schema and a pool. */
export interface OpenedPostgres {
  /** The server and database, without the password. */
  readonly name: string
  readonly journal: PostgresJournal
  readonly data: PostgresData
  /** Closes both. */
  close(): Promise<void>
}

/**
 * Opens everything a service keeps in one Postgres schema, and reports problems at once.
 *
 * @example
 * ```ts
 * import { AgentService } from 'mandate'
 * import { openPostgres } from 'mandate/postgres'
 * const store = await openPostgres({ url: 'postgres://me@localhost:5432/agents' })
 * const service = new AgentService({ store: { journal: store.journal, close: () => store.close() } })
 * ```
 */
export async function openPostgres(options: PostgresDataOptions): Promise<OpenedPostgres> {
  checkNeeded(options, 'an option of `openPostgres`', POSTGRES_DATA_OPTIONS)
  const link = new PostgresLink(linkOptions(options))
  const journal = new ServerJournal(link)
  try {
    await journal.open()
  } catch (error) {
    await journal.close()
    throw error
  }
  return { name: link.options.name, journal, data: dataOver(link, options), close: () => journal.close() }
}
