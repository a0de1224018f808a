const SPECIAL = /["\\]/
const SPECIALS = /["\\]/g

/** A list of texts in the syntax of Postgres arrays. The driver can do the same, but takes several times as long. */
export function textArray(values: readonly (string | null)[]): string {
  let text = '{'
  for (const value of values) {
    if (text.length > 1) text += ','
    if (value === null) text += 'NULL'
    else text += SPECIAL.test(value) ? `"${value.replaceAll(SPECIALS, String.raw`\$&`)}"` : `"${value}"`
  }
  return `${text}}`
}

/** The same for numbers, which need no quotes. */
export function numberArray(values: readonly (number | null)[]): string {
  let text = '{'
  for (const value of values) text += text.length > 1 ? `,${value ?? 'NULL'}` : (value ?? 'NULL')
  return `${text}}`
}

/** The same for bytes. */
export function byteArray(values: readonly (Uint8Array | null)[]): string {
  return textArray(
    values.map((bytes) =>
      bytes === null ? null : `\\x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')}`,
    ),
  )
}
