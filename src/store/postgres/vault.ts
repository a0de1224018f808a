import { systemClock } from '../../core/index.ts'
import { keysRequired, notSealed, openCipher } from '../encryption/index.ts'
import type { KeyShelf, RowCipher, WrappedKey } from '../encryption/index.ts'
import type { PostgresLink } from './link.ts'

/** A text as it lies in a row: readable, or sealed. */
export interface KeptText {
  readonly plain: string | null
  readonly sealed: Uint8Array | null
}

/** What stands between the texts of a store and its rows: nothing, or a cipher. */
export interface Vault {
  readonly isSealing: boolean
  keep(place: string, text: string): KeptText
  /** The text of a row; refuses a readable row where everything must be sealed. */
  reveal(place: string, kept: KeptText): Promise<string | null>
  keepBytes(place: string, bytes: Uint8Array): Uint8Array
  revealBytes(place: string, bytes: Uint8Array): Promise<Uint8Array>
}

const OPEN: Vault = {
  isSealing: false,
  keep: (_, text) => ({ plain: text, sealed: null }),
  reveal: async (_, { plain }) => plain,
  keepBytes: (_, bytes) => bytes,
  revealBytes: async (_, bytes) => bytes,
}

/** Opens the keys of a store, or finds out that none are needed. A store that was sealed before is not opened without. */
export async function openVault(link: PostgresLink, storeId: string): Promise<Vault> {
  const { encryption, name, schema } = link.options
  const shelf = shelfOf(link)
  const where = `${name} (schema ${schema})`
  if (encryption === undefined) {
    const keys = await shelf.read()
    if (keys.length > 0) throw keysRequired(where, [...new Set(keys.map((key) => key.hostKey))])
    return OPEN
  }
  // What was begun without keys stays without: some of it would be plain for ever.
  if ((await shelf.read()).length === 0 && (await hasPlain(link))) throw notSealed(where)
  const store = { id: storeId, name: where }
  const cipher = await openCipher({ encryption, store, shelf, now: systemClock.now() })
  return sealing(cipher, shelf)
}

/** What a row of each table says in clear. */
const PLAIN: readonly (readonly [table: string, column: string])[] = [
  ['entries', 'data'],
  ['signals', 'content'],
  ['records', 'text'],
  ['prompts', 'text'],
]

async function hasPlain(link: PostgresLink): Promise<boolean> {
  for (const [table, column] of PLAIN) {
    const { rows } = await link.query('SELECT to_regclass($1) AS found', [link.table(table)])
    if (rows[0]?.['found'] === null) continue
    const sql = `SELECT EXISTS (SELECT FROM ${link.table(table)} WHERE ${column} IS NOT NULL) AS plain`
    if ((await link.query(sql)).rows[0]?.['plain'] === true) return true
  }
  return false
}

function sealing(cipher: RowCipher, shelf: KeyShelf): Vault {
  // Another process may have begun a new data key since.
  const learn = async (sealed: Uint8Array): Promise<void> => {
    if (!cipher.knows(sealed)) cipher.learn(await shelf.read())
  }
  return {
    isSealing: true,
    keepBytes: (place, bytes) => cipher.seal(place, bytes),
    revealBytes: async (place, bytes) => {
      await learn(bytes)
      return cipher.open(place, bytes)
    },
    keep: (place, text) => ({ plain: null, sealed: cipher.seal(place, text) }),
    reveal: async (place, { plain, sealed }) => {
      if (sealed === null) {
        if (plain !== null) throw notSealed(place.replaceAll('\0', '/'))
        return null
      }
      await learn(sealed)
      return cipher.openText(place, sealed)
    },
  }
}

/** The wrapped data keys, in a table beside the rows. */
export function shelfOf(link: PostgresLink): KeyShelf {
  const table = link.table('data_keys')
  return {
    read: async () => {
      const { rows } = await link.query(`SELECT id, host_key, wrapped, created_at FROM ${table}`)
      return rows.map((row): WrappedKey => ({
        id: row['id'] as string,
        hostKey: row['host_key'] as string,
        wrapped: row['wrapped'] as Uint8Array,
        createdAt: row['created_at'] as number,
      }))
    },
    write: async (keys) => {
      const sql = `INSERT INTO ${table} (id, host_key, wrapped, created_at) SELECT * FROM unnest($1::text[], $2::text[], $3::bytea[], $4::float8[])
        ON CONFLICT (id) DO UPDATE SET host_key = excluded.host_key, wrapped = excluded.wrapped`
      const buffers = keys.map(({ wrapped }) => Buffer.from(wrapped))
      await link.query(sql, [
        keys.map(({ id }) => id),
        keys.map(({ hostKey }) => hostKey),
        buffers,
        keys.map(({ createdAt }) => createdAt),
      ])
    },
  }
}
