import { checkNeeded } from '../../../core/index.ts'
import type { FieldNames } from '../../../core/index.ts'
import { DATA_CLIENT_OPTIONS, PROMPT_CLIENT_OPTIONS } from '../../../memory/index.ts'
import type {
  DataClientOptions,
  PromptClientOptions,
  WholeDatabase,
  WholeMemory,
  WholePromptStore,
} from '../../../memory/index.ts'
import { aloneDatabase, aloneMemory, alonePrompts, findsWords, sharedClients } from '../../data-clients.ts'
import type { DataClients, DataPorts } from '../../data-clients.ts'
import type { RekeyReport } from '../../encryption/index.ts'
import { PostgresLink } from '../link.ts'
import { POSTGRES_OPTIONS, linkOptions } from '../options.ts'
import type { PostgresOptions } from '../options.ts'
import { DataLink } from './data-link.ts'
import { promptPort } from './prompt-port.ts'
import { recordPort } from './record-port.ts'

export interface PostgresDataOptions extends PostgresOptions {
  /** With `encryption`: keeps a plain full-text index in the database. Without it, a search for words decrypts every record. */
  readonly searchable?: boolean | undefined
}

export const POSTGRES_DATA_OPTIONS: FieldNames<PostgresDataOptions> = { ...POSTGRES_OPTIONS, searchable: 'flag' }

/** Memory, database and prompts in one schema, with one connection pool. */
export interface PostgresData extends DataClients {
  /** The server and database, without the password. */
  readonly name: string
  /** Connects and migrates the tables now, so that problems are reported here and not by the first call. */
  open(): Promise<void>
  /**
   * Re-encrypts all data keys of the schema with the current key of the ring and creates a new one. No row is rewritten; the older keys of the host
   * can then be deleted.
   */
  rekey(): Promise<RekeyReport>
  /** Closes it for all its clients. */
  close(): Promise<void>
}

/**
 * Memory, database and prompts in a Postgres schema: that of a journal, or one of their own.
 *
 * @example
 * ```ts
 * import { postgresData } from 'mandate/postgres'
 * const data = postgresData({ url: 'postgres://me@localhost:5432/agents' })
 * const database = data.database({ namespace: 'tenant-1' })
 * await database.write('notes', 'n1', { text: 'The meeting is on Tuesday' }, { ttlMs: 7 * 86_400_000 })
 * console.log(await database.search('meeting'))
 * await data.close()
 * ```
 */
export function postgresData(options: PostgresDataOptions): PostgresData {
  checkNeeded(options, 'an option of `postgresData`', POSTGRES_DATA_OPTIONS)
  return dataOver(new PostgresLink(linkOptions(options)), options)
}

/** The same over a shared connection pool. */
export function dataOver(link: PostgresLink, options: PostgresDataOptions): PostgresData {
  const data = new DataLink(link)
  const ports = portsOf(data, options)
  return {
    name: link.options.name,
    ...sharedClients(ports),
    open: async () => void (await data.ready()),
    rekey: () => data.rekey(),
    close: () => link.close(),
  }
}

/**
 * Memory in streams, in a Postgres database.
 */
export function postgresMemory(options: PostgresDataOptions & DataClientOptions): WholeMemory {
  checkNeeded(options, 'an option of `postgresMemory`', { ...POSTGRES_DATA_OPTIONS, ...DATA_CLIENT_OPTIONS })
  return aloneMemory(portsOf(dataFor(options), options), options)
}

/**
 * Long-term memory in a Postgres database.
 */
export function postgresDatabase(options: PostgresDataOptions & DataClientOptions): WholeDatabase {
  checkNeeded(options, 'an option of `postgresDatabase`', { ...POSTGRES_DATA_OPTIONS, ...DATA_CLIENT_OPTIONS })
  return aloneDatabase(portsOf(dataFor(options), options), options)
}

/**
 * Prompt templates in a Postgres database.
 */
export function postgresPrompts(options: PostgresOptions & PromptClientOptions): WholePromptStore {
  checkNeeded(options, 'an option of `postgresPrompts`', { ...POSTGRES_OPTIONS, ...PROMPT_CLIENT_OPTIONS })
  return alonePrompts(portsOf(dataFor(options), options), options)
}

function dataFor(options: PostgresOptions): DataLink {
  return new DataLink(new PostgresLink(linkOptions(options)))
}

function portsOf(data: DataLink, options: PostgresDataOptions): DataPorts {
  return {
    records: (isAlone) => recordPort(data, isAlone, findsWords(options)),
    prompts: (isAlone) => promptPort(data, isAlone),
  }
}
