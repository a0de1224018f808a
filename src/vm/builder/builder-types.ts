import type { JsonObject } from '../../core/index.ts'
import type { ArgNode, ExprNode } from '../../expr/index.ts'
import type { Atom } from '../atoms/atom.ts'
import type { SchemaSource } from './schema-source.ts'

/** A step of a program. */
export type StepJson = JsonObject & { readonly op: string }

/** A program in its serialized form: plain JSON. */
export type ProgramJson = JsonObject & { readonly op: 'seq'; readonly steps: readonly StepJson[] }

/** A node of the expression language, with the fields that a builder uses. */
type Node = ExprNode | { readonly $expr: string; readonly [field: string]: unknown }

/** A value of type T, or an expression that evaluates to it. If T does not include texts, a text is the path of a variable. */
type Value<T> =
  | T
  | Node
  | ArgNode
  | (string extends T ? never : string)
  | (T extends object ? { readonly [K in keyof T]: Value<T[K]> } : never)

/** The input of an atom with expressions in the places of values. */
// An input of `any` stays open; the conditional keeps it from becoming a type with no members.
type InputOf<I> = 0 extends 1 & I ? Readonly<Record<string, unknown>> : { readonly [K in keyof I]: Value<I[K]> }

/** The variables of a condition by name: the path of a variable, or an expression. */
export type Vars = Readonly<Record<string, string | number | boolean | null | Node | ArgNode>>

export type Condition = string | Node

/** The atoms of a builder by their operations. */
export type AtomMap = Readonly<Record<string, Atom>>

/** The same atoms by the operation names used in steps, regardless of the keys that the host uses. */
export type ByOp<M> = {
  readonly [K in keyof M as M[K] extends { readonly op: infer Op extends string } ? Op : never]: M[K]
}

type AtomMethods<A> = {
  readonly [Op in Exclude<keyof A, keyof BuilderCore<A>>]: A[Op] extends { exec(input: infer I, ctx: never): unknown }
    ? (...input: {} extends I ? [input?: InputOf<I>] : [input: InputOf<I>]) => Builder<A>
    : never
}

type Body<A> = (builder: Builder<A>) => unknown

/** The parts of a chain that are not plain atoms: blocks, names and the end. */
interface BuilderCore<A> {
  /** Declares the input schema of the program. It is part of the program, and enforced. */
  take(schema?: SchemaSource): Builder<A>
  /** A reference to an argument of the program: `args('user.id')`. */
  args(path: string): ArgNode
  /** A reference to a variable: `val('user.id')`. */
  val(path: string): ExprNode
  /** Binds the result of the step before to a name. */
  as(name: string, options?: { readonly const?: boolean | undefined }): Builder<A>
  /** Adds a step unchanged. */
  step(step: object): Builder<A>
  /** Ends the program with the variables that a schema names, or with `{ value }`. */
  return(what: SchemaSource | { readonly value: unknown }): Builder<A>
  if(condition: Condition, vars: Vars, then: Body<A>, otherwise?: Body<A>): Builder<A>
  while(condition: Condition, vars: Vars, body: Body<A>): Builder<A>
  scope(body: Body<A>): Builder<A>
  map(items: Value<readonly unknown[]>, as: string, body: Body<A>): Builder<A>
  filter(items: Value<readonly unknown[]>, as: string, condition: Condition, vars?: Vars): Builder<A>
  find(items: Value<readonly unknown[]>, as: string, condition: Condition, vars?: Vars): Builder<A>
  // oxlint-disable-next-line max-params -- the seed's own signature
  reduce(items: Value<readonly unknown[]>, as: string, accumulator: string, initial: unknown, body: Body<A>): Builder<A>
  try(blocks: {
    readonly try: Body<A>
    readonly catch?: Body<A> | undefined
    readonly catchParam?: string | undefined
  }): Builder<A>
  memoize(body: Body<A>, key?: unknown): Builder<A>
  cache(body: Body<A>, key?: unknown, ttlMs?: number): Builder<A>
  varsImport(keys: readonly string[] | Readonly<Record<string, string>>): Builder<A>
  varsExport(keys: readonly string[] | Readonly<Record<string, string>>): Builder<A>
  varsLet(values: Readonly<Record<string, unknown>>): Builder<A>
  varSet(input: { readonly key: string; readonly value: unknown }): Builder<A>
  constSet(input: { readonly key: string; readonly value: unknown }): Builder<A>
  varGet(input: { readonly key: string }): Builder<A>
  /** The program as JSON. */
  toJSON(): ProgramJson
}

/** A chain of steps: what every builder has, and one method per atom. */
export type Builder<A> = BuilderCore<A> & AtomMethods<A>
