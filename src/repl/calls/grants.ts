import { nearest } from '../../core/index.ts'
import { referencesOf } from '../../graph/index.ts'
import type { Blueprint } from '../../graph/index.ts'

/** What a cell may name. */
export interface Grants {
  /** The tools that it can call. */
  readonly tools: ReadonlySet<string>
  /** The agents that it can ask; absent: all of the host, and its graphs and programs as well. */
  readonly agents?: ReadonlySet<string> | undefined
  /** Registered graphs and programs that it was given by name: they may reach what it cannot reach itself. */
  readonly graphs: ReadonlySet<string>
  readonly programs: ReadonlySet<string>
  /** A graph that is registered with the host. */
  readonly findGraph: (name: string) => Blueprint | undefined
}

/** Why a cell does not get what it names; nothing where it does, or where the kind is not granted by name. */
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
  // Where agents are granted by name, what hides tools and agents behind another name does not add to them.
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

/** A registered graph is there for cells that have everything which it reaches. What functions of nodes reach is not known. */
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
