import type { Json } from 'mandate'

/** Schemas with values that fit and values that do not, of draft 2020-12 unless `$schema` says otherwise. */
export interface Row {
  readonly about: string
  readonly schema: Json
  readonly valid: readonly Json[]
  readonly invalid: readonly Json[]
}

/** Rows of one keyword. */
export function rows(
  keyword: string,
  table: readonly (readonly [about: string, schema: Json, valid: readonly Json[], invalid: readonly Json[]])[],
): readonly Row[] {
  return table.map(([about, schema, valid, invalid]) => ({ about: `${keyword}: ${about}`, schema, valid, invalid }))
}
