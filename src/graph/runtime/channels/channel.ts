import { MandateError, memberPointer } from '../../../core/index.ts'
import type { Json } from '../../../core/index.ts'

/** A value that one activation of a node wrote to a channel. */
export interface Write {
  /** The node, for messages. */
  readonly node: string
  readonly value: Json
}

/**
 * How the values written to one part of the state become its new value. A channel itself is stateless: what is kept is a JSON value that the
 * machine holds, so that a state can be shared between steps instead of copied.
 */
export interface Channel {
  readonly kind: string
  /** What is kept before anything was written. */
  readonly initial: Json | undefined
  /** What is kept after the writes of one step, in the order of the active set. Never called without writes. */
  fold(kept: Json | undefined, writes: readonly Write[], name: string): Json | undefined
  /** Why a value cannot be written to it, with the fix; nothing when it can. */
  problem?(value: Json): string | undefined
  /** What nodes see of what is kept; the same where absent. */
  view?(kept: Json | undefined): Json | undefined
  /** It is empty again when a step writes nothing to it. */
  readonly isEphemeral?: boolean | undefined
  /** Neither journaled nor in snapshots. */
  readonly isUntracked?: boolean | undefined
}

/** Two writes of one step to a channel that holds one value. */
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

/** Refuses writes that their channel cannot take. */
export function checkWrites({ problem }: Pick<Channel, 'problem'>, writes: readonly Write[], name: string): void {
  for (const { node, value } of writes) {
    const found = problem?.(value)
    if (found !== undefined) throw misfit(name, `Node "${node}"`, found)
  }
}

/** A value that its channel cannot take. `who` says whose it is: `Node "ask"`. */
export function misfit(name: string, who: string, problem: string): MandateError {
  return new MandateError('INPUT_INVALID', `${who} wrote to the channel "${name}": ${problem}`, {
    info: { channel: name, path: memberPointer('', name) },
  })
}
