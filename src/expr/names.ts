import type { Compiler, Run } from './compiler.ts'
import type { ArgNode } from './nodes/arg.ts'
import type { IdentNode } from './nodes/ident.ts'
import { readMember } from './read-node.ts'
import { failed } from './errors.ts'

/** An unknown name is an error, not `undefined`. */
export function compileIdent<S>(node: Pick<IdentNode, 'name'>, compiler: Compiler<S>): Run<S> {
  const name = compiler.name(node.name)
  const { names } = compiler
  const unknown = (known: object): string => `\`${name}\` is not known; known are: ${Object.keys(known).join(', ')}`
  if (names !== undefined) {
    if (!Object.hasOwn(names, name)) compiler.refuse(unknown(names))
    const read = names[name]!
    return (scope) => data(read(scope), name)
  }
  return (scope) => {
    const known = scope as { readonly [name: string]: unknown }
    if (!Object.hasOwn(known, name)) throw failed(`${unknown(known)}.`)
    const value = known[name]
    return typeof value === 'function' ? data(value, name) : value
  }
}

/** An argument by its path; a missing part gives `undefined`. */
export function compileArg<S>({ path }: ArgNode, compiler: Compiler<S>): Run<S> {
  const args = compileIdent({ name: 'args' }, compiler)
  const steps = compiler
    .name(path)
    .split('.')
    .map((step) => compiler.name(step))
  return (scope, fuel) => data(steps.reduce(readMember, args(scope, fuel)), path)
}

/** Refuses functions: they are not data. */
export function data(value: unknown, name: string | number): unknown {
  if (typeof value === 'function') throw failed(`\`${name}\` is a function, not data.`)
  return value
}
