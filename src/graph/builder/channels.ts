import type { Json } from '../../core/index.ts'
import type { Message } from '../../model/index.ts'
import type { StandardSchema } from '../../tool/index.ts'
import type { ChannelBlueprint } from '../blueprint/blueprint.ts'

declare const types: unique symbol

/** A channel of a state: the type that nodes read, and the type that they may write. */
export interface ChannelType<Value, Written = Value> {
  readonly [types]?: { readonly value: Value; readonly written: Written }
  readonly reducer: string
  readonly args: ChannelBlueprint['args']
  readonly initial?: Json | undefined
  /** Validates written values; items of a list one by one. */
  readonly schema?: StandardSchema | undefined
  readonly reduce?: ((current: never, update: never) => unknown) | undefined
}

type MessageWrite = string | Message | { readonly role: Message['role']; readonly content: string } | Removal
type Removal = { readonly id: string; readonly remove: true }

interface Checked<T> {
  readonly schema?: StandardSchema<T> | undefined
}

interface Last {
  <T>(options: Checked<T> & { readonly initial: T }): ChannelType<T>
  <T>(options?: Checked<T>): ChannelType<T | undefined, T>
}

/** Factories of the kinds of channels. */
interface ChannelKinds {
  /** Holds the last value. One node may write to it per step. */
  readonly last: Last
  /** A list that grows. */
  topic<T>(options?: Checked<T>): ChannelType<readonly T[], T | readonly T[]>
  /** A number to which written values are added. */
  delta(initial?: number): ChannelType<number>
  /** A conversation: a message with an existing id replaces that message. */
  messages(): ChannelType<readonly Message[], MessageWrite | readonly MessageWrite[]>
  /** Holds a value for the next step only. */
  ephemeral<T>(options?: Checked<T>): ChannelType<T | undefined, T>
  /** Holds a value in memory only: never journaled, lost when the run continues in another process, and not visible to routes. */
  untracked<T>(): ChannelType<T | undefined, T>
  /** True once this many values have been written. */
  barrier(count: number): ChannelType<boolean, Json>
  /** True once each of these names has been written. */
  namedBarrier<const N extends string>(names: readonly N[]): ChannelType<boolean, N | readonly N[]>
  /** Folds written values by a pure function. */
  reduce<T, W = T>(reduce: (current: T, update: W) => T, initial: T): ChannelType<T, W>
}

/**
 * The kinds of channels: how the values that nodes write in one step become the new value of a part of the state.
 *
 * @example
 * ```ts
 * import { channel, defineGraph } from 'mandate/graph'
 * const graph = defineGraph({
 *   name: 'count',
 *   state: {
 *     topic: channel.last<string>(),
 *     notes: channel.topic<string>(),
 *     total: channel.delta(),
 *     highest: channel.reduce((a: number, b: number) => Math.max(a, b), 0),
 *   },
 * }).node('note', (state) => ({ notes: `about ${state.topic ?? 'nothing'}`, total: 1, highest: 7 })).start('note')
 * ```
 */
export const channel: ChannelKinds = {
  last: (options?: Checked<unknown> & { readonly initial?: unknown }) => ({
    reducer: 'last_value',
    args: [],
    schema: options?.schema,
    initial: options?.initial as Json | undefined,
  }),
  topic: ({ schema } = {}) => ({ reducer: 'topic', args: [], schema }),
  delta: (initial = 0) => ({ reducer: 'delta', args: [initial] }),
  messages: () => ({ reducer: 'messages', args: [] }),
  ephemeral: ({ schema } = {}) => ({ reducer: 'ephemeral', args: [], schema }),
  untracked: () => ({ reducer: 'untracked', args: [] }),
  barrier: (count) => ({ reducer: 'barrier', args: [count] }),
  namedBarrier: (names) => ({ reducer: 'named_barrier', args: names }),
  reduce: (reduce, initial) => ({
    reducer: 'aggregate',
    args: [],
    initial: initial as Json,
    reduce: reduce,
  }),
}
