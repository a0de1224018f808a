import type { ArgNode } from './arg.ts'
import type { ArrayNode } from './array.ts'
import type { AssignNode } from './assign.ts'
import type { AwaitNode } from './await.ts'
import type { BinaryNode } from './binary.ts'
import type { CallNode } from './call.ts'
import type { ConditionalNode } from './conditional.ts'
import type { FunctionNode } from './function.ts'
import type { IdentNode } from './ident.ts'
import type { LiteralNode } from './literal.ts'
import type { LogicalNode } from './logical.ts'
import type { MemberNode } from './member.ts'
import type { MethodCallNode } from './method-call.ts'
import type { Expr, TaggedNode } from './node.ts'
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

/** Whether a value has a tag and so is meant as a node; `checkExpr` validates it. */
export function isTagged(value: unknown): value is TaggedNode {
  return (
    typeof value === 'object' &&
    value !== null &&
    (Object.hasOwn(value, '$expr') || (Object.hasOwn(value, '$kind') && (value as TaggedNode).$kind === 'arg'))
  )
}

/** Whether a chain of members contains `?.`. */
export function isOptionalChain(expr: Expr | undefined): boolean {
  const { optional, object } = Object(expr) as Partial<MemberNode>
  return optional === true || (object !== undefined && isOptionalChain(object))
}
