import { systemClock } from '../../core/index.ts'
import { noKeysToChange, rekey } from '../encryption/index.ts'
import type { KeyShelf, RekeyReport, SealedStore, WrappedKey } from '../encryption/index.ts'
import { openSealing } from '../entry-cipher.ts'
import type { Sealing } from '../entry-cipher.ts'
import type { PostgresLink } from './link.ts'

/** Opens the keys of a schema, or finds that none are needed. */
export function sealingOf(link: PostgresLink, storeId: string): Promise<Sealing> {
  const { encryption, withoutKeys } = link.options
  const store = sealedStore(link, storeId)
  return openSealing({ encryption, store, shelf: shelfOf(link), hasPlain: () => hasPlain(link), withoutKeys })
}

/** Re-encrypts all data keys of a schema with the current key of the host, and creates a new one. */
export async function rekeySchema(link: PostgresLink, storeId: string): Promise<RekeyReport> {
  const { encryption, name } = link.options
  if (encryption === undefined) throw noKeysToChange(name)
  return rekey({ encryption, store: sealedStore(link, storeId), shelf: shelfOf(link), now: systemClock.now() })
}

function sealedStore({ options: { name, schema } }: PostgresLink, id: string): SealedStore {
  return { id, name: `${name} (schema ${schema})` }
}

/** The plain column of each table. */
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

/** The encrypted data keys, in a table beside the rows. */
function shelfOf(link: PostgresLink): KeyShelf {
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
