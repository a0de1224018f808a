import { type JsonObject, toPlain } from '../core/index.ts'

/** What zod, valibot, ArkType and others have in common (standardschema.dev), as far as it is used here. */
export interface StandardSchema<Output = unknown> {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>
    readonly types?: { readonly input: unknown; readonly output: Output } | undefined
    readonly jsonSchema?: { readonly input: (options: { readonly target: string }) => object } | undefined
  }
}

export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | {
      readonly issues: readonly {
        readonly message: string
        readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
      }[]
    }

export function isStandardSchema(value: unknown): value is StandardSchema {
  const isHolder = (typeof value === 'object' && value !== null) || typeof value === 'function'
  const standard = isHolder ? (value as Partial<StandardSchema>)['~standard'] : undefined
  return typeof standard === 'object' && standard !== null && typeof standard.validate === 'function'
}

/** The JSON Schema of what the schema accepts, or nothing when its library cannot tell (dates, custom checks, older versions). */
export function standardJsonSchema(schema: StandardSchema): JsonObject | undefined {
  const converter = schema['~standard'].jsonSchema
  const own =
    (schema as { toJSONSchema?: unknown; toJsonSchema?: unknown }).toJSONSchema ??
    (schema as { toJsonSchema?: unknown }).toJsonSchema
  const ways = [
    () => converter?.input({ target: 'draft-2020-12' }),
    () => converter?.input({ target: 'draft-07' }),
    () => (typeof own === 'function' ? (own as () => unknown).call(schema) : undefined),
  ]
  for (const way of ways) {
    try {
      const found = way()
      if (typeof found === 'object' && found !== null) return toPlain(found).value as JsonObject
    } catch {
      // This way cannot tell; the next one may.
    }
  }
  return undefined
}
