import type { Mind, Registry } from '../../../run/index.ts'
import type { CompiledGraph } from '../compiled-graph.ts'

const compiled = new WeakMap<Mind, CompiledGraph>()

/** Notes the graph behind a mind. */
export function noteGraph(mind: Mind, graph: CompiledGraph): void {
  compiled.set(mind, graph)
}

/** The graph that is registered under a name. */
export function registeredGraph(registry: Registry, name: string): CompiledGraph | undefined {
  const mind = registry.mind('graph', name)
  return mind === undefined ? undefined : compiled.get(mind)
}

/** What a registered graph takes as its input; `undefined` when it is not known here. */
export function graphOf(registry: Registry, name: string): ReadonlySet<string> | undefined {
  const graph = registeredGraph(registry, name)
  if (graph === undefined) return undefined
  const { input } = graph.blueprint
  const tracked = [...graph.channels].flatMap(([channel, { isUntracked }]) => (isUntracked === true ? [] : [channel]))
  return new Set(input?.map((field) => field.name) ?? tracked)
}
