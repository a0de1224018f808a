import { isTagged } from '../../expr/index.ts'
import type { Expr, ExprNode } from '../../expr/index.ts'
import { childrenOf, clausesOf, isIdent } from './expression-parts.ts'

const EQUAL = new Set(['==', '==='])
const COMPARED = new Set([...EQUAL, '!=', '!=='])

/** Every text that a name is compared with in an expression: `tool == "pay"`, `["pay", "refund"].includes(tool)`. */
export function comparedTexts(node: ExprNode, name: string): readonly string[] {
  return [...ownTexts(node, name, COMPARED), ...childrenOf(node).flatMap((child) => comparedTexts(child, name))]
}

/** The only texts that a name can have where an expression holds; `undefined` if it can have any. */
export function restrictedTo(node: ExprNode, name: string): readonly string[] | undefined {
  for (const clause of clausesOf(node)) {
    const texts = alternatives(clause, name)
    if (texts.length > 0) return texts
  }
  return undefined
}

/** The texts of a clause, each of which is enough for it; none if it holds for other texts as well. */
function alternatives(clause: ExprNode, name: string): readonly string[] {
  if (clause.$expr !== 'logical' || clause.op !== '||') return ownTexts(clause, name, EQUAL)
  const sides = [clause.left, clause.right].map((side) =>
    isTagged(side) ? (restrictedTo(side as ExprNode, name) ?? []) : [],
  )
  return sides.some((texts) => texts.length === 0) ? [] : sides.flat()
}

/** The texts that one node compares a name with. */
function ownTexts(node: ExprNode, name: string, operators: ReadonlySet<string>): readonly string[] {
  if (node.$expr === 'binary' && operators.has(node.op)) {
    if (isIdent(node.left, name)) return textsOf(node.right)
    return isIdent(node.right, name) ? textsOf(node.left) : []
  }
  if (node.$expr !== 'methodCall' || node.method !== 'includes' || !isIdent(node.arguments[0] ?? null, name)) return []
  const { object } = node
  if (isTagged(object) && (object as ExprNode).$expr === 'array')
    return (object as { readonly elements: readonly Expr[] }).elements.flatMap(textsOf)
  // A text that includes the name is a comparison with parts of names.
  return Array.isArray(object) ? object.flatMap((element) => textsOf(element as Expr)) : []
}

function textsOf(expr: Expr): readonly string[] {
  const value: unknown =
    isTagged(expr) && (expr as ExprNode).$expr === 'literal' ? (expr as { value: unknown }).value : expr
  return typeof value === 'string' ? [value] : []
}
