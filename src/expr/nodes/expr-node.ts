import type { JsonObject } from '../../core/index.ts'
import type { ArgNode } from './arg.ts'
import { array } from './array.ts'
import type { ArrayNode } from './array.ts'
import type { AssignNode } from './assign.ts'
import type { AwaitNode } from './await.ts'
import type { BinaryNode } from './binary.ts'
import type { CallNode } from './call.ts'
import type { ConditionalNode } from './conditional.ts'
import type { FunctionNode } from './function.ts'
import type { IdentNode } from './ident.ts'
import { literal } from './literal.ts'
import type { LiteralNode } from './literal.ts'
import type { LogicalNode } from './logical.ts'
import type { MemberNode } from './member.ts'
import type { MethodCallNode } from './method-call.ts'
import type { Expr, TaggedNode } from './node.ts'
import { object } from './object.ts'
import type { ObjectNode } from './object.ts'
import type { SpreadNode } from './spread.ts'
import type { TemplateNode } from './template.ts'
import type { UnaryNode } from './unary.ts'

/** Any node of the wire format, by its tag: `$expr`, or `$kind: 'arg'`. */
export type ExprNode =
  | ArgNode
  | ArrayNode
  | AssignNode
  | AwaitNode
  | BinaryNode
  | CallNode
  | ConditionalNode
  | FunctionNode
  | IdentNode
  | LiteralNode
  | LogicalNode
  | MemberNode
  | MethodCallNode
  | ObjectNode
  | SpreadNode
  | TemplateNode
  | UnaryNode

/** Whether a value carries a tag, and so is meant as a node (which does not say that it is a good one: see `checkExpr`). */
export function isTagged(value: unknown): value is TaggedNode {
  return (
    typeof value === 'object' &&
    value !== null &&
    (Object.hasOwn(value, '$expr') || (Object.hasOwn(value, '$kind') && (value as TaggedNode).$kind === 'arg'))
  )
}

/**
 * The node that stands in a place: a bare value becomes the literal it is, a bare list or object with nodes somewhere inside becomes the node that builds it.
 * For expressions that were checked, which have an end.
 */
export function nodeOf(expr: Expr): ExprNode {
  if (isTagged(expr)) return expr as ExprNode
  if (typeof expr !== 'object' || expr === null) return literal(expr)
  if (Array.isArray(expr)) {
    const elements = expr.map(nodeOf)
    return elements.every((node, index) => isBare(node, expr[index])) ? literal(expr) : array(elements)
  }
  const record = expr as JsonObject
  const properties = Object.entries(record).map(([key, value]) => ({ key, value: nodeOf(value) }))
  return properties.every(({ key, value }) => isBare(value, record[key])) ? literal(record) : object(properties)
}

/** A literal that was made for a bare value, rather than one that was written as a node. */
function isBare(node: ExprNode, given: Expr | undefined): boolean {
  return node.$expr === 'literal' && node !== given
}
