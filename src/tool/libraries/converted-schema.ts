import { type JsonObject, toPlain } from '../../core/index.ts'
import { type StandardSchema, isStandardSchema } from '../standard-schema.ts'
import { arktype, isArkType } from './arktype.ts'
import { effect3, effectStandard, isEffect, isEffect3 } from './effect.ts'
import { type FindCopies, type SchemaLibrary, type SchemaSide, installedCopies, membersOf } from './library.ts'
import { isValibot, valibot } from './valibot.ts'
import { isZod3, isZod4, zod3, zod4 } from './zod.ts'

/** A JSON Schema, or how to fix the schema. */
type Converted = { readonly schema: JsonObject } | { readonly fix: string }

interface ConvertOptions {
  readonly isStrict?: boolean | undefined
  readonly find?: FindCopies | undefined
}

const LIBRARIES: readonly (readonly [isOf: (schema: object) => boolean, library: SchemaLibrary])[] = [
  [isZod4, zod4],
  [isZod3, zod3],
  [isValibot, valibot],
  [isArkType, arktype],
  [isEffect3, effect3],
]

/** Keywords that do not restrict a value. */
const SILENT = ['$schema', '$id', 'title', 'description', 'default', 'examples']

/**
 * The JSON Schema of a schema's input or output, as converted by its own library. Parts without an equivalent (dates, custom checks) allow anything,
 * so that the rest is kept; strictly, they make the conversion fail.
 */
export function convertSchema(schema: StandardSchema, side: SchemaSide, options: ConvertOptions = {}): Converted {
  const { isStrict = false, find = installedCopies } = options
  const library = LIBRARIES.find(([isOf]) => isOf(schema))?.[1] ?? anyLibrary
  const ask = (strictly: boolean): JsonObject | undefined => {
    const asked = { side, isStrict: strictly, find }
    // The conversion of the standard may be lenient.
    return firstOf(library.ways(schema, asked)) ?? (strictly ? undefined : firstOf(anyLibrary.ways(schema, asked)))
  }
  const told = ask(isStrict)
  if (told === undefined) return { fix: library.fix(schema) }
  const isSilent = Object.keys(told).every((keyword) => SILENT.includes(keyword))
  if (isSilent && !isStrict && ask(true) === undefined)
    return { fix: 'It has no form in JSON Schema: wrap it in an object schema, or give JSON Schema.' }
  return { schema: told }
}

/** A schema of any known library as a Standard Schema; `undefined` for a value that is no schema. */
export function asStandard(given: unknown, find: FindCopies = installedCopies): StandardSchema | undefined {
  if ((typeof given !== 'object' || given === null) && typeof given !== 'function') return undefined
  const standard = isEffect(given) ? effectStandard(given, find) : undefined
  if (standard !== undefined || isStandardSchema(given)) return standard ?? (given as StandardSchema)
  return isZod3(given) ? zod3Standard(given) : undefined
}

/** Every other library: the JSON Schema part of the standard, or a method with one of the usual names. */
const anyLibrary: SchemaLibrary = {
  *ways(schema, { side, isStrict }) {
    const { '~standard': standard, toJSONSchema, toJsonSchema } = membersOf(schema)
    const converter = membersOf(membersOf(standard)['jsonSchema'])[side]
    const own = toJSONSchema ?? toJsonSchema
    for (const target of ['draft-2020-12', 'draft-07']) {
      if (typeof converter === 'function')
        yield () =>
          (converter as (options: object) => unknown)({
            target,
            ...(isStrict ? {} : { libraryOptions: { unrepresentable: 'any' } }),
          })
    }
    if (typeof own === 'function') yield () => (own as () => unknown).call(schema)
  },
  fix: (schema) =>
    `Its library ("${String(membersOf(membersOf(schema)['~standard'])['vendor'])}") cannot say it as JSON Schema: give JSON Schema, or { jsonSchema, validate }.`,
}

function firstOf(ways: Iterable<() => unknown>): JsonObject | undefined {
  for (const way of ways) {
    try {
      const found = way()
      if (typeof found === 'object' && found !== null) return toPlain(found).value as JsonObject
    } catch {
      // This conversion failed; the next one may succeed.
    }
  }
  return undefined
}

interface Zod3Result {
  readonly success: boolean
  readonly data?: unknown
  readonly error?: { readonly issues: readonly { readonly message: string; readonly path: readonly PropertyKey[] }[] }
}

/** Adapts schemas of zod before 3.24, which did not follow the standard. */
function zod3Standard(given: object): StandardSchema {
  const schema = given as { safeParseAsync(value: unknown): Promise<Zod3Result> }
  const standard: StandardSchema['~standard'] = {
    version: 1,
    vendor: 'zod',
    validate: async (value) => {
      const { success, data, error } = await schema.safeParseAsync(value)
      return success ? { value: data } : { issues: error!.issues }
    },
  }
  return Object.create(given, { '~standard': { value: standard, enumerable: true } }) as StandardSchema
}
