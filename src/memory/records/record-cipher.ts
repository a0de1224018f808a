import { vectorFrom, vectorText } from '../vector-text.ts'
import type { RecordSealer, StoredRow } from './port.ts'

interface Content {
  readonly text: string
  readonly vector?: Float32Array | undefined
}

/** An encrypted row; words and vector stay plain only if the store has to search them. */
export async function sealed(
  sealer: RecordSealer,
  space: string,
  row: StoredRow,
  isIndexed: boolean,
): Promise<StoredRow> {
  const { vector, words, ...rest } = row
  const plain = isIndexed || vector === undefined ? row.text : `${row.text}\n${vectorText(vector)}`
  const text = await sealer.seal(plain, [space, row.collection, row.key])
  return isIndexed ? { ...row, text } : { ...rest, text }
}

/** A decrypted row. JSON has no line break of its own, so the text after one is the vector. */
export async function opened(sealer: RecordSealer, space: string, row: StoredRow): Promise<Content> {
  const plain = await sealer.open(row.text, [space, row.collection, row.key])
  const end = plain.indexOf('\n')
  if (end < 0) return { text: plain }
  return { text: plain.slice(0, end), vector: vectorFrom(plain.slice(end + 1)) }
}
