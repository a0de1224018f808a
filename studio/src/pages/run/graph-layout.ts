import { Graph, layout } from '@dagrejs/dagre'
import type { Row } from '../../journal/timeline-rows.ts'

interface Target {
  readonly to: string
  readonly label?: string
}

/** The parts of a blueprint that the view uses. */
export interface BlueprintView {
  readonly start: string
  readonly nodes: readonly {
    readonly name: string
    readonly kind: string
    readonly next?: string
    readonly routes?: readonly Target[] | Readonly<Record<string, string>>
    readonly sends?: readonly Target[]
  }[]
  readonly edges?: readonly { readonly from: string; readonly to: string }[]
  readonly joins?: readonly { readonly sources: readonly string[]; readonly to: string }[]
}

export interface PlacedNode {
  readonly name: string
  readonly kind: string
  readonly x: number
  readonly y: number
}

export interface PlacedEdge {
  readonly from: string
  readonly to: string
  readonly label: string
  readonly points: readonly { readonly x: number; readonly y: number }[]
}

export const NODE_WIDTH = 168
export const NODE_HEIGHT = 52

/** Computes the layout of a blueprint. It depends only on the blueprint, so nodes do not move while the run continues. */
export function placed(blueprint: BlueprintView): {
  readonly nodes: readonly PlacedNode[]
  readonly edges: readonly PlacedEdge[]
  readonly width: number
  readonly height: number
} {
  const graph = new Graph({ multigraph: true })
  graph.setGraph({ rankdir: 'TB', nodesep: 32, ranksep: 48, marginx: 24, marginy: 24 })
  const kinds = new Map([
    ['START', 'start'],
    ...blueprint.nodes.map(({ name, kind }) => [name, kind] as const),
    ['END', 'end'],
  ])
  for (const name of kinds.keys()) graph.setNode(name, { width: NODE_WIDTH, height: NODE_HEIGHT })
  const edges = edgesOf(blueprint).filter(({ from, to }) => kinds.has(from) && kinds.has(to))
  edges.forEach(({ from, to }, index) => graph.setEdge(from, to, { width: 8, height: 8 }, String(index)))
  layout(graph)
  const { width = 0, height = 0 } = graph.graph() as { width?: number; height?: number }
  return {
    nodes: [...kinds].map(([name, kind]) => ({ name, kind, ...(graph.node(name) as { x: number; y: number }) })),
    edges: edges.map((edge, index) => ({
      ...edge,
      points: (graph.edge(edge.from, edge.to, String(index)) as { points: PlacedEdge['points'] }).points,
    })),
    width,
    height,
  }
}

function edgesOf({
  start,
  nodes,
  edges = [],
  joins = [],
}: BlueprintView): readonly { from: string; to: string; label: string }[] {
  const found = [{ from: 'START', to: start, label: '' }, ...edges.map(({ from, to }) => ({ from, to, label: '' }))]
  for (const { name, next, routes, sends = [] } of nodes) {
    if (next !== undefined) found.push({ from: name, to: next, label: '' })
    for (const { to } of sends) found.push({ from: name, to, label: 'each' })
    const targets = Array.isArray(routes)
      ? (routes as readonly Target[])
      : Object.entries(routes ?? {}).map(([label, to]) => ({ label, to: to as string }))
    for (const { to, label = '' } of targets) found.push({ from: name, to, label })
  }
  for (const { sources, to } of joins) for (const from of sources) found.push({ from, to, label: 'join' })
  return found
}

/** Returns the activations of a node in the order in which they began: `node:dig:2:3` is one of `dig`. */
export function activationsOf(roots: readonly Row[], name: string): readonly Row[] {
  return roots.filter(({ key }) => key.startsWith(`node:${name}:`))
}
