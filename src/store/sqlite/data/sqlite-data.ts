import { resolve } from 'node:path'
import { checkNumbers, MandateError, checkNeeded } from '../../../core/index.ts'
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
  /** The database file: one of its own, or that of a journal. Created if it is missing, in an existing folder. */
  readonly path: string
  /** How long to wait for another process that is writing, until a call fails with STORE_FAILED; 10 seconds by default. */
  readonly busyTimeoutMs?: number | undefined
  /** The maximum size of the file; beyond it writes fail with DISK_FULL, as they do on a full disk. */
  readonly maxFileBytes?: number | undefined
  /** The cache size of vectors for searching, 512 million bytes by default; beyond it every search reads them from the file. */
  readonly vectorBytes?: number | undefined
  /**
   * The host's keys, for a file with encrypted contents. A new file is encrypted; one that was created without keys cannot be opened with them, and
   * vice versa.
   */
  readonly encryption?: Encryption | undefined
  /** With `encryption`: keeps a plain full-text index in the file. Without it, a search for words decrypts every record. */
  readonly searchable?: boolean | undefined
}

const SQLITE_DATA_OPTIONS: FieldNames<SqliteDataOptions> = {
  path: 'text',
  busyTimeoutMs: true,
  maxFileBytes: true,
  vectorBytes: true,
  encryption: 'function|object',
  searchable: 'flag',
}

/** Memory, database and prompts in one file, on one thread. */
export interface SqliteData extends DataClients {
  readonly path: string
  /** Opens the file now, so that problems are reported here and not by the first call. */
  open(): Promise<void>
  /** Copies the file as of one moment to a path that does not exist yet. Writers may continue meanwhile. */
  backup(path: string): Promise<void>
  /**
   * Re-encrypts all data keys with the current key of the ring and creates a new one. No row is rewritten; the older keys of the host can then be
   * deleted.
   */
  rekey(): Promise<RekeyReport>
  /** Closes it for all its clients. */
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
  checkNeeded(options, 'an option of `sqliteData`', SQLITE_DATA_OPTIONS)
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
  checkNeeded(options, 'an option of `sqliteMemory`', { ...SQLITE_DATA_OPTIONS, ...DATA_CLIENT_OPTIONS })
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
  checkNeeded(options, 'an option of `sqliteDatabase`', { ...SQLITE_DATA_OPTIONS, ...DATA_CLIENT_OPTIONS })
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
  checkNeeded(options, 'an option of `sqlitePrompts`', { ...SQLITE_DATA_OPTIONS, ...PROMPT_CLIENT_OPTIONS })
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
