import { type JsonObject, MandateError, messageOf, toPlain } from '../../core/index.ts'
import { asStandard, convertSchema } from './converted-schema.ts'
import { effect3, isEffect } from './effect.ts'
import type { SchemaSide } from './library.ts'
import { schemaProblem } from '../json-schema/schema-problem.ts'
import { isTypeBox, jsonTypes } from './typebox.ts'
import { shown } from '../shown.ts'
import { type StandardSchema, isStandardSchema } from '../standard-schema.ts'

/** The owner of a schema, for messages: `Tool "add"`, `inputSchema`. */
export interface SchemaPlace {
  readonly owner: string
  readonly field: string
}

/** A schema of any accepted kind: its JSON Schema for models, and the library's own validator if there is one. */
interface SchemaSource {
  readonly told: JsonObject
  readonly standard?: StandardSchema | undefined
}

/**
 * Reads zod, valibot, ArkType, Effect, TypeBox, any other Standard Schema, the AI SDK's `jsonSchema(...)` and `zodSchema(...)`, and plain JSON Schema.
 * JSON Schema that was written here is refused if it is none; what is wrapped came from a library or a server.
 */
export function schemaSource(given: unknown, place: SchemaPlace, side: SchemaSide, isWrapped = false): SchemaSource {
  const standard = asStandard(given)
  if (standard !== undefined) return { told: convertedBy(standard, place, side), standard }
  if (typeof given === 'function' && isEffect(given))
    throw badSchema(place, 'is a schema of effect, which cannot be loaded here', effect3.fix(given))
  if (typeof given === 'function') return schemaSource(callLazy(given as () => unknown, place), place, side)
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw badSchema(
      place,
      `is ${shown(toPlain(given).value)}`,
      'Give a JSON Schema object or a Standard Schema (zod, valibot, ArkType).',
    )
  }
  if ('jsonSchema' in given) return wrappedSource(given, place, side)
  const loose = Object.entries(given).find(([, member]) => isStandardSchema(member))
  if (loose !== undefined) {
    throw badSchema(
      place,
      `holds a schema under "${loose[0]}" but is not a schema itself`,
      'Wrap the members in an object schema, e.g. `z.object({ ... })`.',
    )
  }
  const told = toPlain(given).value as JsonObject
  if (isTypeBox(given)) return { told: jsonTypes(told) }
  const problem = isWrapped ? undefined : schemaProblem(told)
  if (problem !== undefined) throw badSchema(place, problem.what, problem.fix)
  return { told }
}

/** The error of a schema that cannot be used, with its owner and the fix. */
export function badSchema({ owner, field }: SchemaPlace, what: string, fix: string): MandateError {
  return new MandateError('CONFIG_INVALID', `${owner}: \`${field}\` ${what}. ${fix}`)
}

/** The JSON Schema for models. Throws if the schema cannot be converted, with the fix. */
function convertedBy(standard: StandardSchema, place: SchemaPlace, side: SchemaSide): JsonObject {
  const converted = convertSchema(standard, side)
  if ('schema' in converted) return converted.schema
  throw badSchema(place, 'cannot be told to the model as JSON Schema', converted.fix)
}

/** The result of the AI SDK's `jsonSchema()` and similar functions. */
interface WrappedSchema {
  readonly jsonSchema: unknown
  readonly validate?: ((value: unknown) => unknown) | undefined
}

function wrappedSource(given: WrappedSchema, place: SchemaPlace, side: SchemaSide): SchemaSource {
  const told = innerSchema(given, place)
  if (typeof told !== 'object' || told === null || 'then' in told) {
    throw badSchema(place, 'wraps a schema that is not there yet', 'Await it and give the JSON Schema object itself.')
  }
  const { validate } = given
  if (validate === undefined) return schemaSource(told, place, side, true)
  // Its own validator may check more than its JSON Schema expresses, so it is used.
  const standard: StandardSchema = {
    '~standard': {
      version: 1,
      vendor: 'wrapped',
      jsonSchema: { input: () => told, output: () => told },
      validate: async (value) => {
        const result = (await validate(value)) as { success?: unknown; value?: unknown; error?: unknown }
        return result.success === true ? { value: result.value } : { issues: [{ message: messageOf(result.error) }] }
      },
    },
  }
  return schemaSource(standard, place, side)
}

/** `zodSchema()` converts on access, and throws for what JSON Schema cannot express. */
function innerSchema(given: WrappedSchema, place: SchemaPlace): unknown {
  try {
    return given.jsonSchema
  } catch (cause) {
    throw badSchema(
      place,
      `wraps a schema that failed: ${messageOf(cause)}`,
      'Give the inner schema without a wrapper.',
    )
  }
}

function callLazy(lazy: () => unknown, place: SchemaPlace): unknown {
  try {
    return lazy()
  } catch (cause) {
    throw badSchema(place, `is a function that failed: ${messageOf(cause)}`, 'Give the schema itself.')
  }
}
