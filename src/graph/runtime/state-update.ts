import { MandateError, isRecord, messageOf, nearest } from '../../core/index.ts'
import type { Json, JsonObject } from '../../core/index.ts'
import type { CompiledGraph } from './compiled-graph.ts'
import type { StateUpdate } from './machine.ts'
import { checkUpdate } from './value-check.ts'

/** Marks a steering message that changes the state of a graph. */
const UPDATE = 'graph-update'

/** The steering message with an update. */
export function updateMessage({ update, asNode }: StateUpdate): JsonObject {
  return { type: UPDATE, update, ...(asNode === undefined ? {} : { asNode }) }
}

/** Returns the update if it is valid for the graph, or throws. */
export function checkStateUpdate(graph: CompiledGraph, { update, asNode }: StateUpdate): StateUpdate {
  if (!isRecord(update))
    throw new MandateError('INPUT_INVALID', 'An update of a state is an object with values for channels.')
  checkUpdate(graph, update, 'The update')
  for (const name of Object.keys(update))
    if (graph.channels.get(name)?.isUntracked === true)
      throw new MandateError('INPUT_INVALID', `The update has "${name}", which is untracked: it cannot be journaled.`)
  if (asNode !== undefined && !graph.nodes.has(asNode)) {
    const near = nearest(asNode, [...graph.nodes.keys()])
    const hint = near === undefined ? `Nodes: ${[...graph.nodes.keys()].join(', ')}.` : `Did you mean "${near}"?`
    throw new MandateError('INPUT_INVALID', `\`asNode\` is "${asNode}", which is no node of the graph. ${hint}`)
  }
  return { update, asNode }
}

/** The meaning of a steering message for a graph: a change of its state, or a message in its conversation. */
export function readUpdate(graph: CompiledGraph, said: Json): StateUpdate | { readonly problem: string } {
  try {
    if (isRecord(said) && said['type'] === UPDATE) return checkStateUpdate(graph, said as unknown as StateUpdate)
    if (graph.conversation !== undefined) return checkStateUpdate(graph, { update: { [graph.conversation]: said } })
    return { problem: `The graph "${graph.blueprint.name}" has no conversation to which the message could be added.` }
  } catch (error) {
    return { problem: messageOf(error) }
  }
}
