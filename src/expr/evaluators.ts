import type { Compiler, Run } from './compiler.ts'
import { compileMember, compileMethodCall, keyOf } from './members.ts'
import { compileArg, compileIdent } from './names.ts'
import { isTagged } from './nodes/expr-node.ts'
import type { ObjectNode, ObjectProperty } from './nodes/object.ts'
import { compileBinary, compileConditional, compileLogical, compileTemplate, compileUnary } from './operations.ts'

type Compile = <S>(node: never, compiler: Compiler<S>) => Run<S>

/** The node kinds of standalone expressions. Other kinds belong to programs. */
const KINDS: { readonly [kind: string]: Compile } = {
  arg: compileArg,
  array: compileList,
  binary: compileBinary,
  conditional: compileConditional,
  ident: compileIdent,
  literal: ({ value }: { readonly value: unknown }, compiler) => constant(value, compiler),
  logical: compileLogical,
  member: compileMember,
  methodCall: compileMethodCall,
  object: compileObject,
  template: compileTemplate,
  unary: compileUnary,
}

/** Compiles one node and its children. A bare value is a literal; a bare list or object may hold nodes. */
export function compileNode<S>(expr: unknown, compiler: Compiler<S>): Run<S> {
  if (isTagged(expr)) {
    const kind = expr.$expr ?? 'arg'
    if (!Object.hasOwn(KINDS, kind)) compiler.refuse(`\`${kind}\` is no expression here`)
    return KINDS[kind]!(expr as never, compiler)
  }
  if (Array.isArray(expr)) return compileList({ elements: expr }, compiler)
  if (typeof expr === 'object' && expr !== null) {
    return compileObject(
      { properties: Object.entries(expr).map(([key, value]) => ({ key, value: value as string })) },
      compiler,
    )
  }
  return constant(expr, compiler)
}

function constant<S>(value: unknown, compiler: Compiler<S>): Run<S> {
  return value === undefined ? compiler.refuse('it is missing') : () => value
}

function compileList<S>(node: { readonly elements: readonly unknown[] }, compiler: Compiler<S>): Run<S> {
  const runs = compiler.list(node, 'elements')
  return (scope, fuel) => runs.map((run) => run(scope, fuel))
}

function compileObject<S>(node: Pick<ObjectNode, 'properties'>, compiler: Compiler<S>): Run<S> {
  const members = compiler.items(node, 'properties').map((item) => {
    const property = Object(item) as ObjectProperty
    const name = property.computed ? '' : compiler.name(property.key)
    return { key: name ? () => name : compiler.child(property, 'key'), value: compiler.child(property, 'value') }
  })
  return (scope, fuel) =>
    Object.fromEntries(members.map(({ key, value }) => [keyOf(key(scope, fuel)), value(scope, fuel)]))
}
