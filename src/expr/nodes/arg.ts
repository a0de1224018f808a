import { sealed } from './node.ts'
import type { Position, TaggedNode } from './node.ts'

/** A reference to an argument of the program by a dotted path; missing parts give `undefined`. */
export interface ArgNode extends TaggedNode {
  readonly $kind: 'arg'
  readonly $expr?: undefined
  readonly path: string
}

/** Creates a reference to an argument. */
export function arg(path: string, at?: Position): ArgNode {
  return sealed({ $kind: 'arg', path }, at)
}
