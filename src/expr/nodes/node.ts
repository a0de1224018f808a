/** The position of a node in a source text: line and column, both from 1. */
export type Position = readonly [line: number, column: number]

/** The common fields of nodes. Used as "any node" for children, so that node kinds do not depend on each other. */
export interface TaggedNode {
  readonly $expr?: string | undefined
  readonly $kind?: string | undefined
  readonly at?: Position | undefined
}

/** An expression: a node, or a bare value, which stands for itself. No text in it is ever taken for a name. Bare lists and objects may contain nodes. */
export type Expr = TaggedNode | null | boolean | number | string | readonly Expr[] | { readonly [key: string]: Expr }

/** Freezes a node, leaving out an unknown `at`. */
export function sealed<N extends TaggedNode>(node: N, at?: Position): N {
  return Object.freeze(at ? { ...node, at } : node)
}
