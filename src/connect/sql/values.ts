import { type Json, MandateError } from '../../core/index.ts'
import type { SqlLimits, SqlRows } from './database.ts'

/** Collects rows until a limit is reached; the rest is never fetched. */
export function collectRows(
  columns: readonly string[],
  rows: Iterable<readonly unknown[]>,
  { maxRows, maxBytes }: SqlLimits,
): SqlRows {
  const kept: (readonly Json[])[] = []
  let bytes = 0
  for (const row of rows) {
    if (kept.length >= maxRows) return { columns, rows: kept, truncated: 'rows' }
    const plain = row.map(plainValue)
    bytes += Buffer.byteLength(JSON.stringify(plain))
    if (bytes > maxBytes && kept.length === 0) throw tooLarge(maxBytes)
    if (bytes > maxBytes) return { columns, rows: kept, truncated: 'bytes' }
    kept.push(plain)
  }
  return { columns, rows: kept }
}

/** The error for a single row that exceeds the total limit. */
export function tooLarge(maxBytes: number): MandateError {
  return new MandateError(
    'LIMIT_EXCEEDED',
    `The result is larger than ${maxBytes} bytes. Select fewer columns, shorten them with substr(), or narrow the query.`,
  )
}

/** A database value as JSON: numbers that JSON would round become text, bytes become base64. */
function plainValue(value: unknown): Json {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value
    case 'number':
      return Number.isFinite(value) ? value : String(value)
    case 'bigint':
      return Number.isSafeInteger(Number(value)) ? Number(value) : String(value)
    case 'undefined':
      return null
    default:
      if (value instanceof Uint8Array) return { base64: Buffer.from(value).toString('base64') }
      return value as Json
  }
}
