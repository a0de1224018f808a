import { nearest } from '../core/index.ts'
import type { Compiling, Run } from './compiling.ts'
import type { ArgNode } from './nodes/arg.ts'
import type { IdentNode } from './nodes/ident.ts'
import { isForbidden, readMember } from './reading.ts'
import { failed, invalid } from './refusals.ts'

/** A name is an own member of the scope, or one of the names there are: anything else is an error, because a slip must not read as "missing". */
export function compileIdent<S>({ name }: Pick<IdentNode, 'name'>, { names }: Compiling<S>): Run<S> {
  if (names !== undefined) {
    if (!Object.hasOwn(names, name)) throw invalid(unknownName(name, Object.keys(names)), { name })
    const read = names[name]!
    return (scope) => data(read(scope), name)
  }
  return (scope) => {
    const known = scope as { readonly [name: string]: unknown }
    if (!Object.hasOwn(known, name)) throw failed(unknownName(name, Object.keys(known)), { name })
    return data(known[name], name)
  }
}

/** An argument by its path. What is missing on the way is `undefined`. */
export function compileArg<S>({ path }: ArgNode, compiling: Compiling<S>): Run<S> {
  const args = compileIdent({ name: 'args' }, compiling)
  const steps = path.split('.')
  return (scope, fuel) => data(steps.reduce(readMember, args(scope, fuel)), path)
}

/** Functions are no data, wherever they are found. */
export function data(value: unknown, name: string): unknown {
  if (typeof value === 'function') throw failed(`\`${name}\` is a function, and expressions see data only.`)
  return value
}

/** The key of a member that was computed. */
export function keyOf(value: unknown): string | number {
  if (typeof value === 'number') return value
  if (typeof value !== 'string') throw failed('The name of a member must be a text or a number.')
  if (isForbidden(value)) throw failed(`\`${value}\` is forbidden.`)
  return value
}

function unknownName(name: string, known: readonly string[]): string {
  const meant = nearest(name, known)
  const list = known.slice(0, 20).join(', ')
  return `\`${name}\` is not known here. ${meant === undefined ? '' : `Did you mean \`${meant}\`? `}Known: ${list === '' ? 'nothing' : list}.`
}
