import type { Mind, Registry } from '../../../run/index.ts'
import type { CompiledGraph, GraphFunctions } from '../compiled-graph.ts'

/** A registered graph with its functions. */
interface RegisteredGraph {
  readonly graph: CompiledGraph
  readonly functions: GraphFunctions
  readonly hash: string
}

const registered = new WeakMap<Mind, RegisteredGraph>()

/** Records the graph of a mind. */
export function noteGraph(mind: Mind, graph: RegisteredGraph): void {
  registered.set(mind, graph)
}

/** The graph that is registered under a name. */
export function registeredGraph(registry: Registry, name: string): RegisteredGraph | undefined {
  const mind = registry.mind('graph', name)
  return mind === undefined ? undefined : registered.get(mind)
}

/** The input channels of a registered graph; `undefined` if it is not registered here. */
export function acceptedBy(registry: Registry, name: string): ReadonlySet<string> | undefined {
  const graph = registeredGraph(registry, name)?.graph
  if (graph === undefined) return undefined
  const { input } = graph.blueprint
  const tracked = [...graph.channels].flatMap(([channel, { isUntracked }]) => (isUntracked === true ? [] : [channel]))
  return new Set(input?.map((field) => field.name) ?? tracked)
}
