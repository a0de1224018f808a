/** The common interface of zod, valibot, ArkType and others (standardschema.dev), as far as it is used here. */
export interface StandardSchema<Output = unknown> {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>
    readonly types?: { readonly input: unknown; readonly output: Output } | undefined
    readonly jsonSchema?:
      | {
          readonly input: (options: { readonly target: string }) => object
          readonly output: (options: { readonly target: string }) => object
        }
      | undefined
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
