import { sealed } from './node.ts'
import type { Expr, Position, TaggedNode } from './node.ts'

/** A template literal: there is always one part more than there are values. */
export interface TemplateNode extends TaggedNode {
  readonly $expr: 'template'
  readonly parts: readonly string[]
  readonly values: readonly Expr[]
}

/** Creates a template literal. */
export function template(parts: readonly string[], values: readonly Expr[], at?: Position): TemplateNode {
  return sealed({ $expr: 'template', parts, values }, at)
}
