import { type Node, visitorKeys } from 'oxc-parser'

export type { Node }

/** Where a node hangs in its parent. */
export interface Place {
  readonly parent: Node | undefined
  readonly key: string
}

/** Visits a syntax tree from the top. The visitor may return false to leave out what is below a node. */
export function walk(node: Node, visit: (node: Node, place: Place) => boolean | void, place?: Place): void {
  if (visit(node, place ?? { parent: undefined, key: '' }) === false) return
  for (const { child, key } of childrenOf(node)) walk(child, visit, { parent: node, key })
}

/** The direct children of a node, in source order, each with the key it hangs at. */
export function childrenOf(node: Node): { child: Node; key: string }[] {
  const record = node as unknown as Record<string, Node | (Node | null)[] | null | undefined>
  return (visitorKeys[node.type] ?? []).flatMap((key) =>
    [record[key]]
      .flat()
      .filter((child): child is Node => child !== null && child !== undefined)
      .map((child) => ({ child, key })),
  )
}
