import type { JsonObject } from '../../core/index.ts'

/** The input type of a schema: before defaults and transforms. `unknown` if the schema has no types. */
export type SchemaInput<S> = S extends { readonly '~standard': { readonly types?: infer T } }
  ? NonNullable<T> extends { readonly input: infer I }
    ? I
    : unknown
  : SchemaOutput<S>

/** The output type of a schema: for zod, valibot, ArkType and any other Standard Schema, the AI SDK's `jsonSchema<T>()`, and JSON Schema literals. */
export type SchemaOutput<S> = S extends { readonly '~standard': { readonly types?: infer T } }
  ? NonNullable<T> extends { readonly output: infer O }
    ? O
    : unknown
  : S extends { readonly _type: infer O; readonly jsonSchema: unknown }
    ? O
    : S extends { readonly _output: infer O }
      ? O
      : S extends () => infer R
        ? SchemaOutput<R>
        : FromJsonSchema<S>

/**
 * The type of the values that a JSON Schema literal accepts. Keywords that no type can express are ignored; for a schema that is no literal the type
 * is `unknown`.
 */
type FromJsonSchema<S> = S extends { readonly const: infer C }
  ? C
  : S extends { readonly enum: readonly (infer E)[] }
    ? E
    : S extends { readonly anyOf: readonly (infer M)[] } | { readonly oneOf: readonly (infer M)[] }
      ? FromJsonSchema<M>
      : S extends { readonly type: infer T }
        ? T extends readonly (infer M)[]
          ? OfType<M, S>
          : OfType<T, S>
        : S extends { readonly properties: object }
          ? ObjectOf<S>
          : unknown

type OfType<T, S> = string extends T
  ? unknown
  : T extends 'object'
    ? ObjectOf<S>
    : T extends 'array'
      ? S extends { readonly items: infer I }
        ? FromJsonSchema<I>[]
        : unknown[]
      : T extends keyof Simple
        ? Simple[T]
        : unknown

interface Simple {
  readonly string: string
  readonly number: number
  readonly integer: number
  readonly boolean: boolean
  readonly null: null
}

type ObjectOf<S> = S extends { readonly properties: infer P }
  ? string extends keyof P
    ? JsonObject
    : S extends { readonly required: readonly (infer R)[] }
      ? Flat<
          { -readonly [K in keyof P & R]: FromJsonSchema<P[K]> } & {
            -readonly [K in Exclude<keyof P, R>]?: FromJsonSchema<P[K]>
          }
        >
      : { -readonly [K in keyof P]?: FromJsonSchema<P[K]> }
  : S extends { readonly additionalProperties: infer A extends object }
    ? { [name: string]: FromJsonSchema<A> }
    : JsonObject

type Flat<T> = { [K in keyof T]: T[K] }
