import { BINARY_OPS } from './nodes/binary.ts'
import { LOGICAL_OPS } from './nodes/logical.ts'
import { UNARY_OPS } from './nodes/unary.ts'

/** What a field of a node must be: an expression, a list of them, data, a name, a text, a yes or no, properties, or one of some words. */
export type Field = 'expr' | 'exprs' | 'data' | 'name' | 'texts' | 'flag' | 'key' | 'properties' | readonly string[]

/** The fields of a kind of node; a name that ends in `?` may be absent. */
export type Shape = { readonly [field: string]: Field }

/** The kinds of nodes an expression may have by itself. What is missing here belongs to programs. */
export const PURE_SHAPES: { readonly [kind: string]: Shape } = {
  literal: { value: 'data' },
  ident: { name: 'name' },
  member: { object: 'expr', property: 'key', 'computed?': 'flag', 'optional?': 'flag' },
  binary: { op: BINARY_OPS, left: 'expr', right: 'expr' },
  unary: { op: UNARY_OPS, argument: 'expr' },
  logical: { op: LOGICAL_OPS, left: 'expr', right: 'expr' },
  conditional: { test: 'expr', consequent: 'expr', alternate: 'expr' },
  array: { elements: 'exprs' },
  object: { properties: 'properties' },
  template: { parts: 'texts', values: 'exprs' },
  methodCall: { object: 'expr', method: 'name', arguments: 'exprs', 'optional?': 'flag' },
}
