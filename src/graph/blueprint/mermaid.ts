import type { Blueprint, NodeBlueprint, RouteBlueprint } from './blueprint.ts'
import { END } from './blueprint.ts'

const LABEL_MAX = 60

/** The brackets of a node by kind: decisions are rhombuses, waits hexagons, containers boxes with double sides. */
const SHAPES: Readonly<Partial<Record<NodeBlueprint['kind'], readonly [string, string]>>> = {
  router: ['{', '}'],
  interrupt: ['[/', '/]'],
  join: ['{{', '}}'],
  subgraph: ['[[', ']]'],
  subagent: ['[[', ']]'],
}

/**
 * A graph as a Mermaid flowchart. Names, labels and conditions are escaped.
 *
 * @example
 * ```ts
 * import { compileRag, toMermaid } from 'mandate/graph'
 * const { graphs } = compileRag('graph hello { start say node say { prompt "Say hello." next END } }')
 * console.log(graphs.map(toMermaid).join('\n'))
 * ```
 */
export function toMermaid(blueprint: Blueprint): string {
  const { nodes, edges, joins } = blueprint
  const ids = new Map(nodes.map((node, index) => [node.name, `n${index}`]))
  const idOf = (name: string): string => (name === END ? 'finish' : (ids.get(name) ?? `missing["${escape(name)}"]`))
  const lines = nodes.map((node, index) => {
    const [open, close] = SHAPES[node.kind] ?? ['[', ']']
    return `n${index}${open}"${escape(node.name)}<br/>${escape(node.kind)}"${close}`
  })
  if (blueprint.start !== '') lines.push(`begin(["${escape(blueprint.name)}"]) --> ${idOf(blueprint.start)}`)
  for (const node of nodes) {
    const from = idOf(node.name)
    const single = node.next ?? node.command?.goto
    if (single !== undefined) lines.push(`${from} --> ${idOf(single)}`)
    for (const route of node.routes ?? []) lines.push(`${from} -->|"${labelOf(route)}"| ${idOf(route.to)}`)
    for (const { to, each } of node.sends ?? [])
      lines.push(`${from} -.->|"${each === undefined ? 'send' : `each ${escape(each)}`}"| ${idOf(to)}`)
    for (const end of node.ends ?? []) lines.push(`${from} -->|"may go"| ${idOf(end)}`)
    if (node.kind === 'join') for (const source of node.sources ?? []) lines.push(`${idOf(source)} --> ${from}`)
  }
  for (const { from, to } of edges) lines.push(`${idOf(from)} --> ${idOf(to)}`)
  joins.forEach(({ sources, to }, index) => {
    lines.push(`j${index}{{"join"}} --> ${idOf(to)}`, ...sources.map((source) => `${idOf(source)} --> j${index}`))
  })
  if (lines.some((line) => line.endsWith(' finish'))) lines.push(`finish(["${END}"])`)
  return ['flowchart TD', ...lines.map((line) => `  ${line}`), ''].join('\n')
}

function labelOf({ label, when }: RouteBlueprint): string {
  return escape(label ?? when ?? 'otherwise')
}

/** Escapes characters that Mermaid or HTML would parse as markup, and truncates long labels. */
function escape(text: string): string {
  const line = Array.from(text.replaceAll(/\s+/g, ' '))
  const shown = line.length > LABEL_MAX ? [...line.slice(0, LABEL_MAX - 1), '…'] : line
  return shown
    .map((character) => (/[\p{L}\p{M}\p{N} _.,…-]/u.test(character) ? character : `#${character.codePointAt(0)};`))
    .join('')
}
