import type { Blueprint, NodeBlueprint } from '../blueprint.ts'
import { END } from '../blueprint.ts'
import type { Report } from '../report.ts'

/** A blueprint that is being checked. */
export interface GraphView {
  readonly blueprint: Blueprint
  readonly report: Report
  /** The first node of each name. */
  readonly nodes: ReadonlyMap<string, NodeBlueprint>
  /** The JSON pointer of the first node of each name. */
  readonly paths: ReadonlyMap<string, string>
}

export function viewOf(blueprint: Blueprint, report: Report): GraphView {
  const nodes = new Map<string, NodeBlueprint>()
  const paths = new Map<string, string>()
  blueprint.nodes.forEach((node, index) => {
    if (nodes.has(node.name)) return
    nodes.set(node.name, node)
    paths.set(node.name, `/nodes/${index}`)
  })
  return { blueprint, report, nodes, paths }
}

/** All joins of a graph: the declared ones, and nodes with `sources`. */
export function joinsOf({ nodes, joins }: Blueprint): { sources: readonly string[]; to: string; path: string }[] {
  return [
    ...joins.map((join, index) => ({ ...join, path: `/joins/${index}` })),
    ...nodes.flatMap((node, index) =>
      node.kind === 'join' && node.sources ? [{ sources: node.sources, to: node.name, path: `/nodes/${index}` }] : [],
    ),
  ]
}

/** Where a run can go after a node: one of `choices`, and all of `sends` (`isMany`: once for each item of a list). */
export interface Ways {
  readonly choices: readonly string[]
  readonly sends: readonly { readonly to: string; readonly isMany: boolean }[]
  readonly joins: readonly string[]
}

/** The possible successors of every node. */
export function waysOf(blueprint: Blueprint): ReadonlyMap<string, Ways> {
  const edges = new Map(blueprint.edges.map((edge) => [edge.from, edge.to]))
  const joins = new Map<string, string[]>()
  for (const { sources, to } of joinsOf(blueprint)) for (const source of sources) gather(joins, source, to)
  return new Map(
    blueprint.nodes.map((node): [string, Ways] => {
      const single = [node.next, node.command?.goto, edges.get(node.name)].filter((to) => to !== undefined)
      const choices = [...single, ...(node.routes ?? []).map((route) => route.to), ...(node.ends ?? [])]
      const sends = (node.sends ?? []).map((send) => ({ to: send.to, isMany: send.each !== undefined }))
      // A router without routes may choose any node.
      const isOpen = node.router !== undefined && choices.length === 0 && sends.length === 0
      const all = isOpen ? [...blueprint.nodes.map(({ name }) => name), END] : choices
      return [node.name, { choices: all, sends, joins: joins.get(node.name) ?? [] }]
    }),
  )
}

/** All nodes to which a node can lead, without END. */
export function targetsOf(ways: Ways): string[] {
  return [...ways.choices, ...ways.sends.map((send) => send.to), ...ways.joins].filter((to) => to !== END)
}

/** All reachable nodes, including the starting ones. */
export function reachable(from: readonly string[], next: (name: string) => readonly string[]): Set<string> {
  const found = new Set(from)
  for (const name of found) for (const target of next(name)) found.add(target)
  return found
}

/** Appends to the list of a name. */
export function gather(lists: Map<string, string[]>, name: string, item: string): void {
  const list = lists.get(name)
  if (list === undefined) lists.set(name, [item])
  else list.push(item)
}
