import type { SchemaOutput, StandardSchema } from '../../tool/index.ts'
import type { Command } from '../runtime/command.ts'
import type { GraphContext } from '../runtime/graph-context.ts'
import type { Sent } from '../runtime/node-result.ts'
import type { ChannelType } from './channels.ts'

/** The parts of a state by name: channels, or schemas of values of which the last one is kept. */
export type StateShape = { readonly [name: string]: ChannelType<unknown, unknown> | StandardSchema }

type ValueIn<C> = C extends ChannelType<infer V, infer _W> ? V : SchemaOutput<C> | undefined
type WrittenTo<C> = C extends ChannelType<infer _V, infer W> ? W : SchemaOutput<C>

/** The state as nodes and routes read it: required inputs are present. */
type StateOf<S extends StateShape, I extends keyof S> = {
  readonly [K in keyof S]: K extends I ? Exclude<ValueIn<S[K]>, undefined> : ValueIn<S[K]>
}

/** What a node may write. */
type UpdateOf<S extends StateShape> = { readonly [K in keyof S]?: WrittenTo<S[K]> | undefined }

/** The input of a run: the required fields, or any part of the state. */
export type InputOf<S extends StateShape, I extends keyof S> = [I] extends [never]
  ? UpdateOf<S>
  : { readonly [K in I]: WrittenTo<S[K]> }

/** The output of a run: the declared fields, or the whole state. */
export type OutputOf<S extends StateShape, O extends keyof S> = {
  readonly [K in [O] extends [never] ? keyof S : O]: ValueIn<S[K]>
}

type Maybe<T> = T | void | Promise<T | void>

/** The function of a node. */
export type NodeFunctionOf<S extends StateShape, I extends keyof S> = (
  state: StateOf<S, I>,
  context: GraphContext,
) => Maybe<UpdateOf<S> | Command<UpdateOf<S>>>

/** Decides where a run goes after a node. */
export type RouteFunctionOf<S extends StateShape, I extends keyof S, N extends string> = (
  state: StateOf<S, I>,
  result: unknown,
) => Way<N> | readonly Way<N>[] | Promise<Way<N> | readonly Way<N>[]>

type Way<N extends string> = N | 'END' | Sent
