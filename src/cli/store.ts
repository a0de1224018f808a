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
  /** Opens an encrypted store even without keys, to verify it. */
  readonly withoutKeys?: boolean | undefined
  /** Requires that a given folder has a store: a command that reads would otherwise create an empty store for a mistyped path. */
  readonly existing?: boolean | undefined
  /** Requires a store that several machines can share: a folder is rejected before it is created. */
  readonly shared?: boolean | undefined
}

/** An open journal with the operations that commands need, for every kind of store. */
export interface OpenedJournal extends Journal {
  /** Its location in a form that may be shown. */
  readonly path: string
  /** The URL of its server, if it is on one; workers are reached through it. */
  readonly url?: string | undefined
  readonly isEncrypted: boolean
  rekey(): Promise<RekeyReport>
  /** Opens the database beside the journal, which stores conversations. It is closed with the journal. */
  database(): DatabaseClient
}

/** Opens the journal of a folder or of a server URL, with the keys from the environment or the project's configuration. */
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
  // Re-encrypts the records of the folder as well as its runs.
  return withData(store.journal, { rekey: () => store.rekey(), database: () => store.data.database() }, () =>
    store.data.close(),
  )
}

/** Whether the place is a server. Any other URL is rejected, because it would otherwise be created as a folder of that name. */
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

/** Returns the error for a folder where several machines need a shared store. */
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

/** Returns an empty journal in memory for a project without a store: commands that read find no runs and write no file. */
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

/** Returns a journal that also closes the data store beside it. */
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

/** Returns the `store` export of the configuration: a folder, or the URL of a server. */
async function configuredStore(): Promise<string | undefined> {
  const store = await configured('store', /\bexport\s+const\s+store\b/u)
  if (store === undefined || typeof store === 'string') return store
  throw new MandateError(
    'CONFIG_INVALID',
    'The configuration exports a `store` that is not text. Give a folder or a URL.',
  )
}

/** Returns the `encryption` export of the configuration. */
async function configuredKeys(): Promise<Encryption | undefined> {
  const encryption = (await configured('encryption', /encryption/u)) as Encryption | undefined
  if (encryption === undefined || typeof encryption === 'function' || typeof encryption === 'object') return encryption
  throw new MandateError(
    'CONFIG_INVALID',
    `The configuration exports an \`encryption\` that is not a key ring. Use \`keyRingFromFile(…)\`.`,
  )
}
