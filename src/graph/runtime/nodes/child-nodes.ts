import { MandateError } from '../../../core/index.ts'
import type { Json, JsonObject } from '../../../core/index.ts'
import type { MindKind } from '../../../journal/index.ts'
import type { Message } from '../../../model/index.ts'
import type { CatalogKind } from '../../blueprint/blueprint.ts'
import { textFrom } from '../expressions.ts'
import { valueOf } from '../graph-context.ts'
import type { NodeResult } from '../node-result.ts'
import { agentInput, answerFrom } from './agent-input.ts'
import { acceptedBy } from './registered-graphs.ts'
import { hasInput, inputOf, promptOf } from './node-task.ts'
import type { NodeTask } from './node-task.ts'

/** Runs another agent: by its name, or the agent that the node itself describes. */
export async function runAgent(task: NodeTask, name: string): Promise<NodeResult> {
  const { context, names } = task
  const found = names.find('agent', name) ?? name
  const value = valueOf(await context.perform({ kind: 'agent', name: found, input: taskFor(task), origin: 'graph' }))
  return { result: answerFrom(value) }
}

/** The prompt of the node; otherwise its input; otherwise the conversation. */
function taskFor(task: NodeTask): Json {
  const { graph, state } = task
  const prompt = promptOf(task)
  if (prompt !== undefined) return agentInput(prompt)
  const talk =
    graph.conversation === undefined ? [] : ((state[graph.conversation] ?? []) as unknown as readonly Message[])
  if (hasInput(task) || talk.length === 0) return agentInput(textFrom(inputOf(task)))
  const last = talk.at(-1)!
  return last.role === 'user' ? agentInput(last, talk.slice(0, -1)) : agentInput(null, talk)
}

/** Runs another graph with the fields of the state that it accepts, unless the node has an `input`. */
export async function runSubgraph(task: NodeTask): Promise<NodeResult> {
  const { node, registry, names } = task
  const name = named(task, 'graph', node.spec.graph)
  const found = names.find('graph', name) ?? name
  const accepted = acceptedBy(registry, found)
  const given = inputOf(task)
  const isShared = !hasInput(task) && accepted !== undefined
  const input = isShared ? sharedPart(given as JsonObject, accepted) : given
  return { result: await performChild(task, 'graph', found, input) }
}

function sharedPart(state: JsonObject, accepted: ReadonlySet<string>): JsonObject {
  return Object.fromEntries(Object.entries(state).filter(([name]) => accepted.has(name)))
}

export async function runProgram(task: NodeTask): Promise<NodeResult> {
  const name = named(task, 'program', task.node.spec.script)
  const output = await performChild(task, 'program', task.names.find('program', name) ?? name, inputOf(task))
  const { result = null } = output as { readonly result?: Json }
  return { result }
}

/** Runs a session of cells, if the host has such a mind. */
export async function runCells(task: NodeTask): Promise<NodeResult> {
  const name = named(task, 'program', task.node.spec.script)
  if (task.registry.mind('cell', name) === undefined)
    throw new MandateError(
      'NOT_FOUND',
      `Node "${task.node.name}" runs the script "${name}" in cells, and no cell mind "${name}" is registered here. Register one, or make it a node of kind \`program\`.`,
    )
  return { result: await performChild(task, 'cell', name, inputOf(task)) }
}

async function performChild({ context }: NodeTask, kind: MindKind, name: string, input: Json): Promise<Json> {
  return valueOf(await context.perform({ kind, name, input, origin: 'graph' }))
}

function named({ node }: NodeTask, what: CatalogKind, name: string | undefined): string {
  if (name !== undefined) return name
  throw new MandateError('CONFIG_INVALID', `Node "${node.name}" is of kind \`${node.spec.kind}\` and names no ${what}.`)
}
