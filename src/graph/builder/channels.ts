import { MandateError, checkFields } from '../../core/index.ts'
import type { FieldNames, Json } from '../../core/index.ts'
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
    schema: schemaOf('last', options),
    initial: options?.initial as Json | undefined,
  }),
  topic: (options) => ({ reducer: 'topic', args: [], schema: schemaOf('topic', options) }),
  delta: (initial = 0) => {
    check(Number.isFinite(initial), '`channel.delta` begins with a number, as in `channel.delta(0)`')
    return { reducer: 'delta', args: [initial] }
  },
  messages: () => ({ reducer: 'messages', args: [] }),
  ephemeral: (options) => ({ reducer: 'ephemeral', args: [], schema: schemaOf('ephemeral', options) }),
  untracked: () => ({ reducer: 'untracked', args: [] }),
  barrier: (count) => {
    check(Number.isSafeInteger(count) && count > 0, '`channel.barrier` needs the number of values that it waits for')
    return { reducer: 'barrier', args: [count] }
  },
  namedBarrier: (names) => {
    const areNames = Array.isArray(names) && names.length > 0 && names.every((name) => typeof name === 'string')
    check(areNames, '`channel.namedBarrier` needs a list of the names that it waits for')
    return { reducer: 'named_barrier', args: names }
  },
  reduce: (reduce, initial) => {
    check(typeof reduce === 'function', '`channel.reduce` needs a function of the current value and an update')
    return { reducer: 'aggregate', args: [], initial: initial as Json, reduce }
  },
}

const LAST: FieldNames<Checked<unknown> & { readonly initial: unknown }> = { schema: true, initial: true }
const CHECKED: FieldNames<Checked<unknown>> = { schema: true }

/** The schema in the options of a channel, which are checked. */
function schemaOf<T>(kind: string, options: Checked<T> | undefined): StandardSchema<T> | undefined {
  checkFields(options, `an option of \`channel.${kind}\``, kind === 'last' ? LAST : CHECKED)
  const schema = options?.schema
  const isSchema = schema === undefined || typeof schema['~standard']?.validate === 'function'
  check(isSchema, `The \`schema\` of \`channel.${kind}\` is no Standard Schema. Give one of zod, valibot or arktype`)
  return schema
}

function check(isValid: boolean, problem: string): void {
  if (!isValid) throw new MandateError('CONFIG_INVALID', `${problem}.`)
}
