import { nearest } from '../core/index.ts'
import type { Compiling, Run } from './compiling.ts'
import { METHODS, callMethod } from './methods.ts'
import { data, keyOf } from './names.ts'
import type { ExprNode } from './nodes/expr-node.ts'
import type { MemberNode } from './nodes/member.ts'
import type { MethodCallNode } from './nodes/method-call.ts'
import { printExpr } from './printer.ts'
import { readMember } from './reading.ts'
import { failed, invalid } from './refusals.ts'

/** What a chain of members gives inside once `?.` has met something missing. It has no members, so every fast way misses it. */
export const SHORT: object = Object.freeze({ __proto__: null })

/** Whether `?.` is somewhere in a chain of members. */
export function isOptionalChain(node: ExprNode): boolean {
  if (node.$expr !== 'member' && node.$expr !== 'methodCall') return false
  return node.optional === true || isOptionalChain(node.object as ExprNode)
}

export function compileMember<S>(node: MemberNode, compiling: Compiling<S>): Run<S> {
  const object = compiling.link(node.object)
  if (node.computed === true) {
    const property = compiling.compile(node.property)
    return (scope, fuel) => {
      const value = object(scope, fuel)
      return value == null || value === SHORT
        ? missing(value, node)
        : slowRead(value, keyOf(property(scope, fuel)), node)
    }
  }
  const key = node.property as string
  return (scope, fuel) => {
    const value = object(scope, fuel)
    if (typeof value === 'object' && value !== null && Object.hasOwn(value, key)) {
      const found = (value as { readonly [name: string]: unknown })[key]
      if (typeof found !== 'function') return found
    }
    return slowRead(value, key, node)
  }
}

function slowRead(value: unknown, key: string | number, node: MemberNode): unknown {
  if (value == null || value === SHORT) return missing(value, node)
  return data(readMember(value, key), printExpr(node))
}

export function compileMethodCall<S>(node: MethodCallNode, compiling: Compiling<S>): Run<S> {
  const { method } = node
  if (!METHODS.includes(method)) {
    const meant = nearest(method, METHODS)
    const hint = meant === undefined ? `There are: ${METHODS.join(', ')}.` : `Did you mean \`${meant}\`?`
    throw invalid(`There is no method \`${method}\`. ${hint}`, { method })
  }
  const object = compiling.link(node.object)
  const args = node.arguments.map((item) => compiling.compile(item))
  const { limits } = compiling
  return (scope, fuel) => {
    const value = object(scope, fuel)
    if (value == null || value === SHORT) return missing(value, node)
    const given = args.map((run) => run(scope, fuel))
    return data(callMethod(value, method, given, { fuel, limits }), method)
  }
}

function missing(value: unknown, node: MemberNode | MethodCallNode): unknown {
  if (value === SHORT || node.optional === true) return SHORT
  const text = printExpr(node)
  const object = printExpr(node.object)
  const fixed = printExpr({ ...node, optional: true })
  throw failed(
    `\`${text}\` cannot be read: \`${object}\` is ${value === null ? 'null' : 'missing'}. Where it may be, write \`${fixed}\`.`,
    {
      path: object,
    },
  )
}
