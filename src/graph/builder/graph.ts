import type { Resources } from '../../run/index.ts'
import type { Mandate } from '../../gate/index.ts'
import type { Blueprint } from '../blueprint/blueprint.ts'
import type { GraphFunctions } from '../runtime/compiled-graph.ts'
import type { NodeFunction } from '../runtime/nodes/code-node.ts'

/** A graph that was built in TypeScript: its structure as data, and the functions behind it. */
export interface Graph<Input = unknown, Output = unknown> {
  /** Only a type: what a run is given, and what it gives. */
  readonly '~types'?: { readonly input: Input; readonly output: Output }
  readonly name: string
  /** The structure, as the same graph in `.rag` or JSON would have it; functions are nodes of kind `code`. */
  readonly blueprint: Blueprint
  readonly parts: GraphCode
}

/** What stands behind the structure of a graph. */
export interface GraphCode extends Required<Pick<GraphFunctions, 'check' | 'given'>> {
  readonly nodes: ReadonlyMap<string, NodeFunction>
  readonly routers: ReadonlyMap<string, unknown>
  readonly reducers: ReadonlyMap<string, unknown>
  readonly resources: Resources
  /** Graphs that are registered with this one. */
  readonly graphs: readonly Graph[]
  readonly mandate?: Mandate | undefined
}
