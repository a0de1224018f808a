import { children } from '../children.ts'
import type { Assign, Await, Chain, Ex, Fn, FnParam, ToList, Yield } from '../ir.ts'
import type { St } from '../ir-statements.ts'
import type { Fields, LowerExpr } from '../language.ts'
import type { Lowering } from '../lower/lowering.ts'
import { wireFields } from '../lower/node-fields.ts'
import type { WireFields } from '../lower/node-fields.ts'
import { LOWER_CLASSES } from './lower-classes.ts'
import { ASSIGNMENT_OPERATORS, UNARY_OPERATORS } from '../operators.ts'

function target(ex: Ex, low: Lowering, what: string): Assign['target'] {
  if (ex.k === 'var' || ((ex.k === 'member' || ex.k === 'index') && !ex.optional)) return ex
  return low.fail(`${what} wants a variable or a property.`)
}

function parameter(item: unknown, low: Lowering): FnParam {
  if (typeof item === 'string') return { name: item, isRest: false }
  const fields = low.record(item)
  return { name: low.text(fields, 'name'), initial: low.optional(fields, 'default'), isRest: low.flag(fields, 'rest') }
}

function receivesOf(node: Fields, low: Lowering): 'this' | 'new' | undefined {
  if (!Object.hasOwn(node, 'receives') || node['receives'] === undefined) return undefined
  const receives = low.text(node, 'receives')
  return receives === 'this' || receives === 'new' ? receives : low.fail("`receives` is 'this' or 'new'.")
}

/** A function: of a statement list, or of one expression. */
export function lowerFunction(node: Fields, low: Lowering): Fn {
  const params = low.list(node, 'params', (item) => parameter(item, low))
  if (params.some((param, index) => param.isRest && index < params.length - 1))
    low.fail('the rest parameter comes last.')
  const value = low.optional(node, 'result')
  const body: St[] = value === undefined ? low.steps(node, 'body') : [{ k: 'return', value }]
  return {
    k: 'fn',
    name: Object.hasOwn(node, 'name') && node['name'] !== undefined ? low.text(node, 'name') : '',
    params,
    body: { k: 'block', body },
    isAsync: low.flag(node, 'async'),
    isGenerator: low.flag(node, 'generator'),
    isIsolated: false,
    seesItself: low.flag(node, 'self'),
    receives: receivesOf(node, low),
    takesAll: low.flag(node, 'all'),
    isConstructor: low.flag(node, 'constructs'),
  }
}

/** The base of an optional chain, which is always evaluated first. */
export function chainBase(node: Ex): Ex {
  if (node.k === 'member' || node.k === 'index' || node.k === 'method') return chainBase(node.object)
  return node.k === 'call' ? chainBase(node.callee) : node
}

function waitsInside(node: Ex | St, base: Ex): boolean {
  if (node === base || node.k === 'fn') return false
  return node.k === 'await' || node.k === 'yield' || children(node).some((child) => waitsInside(child, base))
}

function chain(node: Fields, low: Lowering): Chain {
  const expression = low.expr(node, 'expression')
  if (waitsInside(expression, chainBase(expression)))
    low.fail('`await` inside an optional chain is not supported. Put its value into a variable first.', low.at(node))
  return { k: 'chain', expression }
}

function awaited(node: Fields, low: Lowering): Await {
  return { k: 'await', argument: low.expr(node, 'argument') }
}

function yielded(node: Fields, low: Lowering): Yield {
  const kind = low.flag(node, 'start') ? 'start' : low.flag(node, 'all') ? 'all' : 'value'
  return { k: 'yield', kind, argument: low.optional(node, 'argument') ?? { k: 'lit', value: undefined } }
}

/** A hole is valid only as a list item. */
function element(item: unknown, low: Lowering): Ex {
  const { $expr } = (item ?? {}) as { readonly $expr?: unknown }
  return $expr === 'hole' ? { k: 'lit', value: undefined, isHole: true } : low.value(item)
}

/** Lowers the items of an iterable: all, or as many as a pattern reads. */
function toList(node: Fields, low: Lowering): ToList {
  const { limit } = node
  if (limit !== undefined && !(typeof limit === 'number' && Number.isInteger(limit) && limit >= 0))
    low.fail('`limit` is a whole number.', low.at(node))
  return { k: 'tolist', argument: low.expr(node, 'argument'), limit: limit }
}

/** The fields of the expressions that only scripts have. */
export const SCRIPT_FIELDS: WireFields = wireFields({
  function: 'name self params body result async generator receives all constructs',
  class: 'parent constructor members',
  create: 'argument',
  define: 'object property computed value',
  super: 'object property self static',
  private: 'object name act',
  strings: 'cooked raw',
  assign: 'op target value',
  update: 'op prefix argument',
  spread: 'argument',
  await: 'argument',
  yield: 'argument all start',
  sequence: 'expressions',
  regex: 'pattern flags',
  new: 'callee arguments target',
  chain: 'expression',
  list: 'argument limit',
  omit: 'argument keys',
})

/** Lowering of script-only expressions. */
export const LOWER_SCRIPT_EXPRS: readonly (readonly [string, LowerExpr])[] = [
  ['function', lowerFunction],
  [
    'assign',
    (node, low) => {
      const op = low.text(node, 'op')
      if (!op.endsWith('=') || !(ASSIGNMENT_OPERATORS as readonly string[]).includes(op.slice(0, -1)))
        low.fail(`there is no assignment \`${op}\`.`, low.at(node))
      return {
        k: 'assign',
        op: op.slice(0, -1),
        target: target(low.expr(node, 'target'), low, 'an assignment'),
        value: low.expr(node, 'value'),
      }
    },
  ],
  [
    'update',
    (node, low) => ({
      k: 'update',
      by: low.text(node, 'op') === '++' ? 1 : -1,
      prefix: low.flag(node, 'prefix'),
      target: target(low.expr(node, 'argument'), low, '`++` and `--`'),
    }),
  ],
  [
    'unary',
    (node, low) => {
      const op = low.text(node, 'op')
      if (!(UNARY_OPERATORS as readonly string[]).includes(op))
        low.fail(`there is no operator \`${op}\`.`, low.at(node))
      return { k: 'unary', op, argument: low.expr(node, 'argument') }
    },
  ],
  ['array', (node, low) => ({ k: 'list', items: low.list(node, 'elements', (item) => element(item, low)) })],
  ['spread', (node, low) => ({ k: 'spread', argument: low.expr(node, 'argument') })],
  ['await', awaited],
  ['yield', yielded],
  ['sequence', (node, low) => ({ k: 'sequence', items: low.exprs(node, 'expressions') })],
  ['regex', (node, low) => ({ k: 'regex', pattern: low.text(node, 'pattern'), flags: low.text(node, 'flags') })],
  [
    'new',
    (node, low) => ({
      k: 'new',
      callee: low.expr(node, 'callee'),
      args: low.exprs(node, 'arguments'),
      target: low.optional(node, 'target'),
    }),
  ],
  ...LOWER_CLASSES,
  ['chain', chain],
  ['list', toList],
  ['omit', (node, low) => ({ k: 'omit', argument: low.expr(node, 'argument'), keys: low.exprs(node, 'keys') })],
]
