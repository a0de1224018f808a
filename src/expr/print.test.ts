import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ident, literal, member, parseCondition } from './index.ts'
import { array } from './nodes/array.ts'
import { conditional } from './nodes/conditional.ts'
import { logical } from './nodes/logical.ts'
import { methodCall } from './nodes/method-call.ts'
import { unary } from './nodes/unary.ts'
import type { Expr, ExprNode } from './index.ts'
import { type BinaryOp, binary } from './nodes/binary.ts'
import { printExpr } from './print.ts'

/** Nodes that a text can say. */
const names = fc.constantFrom('a', 'b', 'list', '$x', 'größe')
const values = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer(),
  fc.boolean(),
  fc.constant(null),
)
const { node: nodes } = fc.letrec<{ node: ExprNode }>((tie) => {
  const node = tie('node')
  return {
    node: fc.oneof(
      { maxDepth: 6, withCrossShrink: true },
      values.map((value) => literal(value)),
      names.map((name) => ident(name)),
      fc
        .tuple(fc.constantFrom<BinaryOp[]>('+', '-', '*', '/', '%', '**', '==', '!=', '<', '<=', '>', '>='), node, node)
        .map(([op, left, right]) => binary(op, left, right)),
      fc.tuple(fc.constantFrom('&&', '||', '??'), node, node).map(([op, left, right]) => logical(op, left, right)),
      fc.tuple(fc.constantFrom('!', '-', '+', 'typeof'), node).map(([op, argument]) => unary(op, argument)),
      fc.tuple(node, node, node).map(([test, yes, no]) => conditional(test, yes, no)),
      fc.array(node, { maxLength: 3 }).map((items) => array(items)),
      fc.tuple(node, names).map(([object, name]) => member(object, name)),
      fc.tuple(names, names).map(([object, name]) => member(ident(object), name, { optional: true })),
      fc.tuple(node, node).map(([object, key]) => member(object, key, { computed: true })),
      fc.tuple(node, fc.array(node, { maxLength: 2 })).map(([object, args]) => methodCall(object, 'includes', args)),
    ),
  }
})

describe('printing', () => {
  it('what is printed is read as the same node', () => {
    fc.assert(
      fc.property(nodes, (node) => {
        expect(parseCondition(printExpr(node), { textLength: 1e6, depth: 1e3 })).toEqual(node)
      }),
      { numRuns: 2_000 },
    )
  })

  it('shows bare values and arguments, and a mark for what a text cannot say', () => {
    const odd: Expr = binary('+', { $kind: 'arg', path: 'user.id' }, { $expr: 'await' })
    expect(printExpr(odd)).toBe('args.user.id + …')
    expect(printExpr([1, 'x'])).toBe('[1,"x"]')
  })
})
