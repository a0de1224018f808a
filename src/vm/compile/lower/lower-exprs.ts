import type { Ex, Logical, Property, Spread } from '../ir.ts'
import type { Fields, LowerExpr } from '../language.ts'
import type { Lowering } from './lowering.ts'
import { wireFields } from './node-fields.ts'
import { LOGICAL_OPERATORS } from '../operators.ts'
import type { WireFields } from './node-fields.ts'

function operator(node: Fields, low: Lowering): string {
  const op = low.text(node, 'op')
  if (!low.language.operations.has(op)) low.fail(`there is no operator \`${op}\`.`, low.at(node))
  return op
}

const UNARY: readonly string[] = ['!', '-', '+', 'typeof']

/** What the read of a pattern takes apart, as the error for `null` and `undefined` names it: `property 'a' of 'x'`. */
function patternOf(node: Fields, low: Lowering): { readonly pattern?: string } {
  return node['pattern'] !== undefined && Object.hasOwn(node, 'pattern') ? { pattern: low.text(node, 'pattern') } : {}
}

function member(node: Fields, low: Lowering): Ex {
  const lenient = !low.language.isScript
  const optional = low.flag(node, 'optional')
  const shared = { object: low.expr(node, 'object'), optional, lenient, ...patternOf(node, low) }
  if (low.flag(node, 'computed')) return { k: 'index', key: low.expr(node, 'property'), ...shared }
  return { k: 'member', name: low.text(node, 'property'), ...shared }
}

/** Prefix of a name that may be undefined, in generated steps. */
export const MAYBE = '%maybe:'

function identifier(node: Fields, low: Lowering): Ex {
  const name = low.text(node, 'name')
  if (low.language.isScript) return { k: 'var', name }
  if (name.startsWith(MAYBE)) return { k: 'var', name: name.slice(MAYBE.length), lenient: true }
  if (name === 'undefined' && !low.isGiven(name)) return { k: 'lit', value: undefined }
  if (name === 'tools' && !low.isGiven(name))
    low.fail('tools are only called: `{ op: "toolCall", name, input }`, or `tools.name(input)`.', low.at(node))
  return { k: 'var', name: low.name(name) }
}

function property(item: unknown, low: Lowering): Property | Spread {
  const fields = low.record(item)
  if (Object.hasOwn(fields, '$expr')) {
    const spread = low.value(fields)
    if (spread.k !== 'spread') low.fail('only a spread may stand among properties.')
    return spread
  }
  const key = low.flag(fields, 'computed') ? low.expr(fields, 'key') : propertyName(fields, low)
  const made = { key, value: low.expr(fields, 'value') }
  const { kind } = fields
  if (kind === undefined || !low.language.isScript) return made
  return kind === 'get' || kind === 'set' ? { ...made, kind } : low.fail("`kind` of a property is 'get' or 'set'.")
}

function propertyName(fields: Fields, low: Lowering): string {
  const key = fields['key']
  if (typeof key === 'number') return String(key)
  return low.key(low.text(fields, 'key'))
}

function template(node: Fields, low: Lowering): Ex {
  const parts = low.list(node, 'parts', (part) =>
    typeof part === 'string' ? part : low.fail('parts of a template are texts.'),
  )
  const values = low.exprs(node, 'values')
  if (parts.length !== values.length + 1) low.fail('a template has one part more than it has values.')
  return { k: 'template', parts, values }
}

function literal(node: Fields, low: Lowering): Ex {
  const value = Object.hasOwn(node, 'value') ? node['value'] : undefined
  if (value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
    return { k: 'lit', value }
  if (value === undefined) return { k: 'lit', value: undefined }
  return { k: 'data', json: low.json(value) }
}

/** The fields of the expressions that only compute. */
export const EXPR_FIELDS: WireFields = wireFields({
  literal: 'value',
  ident: 'name',
  member: 'object property computed optional pattern',
  binary: 'op left right',
  unary: 'op argument',
  logical: 'op left right',
  conditional: 'test consequent alternate',
  array: 'elements',
  object: 'properties',
  template: 'parts values',
})

/** Lowering of each core expression. */
export const LOWER_EXPRS: readonly (readonly [string, LowerExpr])[] = [
  ['literal', literal],
  ['ident', identifier],
  ['$arg', (node, low) => ({ k: 'arg', path: low.text(node, 'path').split('.') })],
  ['member', member],
  [
    'binary',
    (node, low) => ({
      k: 'binary',
      op: operator(node, low),
      left: low.expr(node, 'left'),
      right: low.expr(node, 'right'),
    }),
  ],
  [
    'unary',
    (node, low) => {
      const op = low.text(node, 'op')
      if (!UNARY.includes(op)) low.fail(`there is no operator \`${op}\`.`, low.at(node))
      return { k: 'unary', op, argument: low.expr(node, 'argument') }
    },
  ],
  [
    'logical',
    (node, low) => {
      const op = low.text(node, 'op') as Logical['op']
      if (!(LOGICAL_OPERATORS as readonly string[]).includes(op))
        low.fail(`there is no operator \`${op}\`.`, low.at(node))
      const left = low.expr(node, 'left')
      return { k: 'logical', op, left, right: low.perhaps(() => low.expr(node, 'right')) }
    },
  ],
  [
    'conditional',
    (node, low) => ({
      k: 'conditional',
      test: low.expr(node, 'test'),
      then: low.perhaps(() => low.expr(node, 'consequent')),
      otherwise: low.perhaps(() => low.expr(node, 'alternate')),
    }),
  ],
  ['array', (node, low) => ({ k: 'list', items: low.exprs(node, 'elements') })],
  ['object', (node, low) => ({ k: 'object', properties: low.list(node, 'properties', (item) => property(item, low)) })],
  ['template', template],
]
