import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { MandateError } from '../core/index.ts'
import { memoryJournal } from '../journal/index.ts'
import type { Journal } from '../journal/index.ts'
import { inMemoryDatabase } from '../memory/index.ts'
import type { DatabaseClient } from '../memory/index.ts'
import { keyRingFromEnvironment, openStore } from '../store/sqlite/index.ts'
import type { Encryption, RekeyReport } from '../store/sqlite/index.ts'
import { configured } from './load-module.ts'

export interface OpenOptions {
  /** Where there are no keys, an encrypted store is opened all the same, to be verified. */
  readonly withoutKeys?: boolean | undefined
  /** A folder that was named has to have a store: a command that reads would make an empty one of a typing error. */
  readonly existing?: boolean | undefined
  /** Processes on several machines share it: a folder is refused, before one is made. */
  readonly shared?: boolean | undefined
}

/** A journal as commands need it, whatever keeps it. */
export interface OpenedJournal extends Journal {
  /** Where it is, as it may be shown. */
  readonly path: string
  /** The server it is on, where it is on one: workers are reached by it. */
  readonly url?: string | undefined
  readonly isEncrypted: boolean
  rekey(): Promise<RekeyReport>
  /** The database beside it, where conversations are kept. It is closed with the journal. */
  database(): DatabaseClient
}

/** Opens the journal of a folder, or of a server where a URL was given, with the keys that the environment or the project's configuration names. */
export async function openJournal(
  given: string | undefined,
  { withoutKeys, existing, shared }: OpenOptions = {},
): Promise<OpenedJournal> {
  const named = given ?? environmentStore()
  const place = named ?? (await configuredStore()) ?? '.mandate'
  const isServer = checkPlace(place)
  if (shared === true && !isServer) throw notShared(place)
  const encryption = keyRingFromEnvironment(process.env) ?? (await configuredKeys())
  if (isServer) return openServer(place, encryption, withoutKeys)
  if (existing === true && named !== undefined) checkStore(named, given === undefined ? 'MANDATE_DIR' : '--dir')
  if (existing === true && !existsSync(join(place, 'journal.db'))) return noStore(place)
  const store = await openStore({ dir: place, encryption, withoutKeys })
  // Keys are changed for the records of the folder as well, not only for its runs.
  return withData(store.journal, { rekey: () => store.rekey(), database: () => store.data.database() }, () =>
    store.data.close(),
  )
}

/** Whether runs are kept on a server. A URL of anything else is refused: as a folder it would be made with that name. */
function checkPlace(place: string): boolean {
  if (/^postgres(?:ql)?:/u.test(place)) return true
  if (/^rediss?:/u.test(place))
    throw new MandateError(
      'CONFIG_INVALID',
      'Redis stores memory, prompts and counters, but no journal. Give a folder or a postgres:// URL for runs.',
    )
  const [, scheme] = /^([a-z][a-z0-9+.-]*):\/\//iu.exec(place) ?? []
  if (scheme === undefined) return false
  throw new MandateError(
    'INPUT_INVALID',
    `Runs are stored in a folder or at a postgres:// URL, and "${scheme}://" is neither. Correct --dir.`,
  )
}

/** The error about a folder where several machines need a store. */
export function notShared(place: string): MandateError {
  return new MandateError(
    'INPUT_INVALID',
    `Runs are stored in ${place}, which only one machine can use. Workers share a database: give --dir postgres://…`,
  )
}

function checkStore(dir: string, by: string): void {
  if (existsSync(join(dir, 'journal.db'))) return
  const what = existsSync(dir) ? `The folder ${dir} has no journal.db` : `There is no folder ${dir}`
  throw new MandateError(
    'NOT_FOUND',
    `${what}: no runs are stored there. Correct ${by}, or start a run there first: mandate run <agent> <prompt> --dir ${dir}`,
  )
}

/** Stands for the store of a project that has none yet: commands that look at runs find none, and write no file. */
function noStore(place: string): OpenedJournal {
  return Object.assign(memoryJournal(), {
    path: `${place} (not made yet)`,
    isEncrypted: false,
    rekey: () =>
      Promise.reject(
        new MandateError('NOT_FOUND', `There is no store ${place} here whose keys could be changed. Correct --dir.`),
      ),
    database: inMemoryDatabase,
  })
}

/** A journal that closes the data beside it as well. */
function withData<J extends Journal, More extends object>(
  journal: J,
  more: More,
  closeData: () => Promise<unknown>,
): J & More {
  const close = journal.close.bind(journal)
  return Object.assign(journal, more, {
    async close() {
      await closeData()
      await close()
    },
  })
}

function environmentStore(): string | undefined {
  const dir = process.env['MANDATE_DIR']
  return dir === '' ? undefined : dir
}

async function openServer(
  url: string,
  encryption: Encryption | undefined,
  withoutKeys: boolean | undefined,
): Promise<OpenedJournal> {
  const { openPostgres } = await import('../store/postgres/index.ts')
  const { journal, data, name } = await openPostgres({ url, encryption, withoutKeys })
  return Object.assign(journal, { path: name, url, database: () => data.database() })
}

/** What the configuration exports as `store`: a folder, or the URL of a server. */
async function configuredStore(): Promise<string | undefined> {
  const store = await configured('store', /\bexport\s+const\s+store\b/u)
  if (store === undefined || typeof store === 'string') return store
  throw new MandateError(
    'CONFIG_INVALID',
    'The configuration exports a `store` that is not text. Give a folder or a URL.',
  )
}

/** What the configuration exports as `encryption`. */
async function configuredKeys(): Promise<Encryption | undefined> {
  const encryption = (await configured('encryption', /encryption/u)) as Encryption | undefined
  if (encryption === undefined || typeof encryption === 'function' || typeof encryption === 'object') return encryption
  throw new MandateError(
    'CONFIG_INVALID',
    `The configuration exports an \`encryption\` that is not a key ring. Use \`keyRingFromFile(…)\`.`,
  )
}
