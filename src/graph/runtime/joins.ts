import type { CompiledGraph, Join } from './compiled-graph.ts'

/** Tracks which sources of each join have run. A join does not wait for sources that can no longer run. */
export class WaitingJoins {
  readonly #graph: CompiledGraph
  readonly #arrived = new Map<Join, Set<string>>()

  constructor(graph: CompiledGraph) {
    this.#graph = graph
  }

  /** Records that a node has run. */
  arrive(node: string): void {
    for (const join of this.#graph.joins) {
      if (!join.sources.includes(node)) continue
      const arrived = this.#arrived.get(join) ?? new Set()
      this.#arrived.set(join, arrived.add(node))
    }
  }

  /** The targets of the joins that need not wait any longer, given what runs next. They are reset. */
  release(next: readonly string[]): readonly string[] {
    const released: string[] = []
    for (;;) {
      const join = this.#graph.joins.find((each) => this.#isOver(each, [...next, ...released]))
      if (join === undefined) return released
      this.#arrived.delete(join)
      released.push(join.to)
    }
  }

  /** Joins that some sources have reached, with those they wait for. */
  get waiting(): readonly { readonly to: string; readonly missing: readonly string[] }[] {
    return [...this.#arrived].map(([{ sources, to }, arrived]) => ({
      to,
      missing: sources.filter((source) => !arrived.has(source)),
    }))
  }

  #isOver(join: Join, active: readonly string[]): boolean {
    const arrived = this.#arrived.get(join)
    if (arrived === undefined) return false
    const missing = join.sources.filter((source) => !arrived.has(source))
    return missing.length === 0 || !this.#canReach(join, active, missing)
  }

  /** Whether one of these nodes can still run before this join continues. */
  #canReach(join: Join, active: readonly string[], wanted: readonly string[]): boolean {
    const seen = new Set(active)
    for (const name of seen) {
      if (wanted.includes(name)) return true
      for (const to of this.#graph.nodes.get(name)?.leadsTo ?? []) {
        const isOwn = to === join.to && join.sources.includes(name) && !this.#leadsDirectly(name, to)
        if (!isOwn) seen.add(to)
      }
    }
    return false
  }

  /** Whether a node leads to another other than by a join. */
  #leadsDirectly(name: string, to: string): boolean {
    const { edges, routes, spec } = this.#graph.nodes.get(name)!
    return edges.includes(to) || routes.some((route) => route.to === to) || spec.ends?.includes(to) === true
  }
}
