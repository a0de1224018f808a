import type { OwnField } from '../definition-fields.ts'
import type { ToolFacts } from '../facts.ts'
import type { Tool } from '../tool.ts'
import type { SchemaInput, SchemaOutput } from './schema-types.ts'

type AnyFunction = (...args: never[]) => unknown

/** Everything that may be given as a tool: the shapes that `defineTool` reads, by the members they have between them. What must come together is checked when it is read. */
export interface ToolLike extends Omit<ToolFacts, 'fatal' | 'needsApproval' | 'outputSchema' | 'retry' | 'reconcile'> {
  readonly name?: string | undefined
  readonly id?: string | undefined
  readonly description?: string | AnyFunction | undefined
  readonly inputSchema?: unknown
  readonly outputSchema?: unknown
  readonly parameters?: unknown
  readonly schema?: unknown
  readonly definition?: object | undefined
  readonly metadata?: object | undefined
  readonly needsApproval?: boolean | AnyFunction | undefined
  readonly retry?: object | undefined
  readonly reconcile?: AnyFunction | undefined
  readonly fatal?: boolean | ((error: unknown) => boolean) | undefined
  readonly run?: AnyFunction | undefined
  readonly execute?: AnyFunction | undefined
  readonly handler?: AnyFunction | undefined
  readonly invoke?: AnyFunction | undefined
  readonly func?: AnyFunction | undefined
  /** A bare function has a `name` too, and is no tool. */
  readonly bind?: never
}

/** Tools as a list, or as a record whose keys are their names. */
export type ToolList = readonly ToolLike[] | { readonly [name: string]: ToolLike }

// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- only signatures are compared with their modifiers
type Same<A, B> = (<X>() => X extends A ? 1 : 2) extends <X>() => X extends B ? 1 : 2 ? true : false

/** Whether a member is read-only, as those of a literal that is written where a tool is expected; those of a class mostly are not. */
type IsReadonly<E, K extends keyof E> = Same<Pick<E, K>, { -readonly [N in K]: E[N] }> extends true ? false : true

/** What a misspelt field would have to be, for the error message to say it. No value is one. */
interface NotAField<K> {
  readonly 'is not a field of a tool': K
}

type UnknownField<E, K = Exclude<keyof E & string, OwnField | keyof Tool>> = K extends keyof E & string
  ? IsReadonly<E, K> extends true
    ? K
    : never
  : never

/** Members that a tool of one of our own shapes cannot have. */
type KnownFields<E> = E extends { readonly run: AnyFunction } | { readonly handler: AnyFunction }
  ? { readonly [K in UnknownField<E>]?: NotAField<K> }
  : unknown

/**
 * The constraint of `tools` that are written in place: a list or a record of tools without misspelt fields, since `rsik: 'read'` must not become no risk. One
 * mapped type, because the error is shown at the field then.
 */
export type KnownTools<T> = { readonly [N in keyof T]: ToolLike & KnownFields<T[N]> } & object & {
    readonly bind?: never
  }

/** Inputs and outputs of tools by their names. */
export interface ToolTypes {
  readonly [name: string]: { readonly input: unknown; readonly output: unknown }
}

/** Tools of which nothing is known: `Agent` without type arguments takes every agent, whatever its tools. */
// oxlint-disable-next-line typescript/no-explicit-any
export type AnyTools = any

/** The names, inputs and outputs of the tools of a list or record. */
export type ToolTypesOf<T> = T extends readonly unknown[]
  ? { readonly [E in T[number] as ToolName<E>]: { readonly input: ToolInput<E>; readonly output: ToolOutput<E> } }
  : { readonly [N in keyof T & string]: { readonly input: ToolInput<T[N]>; readonly output: ToolOutput<T[N]> } }

/** The name of a tool of any shape. */
export type ToolName<T> = T extends { readonly name: infer N extends string }
  ? N
  : T extends { readonly id: infer N extends string }
    ? N
    : T extends { readonly definition: { readonly name: infer N extends string } }
      ? N
      : string

/** What models give to a tool of any shape. */
export type ToolInput<T> = T extends { readonly '~types'?: { readonly input: infer I } | undefined }
  ? I
  : T extends { readonly inputSchema?: infer S extends { readonly '~standard': unknown } | undefined }
    ? SchemaInput<NonNullable<S>>
    : T extends { readonly execute?: infer E }
      ? [NonNullable<E>] extends [never]
        ? ClientInput<T>
        : NonNullable<E> extends (input: infer I, ...rest: never) => unknown
          ? I
          : unknown
      : DeclaredInput<T>

/** An AI SDK tool without `execute`. Of the kinds of schema that its type allows, one says `any` of what it accepts; all say what they give. */
type ClientInput<T> = T extends { readonly inputSchema: infer S } ? SchemaOutput<S> : unknown

/** What the schema of a tool says, or else its function. */
type DeclaredInput<T> = T extends
  | { readonly inputSchema: infer S }
  | { readonly schema: infer S }
  | { readonly parameters: infer S }
  ? SchemaInput<S>
  : T extends { readonly definition: infer D }
    ? ToolInput<D>
    : T extends { readonly run: (input: infer I, ...rest: never) => unknown }
      ? I
      : unknown

/** What a tool of any shape gives. */
export type ToolOutput<T> = T extends { readonly '~types'?: { readonly output: infer O } | undefined }
  ? O
  : T extends { readonly outputSchema: infer S extends object }
    ? SchemaOutput<S>
    : T extends
          | { readonly run: (...args: never) => infer R }
          | { readonly handler: (...args: never) => infer R }
          | { readonly invoke: (...args: never) => infer R }
      ? ResultOf<R>
      : T extends { readonly execute?: ((...args: never) => infer R) | undefined }
        ? MastraOutput<T, ResultOf<R>>
        : unknown

/** Mastra's tools have optional schemas, and an `execute` that may also give a validation error, which is a failure here. */
type MastraOutput<T, R> = T extends { readonly id: string; readonly outputSchema?: infer S }
  ? NonNullable<S> extends { readonly '~standard': unknown }
    ? SchemaOutput<NonNullable<S>>
    : R
  : R

/** The result among what a tool's function may return: a value, a promise, or an async iterable whose last item is the result. */
export type ResultOf<R> = R extends AsyncIterable<infer T> ? T : Awaited<R>
