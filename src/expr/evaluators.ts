import type { Compiler, Run } from './compiler.ts'
import { compileConditional, compileLogical } from './forks.ts'
import { compileMember, compileMethodCall, keyOf } from './members.ts'
import { compileArg, compileIdent } from './names.ts'
import { isTagged } from './nodes/expr-node.ts'
import type { ExprNode } from './nodes/expr-node.ts'
import { object } from './nodes/object.ts'
import type { ObjectNode, ObjectProperty } from './nodes/object.ts'
import { compileBinary, compileTemplate, compileUnary } from './operations.ts'

/** Makes one node ready, and through it all that it holds. A bare value is a literal; a bare list or object may hold nodes. */
export function compileNode<S>(expr: unknown, compiler: Compiler<S>): Run<S> {
  if (!isTagged(expr)) {
    if (typeof expr !== 'object' || expr === null)
      return expr === undefined ? compiler.refuse('it is missing') : () => expr
    if (Array.isArray(expr)) return compileList({ elements: expr }, 'elements', compiler)
    return compileObject(object(Object.entries(expr).map(([key, value]) => ({ key, value }))), compiler)
  }
  const node = expr as ExprNode
  switch (node.$expr) {
    case undefined:
      return compileArg(node, compiler)
    case 'literal': {
      const { value } = node
      return () => value
    }
    case 'ident':
      return compileIdent(node, compiler)
    case 'member':
      return compileMember(node, compiler)
    case 'methodCall':
      return compileMethodCall(node, compiler)
    case 'binary':
      return compileBinary(node, compiler)
    case 'unary':
      return compileUnary(node, compiler)
    case 'template':
      return compileTemplate(node, compiler)
    case 'logical':
      return compileLogical(node, compiler)
    case 'conditional':
      return compileConditional(node, compiler)
    case 'array':
      return compileList(node, 'elements', compiler)
    case 'object':
      return compileObject(node, compiler)
    default:
      return compiler.refuse(`\`${node.$expr as string}\` is no expression, or one that only programs have`)
  }
}

function compileList<S>(node: object, field: string, compiler: Compiler<S>): Run<S> {
  const runs = compiler.list(node, field)
  return (scope, fuel) => runs.map((run) => run(scope, fuel))
}

function compileObject<S>(node: ObjectNode, compiler: Compiler<S>): Run<S> {
  const { properties } = node as { readonly properties: readonly ObjectProperty[] }
  if (!Array.isArray(properties)) compiler.refuse('`properties` must be a list')
  const members = properties.map((property) => {
    const name = property.computed ? '' : compiler.name(property.key)
    return { key: name ? () => name : compiler.child(property, 'key'), value: compiler.child(property, 'value') }
  })
  return (scope, fuel) =>
    Object.fromEntries(members.map(({ key, value }) => [keyOf(key(scope, fuel)), value(scope, fuel)]))
}
