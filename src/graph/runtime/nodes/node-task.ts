import { toPlain } from '../../../core/index.ts'
import type { Json, JsonObject } from '../../../core/index.ts'
import type { Registry, RunContext, Slots } from '../../../run/index.ts'
import type { GraphRegistry } from '../../registry/graph-registry.ts'
import type { CompiledGraph, CompiledNode, GraphFunctions } from '../compiled-graph.ts'
import { expressionOf, templateOf } from '../expressions.ts'
import type { Activation, NodeResult } from '../node-result.ts'

/** One activation of a node being executed. */
export interface NodeTask {
  readonly graph: CompiledGraph
  readonly node: CompiledNode
  readonly activation: Activation
  /** The state at the beginning of the step. */
  readonly state: JsonObject
  readonly context: RunContext
  /** Bounds how many nodes run at once. One that waits for a person releases its slot. */
  readonly lanes: Slots
  readonly functions: GraphFunctions
  readonly names: GraphRegistry
  readonly registry: Registry
}

/** The work of nodes of one kind. */
export type NodeWork = (task: NodeTask) => Promise<NodeResult>

/** The input of the node: the value of its `input`, the item that it was sent, or the state. */
export function inputOf(task: NodeTask): Json {
  const { node, activation, state, functions } = task
  const { input } = node.spec
  const own = functions.given?.(node.name)?.input
  if (own !== undefined) return toPlain(own(state, activation.item)).value
  if (input !== undefined)
    return expressionOf(input, `the input of node "${node.name}"`)({ state, item: activation.item })
  return activation.item === undefined ? state : activation.item
}

/** Whether the node has an explicit input. */
export function hasInput({ node, functions, activation }: NodeTask): boolean {
  return (
    node.spec.input !== undefined || functions.given?.(node.name)?.input !== undefined || activation.item !== undefined
  )
}

/** The prompt for a model, an agent or a person; `undefined` if the node has none. */
export function promptOf(task: NodeTask): string | undefined {
  const { node, functions, state, activation } = task
  const own = functions.given?.(node.name)?.prompt
  if (own !== undefined) return own(state, activation.item)
  return node.spec.prompt === undefined ? undefined : textOf(task, node.spec.prompt)
}

/** A text of the node with its `{{ }}` expressions evaluated. */
export function textOf({ node, activation, state }: NodeTask, text: string): string {
  return templateOf(text, `a text of node "${node.name}"`)({ state, item: activation.item })
}
