import { nearest } from '../../core/index.ts'
import { referencesOf } from '../../graph/index.ts'
import type { Blueprint } from '../../graph/index.ts'

/** The tools, agents, graphs and programs that a cell may use. */
export interface Grants {
  /** The tools that it can call. */
  readonly tools: ReadonlySet<string>
  /** The agents that it can ask. If absent: all agents, graphs and programs of the host. */
  readonly agents?: ReadonlySet<string> | undefined
  /** Registered graphs and programs granted by name. They may use what the cell itself cannot. */
  readonly graphs: ReadonlySet<string>
  readonly programs: ReadonlySet<string>
  /** Finds a graph registered with the host. */
  readonly findGraph: (name: string) => Blueprint | undefined
}

/** Returns why a cell may not use something; undefined if it may, or if its kind is not granted by name. */
export function notGranted(grants: Grants, kind: string, name: string): string | undefined {
  return problemOf(grants, { kind, name }, new Set())
}

interface Named {
  readonly kind: string
  readonly name: string
}

function problemOf(grants: Grants, { kind, name }: Named, seen: Set<string>): string | undefined {
  const { tools, agents, graphs, programs } = grants
  if (kind === 'tool') return unlessAmong(tools, kind, name)
  // When agents are granted by name, graphs and programs must not give access to further tools and agents indirectly.
  if (agents === undefined) return undefined
  if (kind === 'agent') return unlessAmong(agents, kind, name)
  if (kind === 'program') return unlessAmong(programs, kind, name)
  return kind === 'graph' && !graphs.has(name) ? graphProblem(grants, name, seen) : undefined
}

function unlessAmong(granted: ReadonlySet<string>, kind: string, name: string): string | undefined {
  if (granted.has(name)) return undefined
  const meant = nearest(name, [...granted])
  const hint = meant === undefined ? '' : ` Did you mean "${meant}"?`
  return `There is no ${kind} "${name}" here.${hint}`
}

/**
 * Checks a registered graph: a cell may run it if it is granted everything that the graph uses. Graphs with functions of the host are refused, since what
 * these use is unknown.
 */
function graphProblem(grants: Grants, name: string, seen: Set<string>): string | undefined {
  if (seen.has(name)) return undefined
  seen.add(name)
  const blueprint = grants.findGraph(name)
  if (blueprint === undefined) return unlessAmong(grants.graphs, 'graph', name)
  const code = blueprint.nodes.find((node) => node.kind === 'code')
  if (code !== undefined) return `The graph "${name}" is not for cells: node "${code.name}" is a function of the host.`
  for (const named of referencesOf(blueprint)) {
    const problem = problemOf(grants, named, seen)
    if (problem !== undefined) return `The graph "${name}" reaches what is not there for this cell: ${problem}`
  }
  return undefined
}
