import { MandateError } from '../../core/index.ts'
import { arg, ident, isForbidden, isTagged, literal, member } from '../../expr/index.ts'
import type { ArgNode, Expr, ExprNode } from '../../expr/index.ts'

const PATH = /^[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*|\.\d+|\[\d+\])*$/

/** Whether a text can be a path: a name, then members and indices. */
function isPath(text: string): boolean {
  return PATH.test(text)
}

/**
 * Creates a reference from a path: `user.name`, `items[0]`, `args.city`. The only place where a text becomes a name, so that the program format is
 * unambiguous.
 */
export function reference(path: string): ExprNode {
  if (!isPath(path))
    throw new MandateError(
      'INPUT_INVALID',
      `${JSON.stringify(path)} is not a path. Write a variable with its members, as in 'user.name' or 'items[0]'; for a text, pass { $expr: 'literal', value }.`,
    )
  const parts = path.replaceAll(/\[(\d+)\]/g, '.$1').split('.')
  const forbidden = parts.find(isForbidden)
  if (forbidden !== undefined)
    throw new MandateError(
      'INPUT_INVALID',
      `"${forbidden}" in the path ${JSON.stringify(path)} is not a name that programs can read.`,
    )
  if (parts[0] === 'args' && parts.length > 1) return argument(parts.slice(1).join('.'))
  return parts
    .slice(1)
    .reduce<ExprNode>(
      (object, part) => (/^\d/.test(part) ? member(object, Number(part), { computed: true }) : member(object, part)),
      ident(parts[0]!),
    )
}

/** A reference to an argument of the program. */
export function argument(path: string): ArgNode {
  if (typeof path !== 'string' || path === '' || path.split('.').some((part) => part === '' || isForbidden(part)))
    throw new MandateError(
      'INPUT_INVALID',
      `${JSON.stringify(path)} is not a path of an argument. Write a name, or names with dots between them.`,
    )
  return arg(path)
}

/** Converts an operand in a place that allows only variables: a text is a path; anything else is used unchanged. */
export function operand(given: unknown): ExprNode {
  if (typeof given === 'string') return reference(given)
  return isTagged(given) ? (given as ExprNode) : literal(given as never)
}

/** Serializes a value whose place has a schema: if the schema does not allow texts, a text is a path. */
export function tagged(given: unknown, schema: unknown): Expr {
  return typeof given === 'string' && !acceptsText(schema) && isPath(given) ? reference(given) : (given as Expr)
}

/** Whether a schema lets any text through. */
function acceptsText(schema: unknown): boolean {
  if (typeof schema !== 'object' || schema === null) return true
  const { type, enum: values, const: constant, anyOf } = schema as Readonly<Record<string, unknown>>
  if (Array.isArray(values)) return values.some((value) => typeof value === 'string')
  if (constant !== undefined) return typeof constant === 'string'
  if (Array.isArray(anyOf)) return anyOf.some(acceptsText)
  const types: unknown[] = Array.isArray(type) ? type : [type]
  return types.some((each) => each === 'string' || typeof each !== 'string')
}
