import { resolve } from 'node:path'
import { checkNumbers, MandateError, checkFields } from '../../../core/index.ts'
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
import type { Encryption, RekeyReport } from '../../encryption/index.ts'
import { dataCaller } from './data-caller.ts'
import type { DataCaller } from './data-caller.ts'
import { promptPort, recordPort } from './data-ports.ts'
import type { DataOptions } from './protocol.ts'

export interface SqliteDataOptions {
  /** The database file: one of its own, or that of a journal. Created when it is missing, in a folder that must be there. */
  readonly path: string
  /** How long to wait for another process that is writing, before giving up with STORE_FAILED; 10 seconds when absent. */
  readonly busyTimeoutMs?: number | undefined
  /** The file does not grow beyond this; writes then fail with DISK_FULL, as they do on a full disk. */
  readonly maxFileBytes?: number | undefined
  /** Vectors are kept in memory for searching up to so many bytes, 512 million when absent; beyond, every search reads them from the file. */
  readonly vectorBytes?: number | undefined
  /** The host's keys, for a file whose content is encrypted. A new file is; one that was begun without keys is refused with them, and the other way round. */
  readonly encryption?: Encryption | undefined
  /** With `encryption`: keeps an index of words readable in the file. Without it, a search for words opens every record. */
  readonly searchable?: boolean | undefined
}

const SQLITE_DATA_OPTIONS: FieldNames<SqliteDataOptions> = {
  path: true,
  busyTimeoutMs: true,
  maxFileBytes: true,
  vectorBytes: true,
  encryption: true,
  searchable: true,
}

/** Memory, database and prompts in one file, on one thread. */
export interface SqliteData extends DataClients {
  readonly path: string
  /** Opens the file now, so that what is wrong with it is said now and not by the first call. */
  open(): Promise<void>
  /** Copies the file, as of one moment, to a path where there is none yet. Others may go on writing. */
  backup(path: string): Promise<void>
  /** Brings all data keys under the current key of the ring and begins a new one. No row is written again; the older keys of the host can go then. */
  rekey(): Promise<RekeyReport>
  /** Closes it for everyone who got it from here. */
  close(): Promise<void>
}

/**
 * Memory, database and prompts in one SQLite file, on a thread of their own: durable when a write resolves, safe to share between processes.
 *
 * @example
 * ```ts
 * import { sqliteData } from 'mandate/sqlite'
 * const data = sqliteData({ path: 'memory.db' })
 * const database = data.database({ namespace: 'tenant-1' })
 * await database.write('notes', 'n1', { text: 'The meeting is on Tuesday' }, { ttlMs: 7 * 86_400_000 })
 * console.log(await database.search('meeting'))
 * await data.close()
 * ```
 */
export function sqliteData(options: SqliteDataOptions): SqliteData {
  checkFields(options, 'an option of `sqliteData`', SQLITE_DATA_OPTIONS)
  const file = dataOptions(options)
  const caller = dataCaller(file, options.encryption)
  const ports = portsOf(caller, options)
  return {
    path: file.path,
    ...sharedClients(ports),
    open: () => caller.call('open'),
    backup: (path) => caller.call('backup', resolve(path)),
    rekey: () => caller.call('rekey'),
    close: () => caller.close(),
  }
}

/**
 * Memory in streams, in a SQLite file.
 *
 * @example
 * ```ts
 * import { sqliteMemory } from 'mandate/sqlite'
 * const memory = sqliteMemory({ path: 'memory.db', maxCount: 100_000 })
 * await memory.append('scratchpad', { note: 'looked it up' })
 * await memory.close()
 * ```
 */
export function sqliteMemory(options: SqliteDataOptions & DataClientOptions): WholeMemory {
  checkFields(options, 'an option of `sqliteMemory`', { ...SQLITE_DATA_OPTIONS, ...DATA_CLIENT_OPTIONS })
  return aloneMemory(portsOf(callerFor(options), options), options)
}

/**
 * A database in a SQLite file.
 *
 * @example
 * ```ts
 * import { sqliteDatabase } from 'mandate/sqlite'
 * const database = sqliteDatabase({ path: 'memory.db' })
 * await database.write('users', 'ada', { name: 'Ada' })
 * await database.close()
 * ```
 */
export function sqliteDatabase(options: SqliteDataOptions & DataClientOptions): WholeDatabase {
  checkFields(options, 'an option of `sqliteDatabase`', { ...SQLITE_DATA_OPTIONS, ...DATA_CLIENT_OPTIONS })
  return aloneDatabase(portsOf(callerFor(options), options), options)
}

/**
 * Prompt templates in a SQLite file.
 *
 * @example
 * ```ts
 * import { sqlitePrompts } from 'mandate/sqlite'
 * const prompts = sqlitePrompts({ path: 'memory.db' })
 * await prompts.put({ id: 'hello', text: 'Hello {{name}}' })
 * await prompts.close()
 * ```
 */
export function sqlitePrompts(options: SqliteDataOptions & PromptClientOptions): WholePromptStore {
  checkFields(options, 'an option of `sqlitePrompts`', { ...SQLITE_DATA_OPTIONS, ...PROMPT_CLIENT_OPTIONS })
  return alonePrompts(portsOf(callerFor(options), options), options)
}

function callerFor(options: SqliteDataOptions): DataCaller {
  return dataCaller(dataOptions(options), options.encryption)
}

function portsOf(caller: DataCaller, options: SqliteDataOptions): DataPorts {
  return {
    records: (isAlone) => recordPort(caller, isAlone, findsWords(options)),
    prompts: (isAlone) => promptPort(caller, isAlone),
  }
}

function dataOptions(options: SqliteDataOptions): DataOptions {
  checkNumbers(options, 'an option of `sqliteData`', { maxFileBytes: 'cap', vectorBytes: 'count' })
  const { path, busyTimeoutMs = 10_000, maxFileBytes, vectorBytes = 512_000_000 } = options
  if (typeof path !== 'string' || path === '' || path === ':memory:' || path.includes('\0')) {
    throw new MandateError(
      'CONFIG_INVALID',
      '`path` must be the path of a file. For data that no file holds, use `inMemory()` and `inMemoryDatabase()`.',
    )
  }
  for (const [name, value] of Object.entries({ busyTimeoutMs, maxFileBytes: maxFileBytes ?? 1, vectorBytes })) {
    if (!(Number.isFinite(value) && value >= 0))
      throw new MandateError('CONFIG_INVALID', `\`${name}\` is ${String(value)}. Give a number from 0 up.`)
  }
  return {
    path: resolve(path),
    busyTimeoutMs: Math.floor(busyTimeoutMs),
    watchIntervalMs: 0,
    maxBytes: maxFileBytes,
    vectorBytes,
  }
}
