import { expect, it } from 'vitest'
import * as expr from '../index.ts'

it('every factory gives a frozen node in the wire format, with a position only where one is known', () => {
  const nodes = [
    expr.literal({ a: 1 }),
    expr.ident('x'),
    expr.arg('user.id'),
    expr.member('x', 'y'),
    expr.member('x', 0, { computed: true, optional: true, at: [1, 2] }),
    expr.binary('+', 1, 2),
    expr.unary('!', 1, [3, 4]),
    expr.logical('&&', 1, 2),
    expr.conditional(1, 2, 3),
    expr.array([1]),
    expr.object([{ key: 'k', value: 1 }]),
    expr.template(['a', 'b'], [1]),
    expr.methodCall('x', 'trim', [], { optional: true }),
  ]
  expect(nodes).toEqual([
    { $expr: 'literal', value: { a: 1 } },
    { $expr: 'ident', name: 'x' },
    { $kind: 'arg', path: 'user.id' },
    { $expr: 'member', object: 'x', property: 'y' },
    { $expr: 'member', object: 'x', property: 0, computed: true, optional: true, at: [1, 2] },
    { $expr: 'binary', op: '+', left: 1, right: 2 },
    { $expr: 'unary', op: '!', argument: 1, at: [3, 4] },
    { $expr: 'logical', op: '&&', left: 1, right: 2 },
    { $expr: 'conditional', test: 1, consequent: 2, alternate: 3 },
    { $expr: 'array', elements: [1] },
    { $expr: 'object', properties: [{ key: 'k', value: 1 }] },
    { $expr: 'template', parts: ['a', 'b'], values: [1] },
    { $expr: 'methodCall', object: 'x', method: 'trim', arguments: [], optional: true },
  ])
  expect(nodes.every((node) => Object.isFrozen(node) && expr.isTagged(node))).toBe(true)
})

it('only a tag makes a node', () => {
  for (const value of [null, 'x', 1, [], { name: 'x' }, { $kind: 'other' }, Object.create({ $expr: 'ident' })]) {
    expect(expr.isTagged(value)).toBe(false)
  }
})
