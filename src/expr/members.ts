import { SHORT } from './compiler.ts'
import type { Compiler, Run } from './compiler.ts'
import { callMethod } from './methods.ts'
import { data } from './names.ts'
import type { IdentNode } from './nodes/ident.ts'
import type { MemberNode } from './nodes/member.ts'
import type { MethodCallNode } from './nodes/method-call.ts'
import { describe, isForbidden, kindOf, readMember } from './read-node.ts'
import { failed } from './errors.ts'

type Data = { readonly [name: string]: unknown }

export function compileMember<S>(node: MemberNode, compiler: Compiler<S>): Run<S> {
  const object = compiler.link(node, 'object')
  const name = node.computed ? '' : compiler.name(node.property)
  const property = name ? () => name : compiler.child(node, 'property')
  const slow: Run<S> = (scope, fuel) => {
    const value = object(scope, fuel)
    if (isMissing(value, node)) return SHORT
    const key = keyOf(property(scope, fuel))
    return data(readMember(value, key), key)
  }
  const root = node.object as Partial<IdentNode> | null
  if (!name || root?.$expr !== 'ident' || compiler.names) return slow
  // Fast path for a member of a name.
  const first = compiler.name(root.name)
  return (scope, fuel) => {
    if (Object.hasOwn(scope as Data, first)) {
      const value = (scope as Data)[first] as Data
      if (typeof value === 'object' && value !== null && Object.hasOwn(value, name)) {
        const found = value[name]
        if (typeof found !== 'function') return found
      }
    }
    return slow(scope, fuel)
  }
}

export function compileMethodCall<S>(node: MethodCallNode, compiler: Compiler<S>): Run<S> {
  const object = compiler.link(node, 'object')
  const name = compiler.name(node.method)
  const args = compiler.list(node, 'arguments')
  return (scope, fuel) => {
    const value = object(scope, fuel)
    if (isMissing(value, node)) return SHORT
    const given = args.map((run) => run(scope, fuel))
    return data(callMethod(value, name, given, { fuel, limits: compiler.limits }), name)
  }
}

/** Whether `?.` short-circuits here; throws for a missing object without `?.`. */
function isMissing(value: unknown, node: MemberNode | MethodCallNode): boolean {
  if (value != null) return value === SHORT
  if (node.optional) return true
  throw failed(`Nothing can be read of ${describe(node.object, value)}. Use \`?.\` where it may be.`)
}

/** Checks a computed member name. */
export function keyOf(value: unknown): string | number {
  if ((typeof value === 'number' || typeof value === 'string') && !isForbidden(value)) return value
  throw failed(`No member may be named by ${kindOf(value)}.`)
}
