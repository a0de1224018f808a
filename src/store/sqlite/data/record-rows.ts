import type { StoredRow } from '../../../memory/index.ts'
import { notSealed, placeOf } from '../../encryption/index.ts'
import type { RowCipher } from '../../encryption/index.ts'
import type { Row } from '../sqlite-file.ts'

/** The columns read for a record. */
export const COLUMNS = 'r.id, r.place, r.key, r.text, r.sealed, r.vector, r.at, r.expires_at'

/** The place of a record, to which its encryption is bound. */
interface RecordPlace {
  readonly space: string
  readonly collection: string
}

/** Converts a row to a record, without its vector, which no reader needs. */
export function recordOf(row: Row, where: RecordPlace, cipher: RowCipher | undefined): StoredRow {
  const key = JSON.parse(row['key'] as string) as string
  const { collection } = where
  const expiresAt = row['expires_at'] as number | null
  const at = row['at'] as number
  const text = textOf(row, key, where, cipher)
  return expiresAt === null ? { collection, key, text, at } : { collection, key, text, at, expiresAt }
}

function textOf(row: Row, key: string, { space, collection }: RecordPlace, cipher: RowCipher | undefined): string {
  if (cipher === undefined) return row['text'] as string
  const sealed = row['sealed']
  if (!(sealed instanceof Uint8Array)) throw notSealed(`"${key}" in "${collection}"`)
  return cipher.openText(placeOf('records', space, collection, key), sealed)
}

/** The columns written for a value and its vector. */
export function sealedRecord(
  row: StoredRow,
  space: string,
  cipher: RowCipher | undefined,
): { readonly text: string | null; readonly sealed: Uint8Array | null; readonly vector: Uint8Array | null } {
  const vector = row.vector === undefined ? null : bytesOf(row.vector)
  if (cipher === undefined) return { text: row.text, sealed: null, vector }
  return {
    text: null,
    sealed: cipher.seal(placeOf('records', space, row.collection, row.key), row.text),
    vector: vector && cipher.seal(placeOf('vectors', space, row.collection, row.key), vector),
  }
}

/** A stored vector as numbers. */
export function vectorOf(row: Row, where: RecordPlace, cipher: RowCipher | undefined): Float32Array {
  const stored = row['vector'] as Uint8Array
  const bytes =
    cipher === undefined
      ? stored
      : cipher.open(
          placeOf('vectors', where.space, where.collection, JSON.parse(row['key'] as string) as string),
          stored,
        )
  // Copied if it is not aligned to four bytes.
  const whole = bytes.byteOffset % 4 === 0 ? bytes : Uint8Array.from(bytes)
  return new Float32Array(whole.buffer, whole.byteOffset, whole.byteLength >> 2)
}

function bytesOf(vector: Float32Array): Uint8Array {
  return new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength)
}
