import { readFileSync } from 'node:fs'
import { MandateError } from '../core/index.ts'
import type { Journal } from '../journal/index.ts'
import type { DatabaseClient } from '../memory/index.ts'
import { keyRingFromEnvironment, openStore } from '../store/sqlite/index.ts'
import type { Encryption, RekeyReport } from '../store/sqlite/index.ts'
import { findConfig, importModule } from './load-module.ts'

export interface OpenOptions {
  /** Where there are no keys, an encrypted store is opened all the same, to be verified. */
  readonly withoutKeys?: boolean | undefined
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
  { withoutKeys }: OpenOptions = {},
): Promise<OpenedJournal> {
  const encryption = keyRingFromEnvironment(process.env) ?? (await configuredKeys())
  const place = given ?? environmentStore() ?? (await configuredStore()) ?? '.mandate'
  if (/^postgres(?:ql)?:/u.test(place)) return openServer(place, encryption, withoutKeys)
  if (/^rediss?:/u.test(place))
    throw new MandateError(
      'CONFIG_INVALID',
      'Redis keeps memory, prompts and counters, and no journal. Give a folder or a postgres:// URL for runs.',
    )
  const store = await openStore({ dir: place, encryption, withoutKeys })
  // Keys are changed for the records of the folder as well, not only for its runs.
  return withData(store.journal, { rekey: () => store.rekey(), database: () => store.data.database() }, () =>
    store.data.close(),
  )
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
    'The configuration exports a `store` that is no text. Name a folder or a URL.',
  )
}

/** A named export of the configuration, which is loaded only if it has one: listing runs must not execute the user's code. */
async function configured(name: string, words: RegExp): Promise<unknown> {
  const file = findConfig()
  if (file === undefined || !words.test(readFileSync(file, 'utf8'))) return undefined
  return ((await importModule(file)) as Record<string, unknown>)[name]
}

/** What the configuration exports as `encryption`. */
async function configuredKeys(): Promise<Encryption | undefined> {
  const encryption = (await configured('encryption', /encryption/u)) as Encryption | undefined
  if (encryption === undefined || typeof encryption === 'function' || typeof encryption === 'object') return encryption
  throw new MandateError(
    'CONFIG_INVALID',
    `The configuration exports an \`encryption\` that is no key ring. Use \`keyRingFromFile(…)\`.`,
  )
}
