import { checkNeeded } from '../../core/index.ts'
import type { FieldNames } from '../../core/index.ts'
import { DATA_CLIENT_OPTIONS, PROMPT_CLIENT_OPTIONS } from '../../memory/index.ts'
import type {
  DataClientOptions,
  PromptClientOptions,
  WholeDatabase,
  WholeMemory,
  WholePromptStore,
} from '../../memory/index.ts'
import { aloneDatabase, aloneMemory, alonePrompts, findsWords, sharedClients } from '../data-clients.ts'
import type { DataClients, DataPorts } from '../data-clients.ts'
import type { RekeyReport } from '../encryption/index.ts'
import { DataLink } from './data-link.ts'
import { RedisLink } from './link.ts'
import { REDIS_OPTIONS, linkOptions } from './options.ts'
import type { RedisOptions } from './options.ts'
import { promptPort } from './prompt-port.ts'
import { recordPort } from './record-port.ts'

interface RedisDataOptions extends RedisOptions {
  /** With `encryption`: keeps a plain full-text index in Redis. Without it, a search for words decrypts every record. */
  readonly searchable?: boolean | undefined
}

const REDIS_DATA_OPTIONS: FieldNames<RedisDataOptions> = { ...REDIS_OPTIONS, searchable: 'flag' }

/** Memory, database and prompts under one prefix, over one connection. */
interface RedisData extends DataClients {
  /** The server and database, without the password. */
  readonly name: string
  /** Connects now, so that problems are reported here and not by the first call. */
  open(): Promise<void>
  /**
   * Re-encrypts all data keys with the current key of the ring and creates a new one. No value is rewritten; the older keys of the host can then be
   * deleted.
   */
  rekey(): Promise<RekeyReport>
  /** Closes it for all its clients. */
  close(): Promise<void>
}

/**
 * Memory, database and prompts in Redis. As durable as the server is configured: with `appendonly yes` and `appendfsync always`, acknowledged writes
 * are on disk; with the default settings, those of the last second can be lost.
 *
 * @example
 * ```ts
 * import { redisData } from 'mandate/redis'
 * const data = redisData({ url: 'redis://localhost:6379' })
 * const database = data.database({ namespace: 'tenant-1' })
 * await database.write('notes', 'n1', { text: 'The meeting is on Tuesday' }, { ttlMs: 7 * 86_400_000 })
 * console.log(await database.search('meeting'))
 * await data.close()
 * ```
 */
export function redisData(options: RedisDataOptions): RedisData {
  checkNeeded(options, 'an option of `redisData`', REDIS_DATA_OPTIONS)
  const data = dataFor(options)
  const ports = portsOf(data, options)
  return {
    name: data.link.options.name,
    ...sharedClients(ports),
    open: async () => void (await data.ready()),
    rekey: () => data.rekey(),
    close: () => data.link.close(),
  }
}

/**
 * Memory in streams, in Redis.
 */
export function redisMemory(options: RedisDataOptions & DataClientOptions): WholeMemory {
  checkNeeded(options, 'an option of `redisMemory`', { ...REDIS_DATA_OPTIONS, ...DATA_CLIENT_OPTIONS })
  return aloneMemory(portsOf(dataFor(options), options), options)
}

/**
 * Long-term memory in Redis.
 */
export function redisDatabase(options: RedisDataOptions & DataClientOptions): WholeDatabase {
  checkNeeded(options, 'an option of `redisDatabase`', { ...REDIS_DATA_OPTIONS, ...DATA_CLIENT_OPTIONS })
  return aloneDatabase(portsOf(dataFor(options), options), options)
}

/**
 * Prompt templates in Redis.
 */
export function redisPrompts(options: RedisOptions & PromptClientOptions): WholePromptStore {
  checkNeeded(options, 'an option of `redisPrompts`', { ...REDIS_OPTIONS, ...PROMPT_CLIENT_OPTIONS })
  return alonePrompts(portsOf(dataFor(options), options), options)
}

function dataFor(options: RedisOptions): DataLink {
  return new DataLink(new RedisLink(linkOptions(options)))
}

function portsOf(data: DataLink, options: RedisDataOptions): DataPorts {
  return {
    records: (isAlone) => recordPort(data, isAlone, findsWords(options)),
    prompts: (isAlone) => promptPort(data, isAlone),
  }
}
