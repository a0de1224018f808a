import { MandateError, memberPointer } from '../../../core/index.ts'
import type { Json } from '../../../core/index.ts'

/** A value that one activation of a node wrote to a channel. */
export interface Write {
  /** The node, for messages. */
  readonly node: string
  readonly value: Json
}

/**
 * How the values written to one part of the state become its new value. A channel itself is stateless: its value is JSON in the machine, so that a
 * state can be shared between steps instead of copied.
 */
export interface Channel {
  readonly kind: string
  /** Its value before anything was written. */
  readonly initial: Json | undefined
  /** Its value after the writes of one step, in the order of the active set. Never called without writes. */
  fold(kept: Json | undefined, writes: readonly Write[], name: string): Json | undefined
  /** Why a value cannot be written to it, with the fix; `undefined` for a valid one. */
  problem?(value: Json): string | undefined
  /** The value as nodes read it; unchanged by default. */
  view?(kept: Json | undefined): Json | undefined
  /** Emptied by a step that writes nothing to it. */
  readonly isEphemeral?: boolean | undefined
  /** Neither journaled nor in snapshots. */
  readonly isUntracked?: boolean | undefined
}

/** The error for two writes of one step to a channel that holds one value. */
export function conflict(name: string, writes: readonly Write[]): MandateError {
  const nodes = writes.map(({ node }) => `"${node}"`)
  const who =
    new Set(nodes).size === 1 ? `Several runs of node ${nodes[0]}` : `Nodes ${[...new Set(nodes)].join(' and ')}`
  return new MandateError(
    'INPUT_INVALID',
    `${who} wrote to the channel "${name}" in the same step, and it holds one value. Make it a channel that gathers values, such as \`topic\` or \`delta\`, give it a reducer, or let the nodes run one after another.`,
    { info: { channel: name, nodes: writes.map(({ node }) => node) } },
  )
}

/** Throws on writes that their channel does not accept. */
export function checkWrites({ problem }: Pick<Channel, 'problem'>, writes: readonly Write[], name: string): void {
  for (const { node, value } of writes) {
    const found = problem?.(value)
    if (found !== undefined) throw misfit(name, `Node "${node}"`, found)
  }
}

/** The error for a value that its channel does not accept. `who` is its author: `Node "ask"`. */
export function misfit(name: string, who: string, problem: string): MandateError {
  return new MandateError('INPUT_INVALID', `${who} wrote to the channel "${name}": ${problem}`, {
    info: { channel: name, path: memberPointer('', name) },
  })
}
