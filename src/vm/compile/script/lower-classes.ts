import type { ClassMember, Ex, Fn, Private } from '../ir.ts'
import type { Fields, LowerExpr } from '../language.ts'
import type { Lowering } from '../lower/lowering.ts'

function functionOf(node: Fields, field: string, low: Lowering): Fn {
  const made = low.expr(node, field)
  return made.k === 'fn' ? made : low.fail(`\`${field}\` is a function.`, low.at(node))
}

function member(item: unknown, low: Lowering): ClassMember {
  const fields = low.record(item)
  const kind = low.text(fields, 'kind')
  if (kind !== 'method' && kind !== 'get' && kind !== 'set') low.fail("`kind` is 'method', 'get' or 'set'.")
  return {
    key: low.flag(fields, 'computed') ? low.expr(fields, 'key') : low.text(fields, 'key'),
    value: low.expr(fields, 'value'),
    kind,
    isStatic: low.flag(fields, 'static'),
  }
}

function privateOf(node: Fields, low: Lowering): Private {
  const act = low.text(node, 'act')
  if (act !== 'use' && act !== 'has' && act !== 'define') low.fail("`act` is 'use', 'has' or 'define'.")
  return { k: 'private', object: low.expr(node, 'object'), name: low.text(node, 'name'), act }
}

/** Lowers a field of a class: an own property, even if the prototypes have a setter for its name. */
function define(node: Fields, low: Lowering): Ex {
  const object = low.expr(node, 'object')
  const isComputed = low.flag(node, 'computed')
  const shared = { object, optional: false, lenient: false }
  return {
    k: 'assign',
    op: '',
    target: isComputed
      ? { k: 'index', key: low.expr(node, 'property'), ...shared }
      : { k: 'member', name: low.text(node, 'property'), defines: true, ...shared },
    value: low.expr(node, 'value'),
  }
}

function texts(node: Fields, field: string, low: Lowering): string[] {
  return low.list(node, field, (text) => (typeof text === 'string' ? text : low.fail('parts of a template are texts.')))
}

function strings(node: Fields, low: Lowering): Ex {
  const raw = texts(node, 'raw', low)
  const cooked = low.list(node, 'cooked', (text) =>
    text === null || typeof text === 'string' ? text : low.fail('parts of a template are texts.'),
  )
  return { k: 'strings', cooked, raw }
}

/** Lowering of classes, their constructors and methods. */
export const LOWER_CLASSES: readonly (readonly [string, LowerExpr])[] = [
  [
    'class',
    (node, low) => ({
      k: 'class',
      parent: low.optional(node, 'parent'),
      value: functionOf(node, 'constructor', low),
      members: low.list(node, 'members', (item) => member(item, low)),
    }),
  ],
  ['create', (node, low) => ({ k: 'create', argument: low.expr(node, 'argument') })],
  ['define', define],
  [
    'super',
    (node, low) => ({
      k: 'super',
      object: low.expr(node, 'object'),
      key: low.expr(node, 'property'),
      self: low.expr(node, 'self'),
      isStatic: low.flag(node, 'static'),
    }),
  ],
  ['private', privateOf],
  ['strings', strings],
]
