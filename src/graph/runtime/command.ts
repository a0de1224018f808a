import { checkFields } from '../../core/index.ts'
import type { FieldNames, Json, JsonObject } from '../../core/index.ts'
import type { Sent, Target } from './node-result.ts'

const mark: unique symbol = Symbol('mandate.graph.command')

/** The return value of a node's function that decides where to go next, and what routes read as its result. */
export interface Command<U = JsonObject, N extends string = string> {
  readonly [mark]: true
  readonly update?: U | undefined
  readonly goto?: readonly (N | Sent)[] | undefined
  readonly result?: Json | undefined
}

interface CommandFields<U, N extends string> {
  /** The values to write to channels. */
  readonly update?: U | undefined
  /** The next node, `END`, a node with its own input, or several of these, instead of the edges and routes of the node. */
  readonly goto?: N | Sent | readonly (N | Sent)[] | undefined
  /** The value that routes read as `result`; the update by default. */
  readonly result?: Json | undefined
}

const FIELDS: FieldNames<CommandFields<object, string>> = { update: true, goto: true, result: true }

/**
 * Creates the return value of a node's function that decides itself where the run goes.
 *
 * @example
 * ```ts
 * import { channel, command, defineGraph } from 'mandate/graph'
 * const graph = defineGraph({ name: 'triage', state: { topic: channel.last<string>() } })
 *   .node('billing', () => ({}))
 *   .node('sort', (state) => command({ update: { topic: 'billing' }, goto: 'billing' }))
 *   .start('sort')
 * ```
 */
export function command<const U extends object = object, const N extends string = string>(
  fields: CommandFields<U, N>,
): Command<U, N> {
  checkFields(fields, 'a field of a command', FIELDS)
  const { update, goto, result } = fields
  const targets = goto === undefined ? undefined : ([goto].flat() as readonly (N | Sent)[])
  return Object.freeze({ [mark]: true as const, update, goto: targets, result })
}

/**
 * Starts a node with its own input, which its function reads as `ctx.item`. A node that is sent several inputs runs once for each, in parallel.
 *
 * @example
 * ```ts
 * import { command, send } from 'mandate/graph'
 * command({ goto: ['a', 'b', 'c'].map((word) => send('count', word)) })
 * ```
 */
export function send(to: string, input: Json): Sent {
  return { to, input }
}

export function isCommand(value: unknown): value is Command & { readonly goto?: readonly Target[] } {
  return typeof value === 'object' && value !== null && mark in value
}
