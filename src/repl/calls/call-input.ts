import { MandateError, isRecord, unknownField } from '../../core/index.ts'
import type { Json, JsonObject } from '../../core/index.ts'

/** The input of a built-in function: an object with fields that it knows. */
export function fieldsOf(name: string, input: Json, known: readonly string[]): JsonObject {
  if (!isRecord(input))
    throw new MandateError('INPUT_INVALID', `${name} takes one object: ${name}({ ${known.slice(0, 2).join(', ')} }).`)
  for (const field of Object.keys(input))
    if (!known.includes(field))
      throw new MandateError('INPUT_INVALID', unknownField(field, `a field of ${name}`, known))
  return input
}

/** A field that must be a text. */
export function textField(name: string, fields: JsonObject, field: string): string {
  const value = fields[field]
  if (typeof value === 'string' && value !== '') return value
  throw new MandateError('INPUT_INVALID', `${name} needs \`${field}\`, a text.`)
}

/** The items of a batch. */
export function itemsOf(name: string, input: Json): readonly Json[] {
  if (Array.isArray(input)) return input as readonly Json[]
  throw new MandateError('INPUT_INVALID', `${name} takes a list of what ${name.replace('_batched', '')} takes.`)
}
