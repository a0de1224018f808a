import { MandateError, isRecord, unknownField } from '../../core/index.ts'
import type { Json, JsonObject } from '../../core/index.ts'

/** Reads the input of a built-in function as an object and rejects unknown fields. */
export function fieldsOf(name: string, input: Json, known: readonly string[]): JsonObject {
  if (!isRecord(input))
    throw new MandateError('INPUT_INVALID', `${name} takes one object: ${name}({ ${known.slice(0, 2).join(', ')} }).`)
  for (const field of Object.keys(input))
    if (!known.includes(field))
      throw new MandateError('INPUT_INVALID', unknownField(field, `a field of ${name}`, known))
  return input
}

/** Returns a field that must be a non-empty string. */
export function textField(name: string, fields: JsonObject, field: string): string {
  const value = fields[field]
  if (typeof value === 'string' && value !== '') return value
  throw new MandateError('INPUT_INVALID', `${name} needs \`${field}\`, a text.`)
}

/** Returns the items of a batched call. The input must be a list. */
export function itemsOf(name: string, input: Json): readonly Json[] {
  if (Array.isArray(input)) return input as readonly Json[]
  throw new MandateError('INPUT_INVALID', `${name} takes a list of what ${name.replace('_batched', '')} takes.`)
}
