import type { OwnField } from '../definition-fields.ts'
import type { ToolFacts } from '../facts.ts'
import type { Tool } from '../tool.ts'
import type { SchemaInput, SchemaOutput } from './schema-types.ts'

type AnyFunction = (...args: never[]) => unknown

/** Every accepted shape of a tool, as the members that they have altogether. Required combinations are checked when it is read. */
export interface ToolLike extends Omit<ToolFacts, 'fatal' | 'needsApproval' | 'outputSchema' | 'retry' | 'reconcile'> {
  /** The name for the model. Letters, digits, `_` and `-`. */
  readonly name?: string | undefined
  /** The name in shapes of other libraries. */
  readonly id?: string | undefined
  /** What it does, for the model. A function gets the context of the tool. */
  readonly description?: string | AnyFunction | undefined
  /** The schema of the input: of zod, valibot, ArkType, Effect or TypeBox, or JSON Schema. */
  readonly inputSchema?: unknown
  /** The schema of the result; a result that does not match is a failure. */
  readonly outputSchema?: unknown
  /** `inputSchema` in the OpenAI Agents SDK and AI SDK 4. */
  readonly parameters?: unknown
  /** `inputSchema` in LangChain. */
  readonly schema?: unknown
  /** `name`, `description` and `parameters` in one, as in the API of OpenAI. */
  readonly definition?: object | undefined
  /** Data for your own code; not shown to the model. */
  readonly metadata?: object | undefined
  /** Whether each call waits for approval. A function decides by the input. */
  readonly needsApproval?: boolean | AnyFunction | undefined
  /** How often a failed call is retried, and the wait before that. */
  readonly retry?: object | undefined
  /** Finds out after a crash whether a call happened. */
  readonly reconcile?: AnyFunction | undefined
  /** Whether a failure ends the run instead of being returned to the model. */
  readonly fatal?: boolean | ((error: unknown) => boolean) | undefined
  /** Performs the call. */
  readonly run?: AnyFunction | undefined
  /** `run` in the AI SDK and Mastra. */
  readonly execute?: AnyFunction | undefined
  /** `run` in other libraries. */
  readonly handler?: AnyFunction | undefined
  /** `run` in LangChain and OpenAI Agents. */
  readonly invoke?: AnyFunction | undefined
  /** `run` in LangChain. */
  readonly func?: AnyFunction | undefined
  /** A bare function has a `name` too, and is no tool. */
  readonly bind?: never
}

/** Tools as a list, or as a record whose keys are their names. */
export type ToolList = readonly ToolLike[] | { readonly [name: string]: ToolLike }

// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- only signatures are compared with their modifiers
export type Same<A, B> = (<X>() => X extends A ? 1 : 2) extends <X>() => X extends B ? 1 : 2 ? true : false

/** Whether a member is read-only, like those of an inline literal; those of a class usually are not. */
type IsReadonly<E, K extends keyof E> = Same<Pick<E, K>, { -readonly [N in K]: E[N] }> extends true ? false : true

/** The required type of a misspelt field, so that the error message names it. No value has it. */
interface NotAField<K> {
  readonly 'is not a field of a tool': K
}

type UnknownField<E, K = Exclude<keyof E & string, OwnField | keyof Tool>> = K extends keyof E & string
  ? IsReadonly<E, K> extends true
    ? K
    : never
  : never

/** Members that a tool of one of this package's shapes cannot have. */
type KnownFields<E> = E extends { readonly run: AnyFunction } | { readonly handler: AnyFunction }
  ? { readonly [K in UnknownField<E>]?: NotAField<K> }
  : unknown

/**
 * The constraint of inline `tools`: a list or a record of tools without misspelt fields, since `rsik: 'read'` must not be ignored. A single mapped
 * type, so that the error is shown at the field.
 */
export type KnownTools<T> = { readonly [N in keyof T]: ToolLike & KnownFields<T[N]> } & object & {
    readonly bind?: never
  }

/** Input and output types of tools, by name. */
export interface ToolTypes {
  /** The input and output type of each tool, by its name. */
  readonly [name: string]: { readonly input: unknown; readonly output: unknown }
}

/** Tools of unknown types: `Agent` without type arguments accepts every agent, whatever its tools. */
// oxlint-disable-next-line typescript/no-explicit-any
export type AnyTools = any

/** The names, inputs and outputs of the tools in a list or record. */
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

/** The input type of a tool of any shape. */
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

/** The input of an AI SDK tool without `execute`. One of the kinds of schemas has `any` as its input type, so the output type is used. */
type ClientInput<T> = T extends { readonly inputSchema: infer S } ? SchemaOutput<S> : unknown

/** The input type of a tool's schema, or of its function. */
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

/** The output type of a tool of any shape. */
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

/** Mastra's tools have optional schemas, and an `execute` that may also return a validation error, which is a failure here. */
type MastraOutput<T, R> = T extends { readonly id: string; readonly outputSchema?: infer S }
  ? NonNullable<S> extends { readonly '~standard': unknown }
    ? SchemaOutput<NonNullable<S>>
    : R
  : R

/** The result type of a tool's function: a value, a promise, or an async iterable whose last item is the result. */
export type ResultOf<R> = R extends AsyncIterable<infer T> ? T : Awaited<R>
