import * as library from 'tosijs-schema'
import type { JsonObject } from '../../core/index.ts'

/** A schema made with `s`. `schema` is plain JSON Schema; `_type` exists for the type checker alone. */
export interface Schema<T = unknown> {
  readonly schema: JsonObject
  readonly _type: T
  readonly optional: Schema<T | undefined>
  validate(value: unknown): boolean
  title(text: string): this
  describe(text: string): this
  default(value: T): this
  meta(facts: Readonly<Record<string, unknown>>): this
}

interface TextSchema<T = string> extends Schema<T> {
  min(length: number): this
  max(length: number): this
  pattern(expression: RegExp | string): this
  readonly email: this
  readonly uuid: this
  readonly ipv4: this
  readonly url: this
  readonly datetime: this
  readonly emoji: this
}

interface NumberSchema<T = number> extends Schema<T> {
  min(value: number): this
  max(value: number): this
  step(value: number): this
  readonly int: this
}

/** Lists and records: the number of members can be bounded. */
interface SizedSchema<T> extends Schema<T> {
  min(count: number): this
  max(count: number): this
}

/** The type of what a schema accepts. */
type Infer<S> = S extends { readonly _type: infer T } ? T : never

type OptionalKeys<T> = { [K in keyof T]-?: undefined extends T[K] ? K : never }[keyof T]
type Flat<T> = { [K in keyof T]: T[K] }
type ObjectOf<T> = Flat<{ [K in OptionalKeys<T>]?: T[K] } & { [K in Exclude<keyof T, OptionalKeys<T>>]: T[K] }>

/** The schema builder. Its package ships types that modern module resolution does not find, so they are declared here. */
interface SchemaBuilder {
  readonly string: TextSchema
  readonly number: NumberSchema
  readonly integer: NumberSchema
  readonly boolean: Schema<boolean>
  readonly null: Schema<null>
  readonly undefined: Schema<undefined>
  // oxlint-disable-next-line typescript/no-explicit-any -- `s.any` means an unchecked value
  readonly any: Schema<any>
  readonly email: TextSchema
  readonly uuid: TextSchema
  readonly ipv4: TextSchema
  readonly url: TextSchema
  readonly datetime: TextSchema
  readonly emoji: TextSchema
  pattern(expression: RegExp | string): TextSchema
  union<const S extends readonly Schema[]>(schemas: S): Schema<Infer<S[number]>>
  enum<const T extends string | number>(values: readonly T[]): Schema<T>
  const<const T extends string | number | boolean | null>(value: T): Schema<T>
  array<T>(items: Schema<T>): SizedSchema<T[]>
  tuple<const S extends readonly Schema[]>(items: S): Schema<{ -readonly [K in keyof S]: Infer<S[K]> }>
  object<const P extends Readonly<Record<string, Schema>>>(
    members: P,
  ): SizedSchema<ObjectOf<{ -readonly [K in keyof P]: Infer<P[K]> }>>
  record<T>(member: Schema<T>): SizedSchema<Record<string, T>>
  infer(example: unknown): Schema
}

/**
 * Builds schemas for the input of a program and for the input and result of atoms.
 *
 * @example
 * ```ts
 * import { program, s } from 'mandate/vm'
 * program.take(s.object({ city: s.string, days: s.integer.min(1) }))
 * ```
 */
export const s: SchemaBuilder = (library as unknown as { s: SchemaBuilder }).s
