import type { Resources } from '../../run/index.ts'
import type { Mandate } from '../../gate/index.ts'
import type { Blueprint } from '../blueprint/blueprint.ts'
import type { GraphFunctions } from '../runtime/compiled-graph.ts'
import type { NodeFunction } from '../runtime/nodes/code-node.ts'

/** A graph built in TypeScript: its blueprint and its functions. */
export interface Graph<Input = unknown, Output = unknown> {
  /** Only a type: the input and the output of a run. */
  readonly '~types'?: { readonly input: Input; readonly output: Output }
  readonly name: string
  /** The blueprint, as for the same graph in `.rag` or JSON; functions are nodes of kind `code`. */
  readonly blueprint: Blueprint
  readonly parts: GraphCode
}

/** The functions of a graph. */
export interface GraphCode extends Required<Pick<GraphFunctions, 'check' | 'given'>> {
  readonly nodes: ReadonlyMap<string, NodeFunction>
  readonly routers: ReadonlyMap<string, unknown>
  readonly reducers: ReadonlyMap<string, unknown>
  readonly resources: Resources
  /** Graphs that are registered together with this one. */
  readonly graphs: readonly Graph[]
  readonly mandate?: Mandate | undefined
}
