import { readFileSync } from 'node:fs'
import { MandateError } from '../core/index.ts'
import { keyRingFromEnvironment, openStore } from '../store/sqlite/index.ts'
import type { Encryption, SqliteJournal } from '../store/sqlite/index.ts'
import { findConfig, importModule } from './loading.ts'

export interface OpenOptions {
  /** Where there are no keys, an encrypted store is opened all the same, to be verified. */
  readonly withoutKeys?: boolean | undefined
}

/** Opens the store of a folder with the keys that the environment or the project's configuration names. */
export async function openJournal(dir: string, { withoutKeys }: OpenOptions = {}): Promise<SqliteJournal> {
  const encryption = keyRingFromEnvironment(process.env) ?? (await configuredKeys())
  const { journal } = await openStore({ dir, encryption, withoutKeys })
  return journal
}

/** What the configuration exports as `encryption`. It is loaded only if it says the word: a look at runs is no reason to run somebody's code. */
async function configuredKeys(): Promise<Encryption | undefined> {
  const file = findConfig()
  if (file === undefined || !readFileSync(file, 'utf8').includes('encryption')) return undefined
  const { encryption } = (await importModule(file)) as { encryption?: Encryption }
  if (encryption === undefined || typeof encryption === 'function' || typeof encryption === 'object') return encryption
  throw new MandateError(
    'CONFIG_INVALID',
    `${file} exports an \`encryption\` that is no key ring. Use \`keyRingFromFile(…)\`.`,
  )
}
