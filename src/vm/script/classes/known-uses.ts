import type { Member } from '../parser/ast.ts'

/** Built-ins whose methods may be named through their prototype: `Array.prototype.slice.call(value)`. */
export const BUILTIN_PROTOTYPES: ReadonlySet<string> = new Set(
  'Array Boolean Date Error Map Number Object RegExp Set String'.split(' '),
)

/** The argument that a method reads as a list: `Array.from(arguments)`, `f.apply(self, arguments)`. */
export function takesList({ object, property }: Member): number {
  if (property === 'apply') return 1
  const isArray = object.type === 'identifier' && object.name === 'Array' && property === 'from'
  const isCopy = property === 'call' && object.type === 'member' && object.property === 'slice'
  return isArray || isCopy ? 0 : -1
}
