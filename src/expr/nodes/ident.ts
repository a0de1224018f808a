import { sealed } from './node.ts'
import type { Position, TaggedNode } from './node.ts'

/** The value of a name in scope. */
export interface IdentNode extends TaggedNode {
  readonly $expr: 'ident'
  readonly name: string
}

/** Creates a reference to a name in scope. */
export function ident(name: string, at?: Position): IdentNode {
  return sealed({ $expr: 'ident', name }, at)
}
