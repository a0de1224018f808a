import { expect, it } from 'vitest'
import { arg } from './arg.ts'
import { array } from './array.ts'
import { binary } from './binary.ts'
import { conditional } from './conditional.ts'
import { ident } from './ident.ts'
import { isTagged } from './expr-node.ts'
import { literal } from './literal.ts'
import { logical } from './logical.ts'
import { member } from './member.ts'
import { methodCall } from './method-call.ts'
import { object } from './object.ts'
import { template } from './template.ts'
import { unary } from './unary.ts'

it('every factory gives a frozen node in the wire format, with a position only where one is known', () => {
  const nodes = [
    literal({ a: 1 }),
    ident('x'),
    arg('user.id'),
    member('x', 'y'),
    member('x', 0, { computed: true, optional: true, at: [1, 2] }),
    binary('+', 1, 2),
    unary('!', 1, [3, 4]),
    logical('&&', 1, 2),
    conditional(1, 2, 3),
    array([1]),
    object([{ key: 'k', value: 1 }]),
    template(['a', 'b'], [1]),
    methodCall('x', 'trim', [], { optional: true }),
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
  expect(nodes.every((node) => Object.isFrozen(node) && isTagged(node))).toBe(true)
})

it('only a tag makes a node', () => {
  for (const value of [null, 'x', 1, [], { name: 'x' }, { $kind: 'other' }, Object.create({ $expr: 'ident' })]) {
    expect(isTagged(value)).toBe(false)
  }
})
