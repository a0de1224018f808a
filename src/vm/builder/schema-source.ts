import { MandateError, toPlain } from '../../core/index.ts'
import type { JsonObject } from '../../core/index.ts'
import { convertSchema, schemaProblem } from '../../tool/index.ts'
import type { StandardSchema } from '../../tool/index.ts'
import type { Schema } from './schema.ts'

/** A schema: made with `s`, a Standard Schema (zod, valibot, ArkType, …), or JSON Schema. */
export type SchemaSource<T = unknown> = Schema<T> | StandardSchema<T> | JsonObject

/** The type of the values that a schema accepts. */
export type ValueOf<S> = S extends { readonly _type: infer T }
  ? T
  : S extends { readonly '~standard': { readonly types?: infer T } }
    ? NonNullable<T> extends { readonly output: infer O }
      ? O
      : unknown
    : unknown

export function isSchema(given: unknown): given is Schema {
  return isObject(given) && isObject((given as Partial<Schema>).schema) && '_type' in given
}

export function isStandard(given: unknown): given is StandardSchema {
  const holder =
    isObject(given) || typeof given === 'function' ? (given as Partial<StandardSchema>)['~standard'] : undefined
  return isObject(holder) && typeof holder.validate === 'function'
}

/**
 * Converts a schema to JSON Schema, for programs that are stored or sent. Throws for what a library cannot express in JSON Schema, because that could not be
 * enforced from the serialized program.
 */
export function jsonSchemaOf(given: unknown, owner: string): JsonObject {
  const schema = isSchema(given) ? given.schema : isStandard(given) ? converted(given, owner) : given
  if (!isObject(schema))
    throw new MandateError(
      'SCHEMA_INVALID',
      `The schema of ${owner} is none. Use \`s\`, zod, valibot, ArkType or JSON Schema.`,
    )
  const problem = schema === given ? schemaProblem(toPlain(given).value as JsonObject) : undefined
  if (problem !== undefined)
    throw new MandateError('SCHEMA_INVALID', `The schema of ${owner} ${problem.what}. ${problem.fix}`)
  // A hole in a list of types (left by `s.any.optional`) accepts every type.
  return withoutHoles(toPlain(schema).value) as JsonObject
}

function converted(schema: StandardSchema, owner: string): JsonObject {
  const result = convertSchema(schema, 'input', { isStrict: true })
  if ('schema' in result) return result.schema
  throw new MandateError('SCHEMA_INVALID', `The schema of ${owner} cannot be written as JSON Schema. ${result.fix}`)
}

function withoutHoles(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(withoutHoles)
  if (!isObject(part)) return part
  const members = Object.entries(part).filter(
    ([name, value]) => !(name === 'type' && Array.isArray(value) && value.includes(null)),
  )
  return Object.fromEntries(members.map(([name, value]) => [name, withoutHoles(value)]))
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
