import { isTagged, printExpr } from '../../expr/index.ts'
import type { Expr, ExprNode } from '../../expr/index.ts'

/** The child nodes of a node. Literals hold data, never nodes. */
export function childrenOf(node: ExprNode): readonly ExprNode[] {
  if (node.$expr === 'literal') return []
  return Object.values(node)
    .flat()
    .flatMap((part: unknown) =>
      isTagged(part) ? [part] : typeof part === 'object' && part !== null ? Object.values(part) : [],
    )
    .filter((part: unknown): part is ExprNode => isTagged(part))
}

/** Whether a name is read anywhere in an expression. */
export function mentions(node: ExprNode, name: string): boolean {
  return isIdent(node, name) || childrenOf(node).some((child) => mentions(child, name))
}

/** Whether risk levels are compared as strings, which ignores their order. */
export function comparesRisk(node: ExprNode): boolean {
  const isComparison = node.$expr === 'binary' && /^[<>]/.test(node.op)
  return (
    (isComparison && (isIdent(node.left, 'risk') || isIdent(node.right, 'risk'))) || childrenOf(node).some(comparesRisk)
  )
}

export function isIdent(expr: Expr, name: string): boolean {
  return isTagged(expr) && expr.$expr === 'ident' && (expr as { readonly name?: unknown }).name === name
}

/** The clauses of a conjunction. */
export function clausesOf(node: ExprNode): readonly ExprNode[] {
  if (node.$expr !== 'logical' || node.op !== '&&') return [node]
  return [node.left, node.right].flatMap((side) => (isTagged(side) ? clausesOf(side as ExprNode) : []))
}

/** The longest constant paths that an expression reads, each once. */
export function pathsIn(node: ExprNode): readonly ExprNode[] {
  const paths = isPath(node) ? [node] : childrenOf(node).flatMap(pathsIn)
  return [...new Map(paths.map((path) => [printExpr(path), path])).values()]
}

function isPath(expr: Expr): expr is ExprNode {
  if (!isTagged(expr)) return false
  const node = expr as ExprNode
  if (node.$expr === 'ident') return true
  return (
    node.$expr === 'member' &&
    isPath(node.object) &&
    (!node.computed || !isTagged(node.property) || node.property.$expr === 'literal')
  )
}

/** The same path with `?.` everywhere. */
export function pathThrough(node: ExprNode): ExprNode {
  return node.$expr === 'member' ? { ...node, object: pathThrough(node.object as ExprNode), optional: true } : node
}
