import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { MandateError } from '../core/index.ts'
import { compileExpr, ident, literal, member, parseCondition } from './index.ts'
import { binary } from './nodes/binary.ts'
import { array } from './nodes/array.ts'
import { conditional } from './nodes/conditional.ts'
import { logical } from './nodes/logical.ts'
import { methodCall } from './nodes/method-call.ts'
import { unary } from './nodes/unary.ts'
import type { ExprNode } from './index.ts'

function errorOf(text: string): MandateError {
  try {
    parseCondition(text)
  } catch (error) {
    if (MandateError.isInstance(error)) return error
    throw error
  }
  throw new Error(`${text} was accepted`)
}

const a = ident('a')
const b = ident('b')
const c = ident('c')

describe('a condition text', () => {
  it.each<[string, ExprNode]>([
    ['a + b * c', binary('+', a, binary('*', b, c))],
    ['(a + b) * c', binary('*', binary('+', a, b), c)],
    ['a - b - c', binary('-', binary('-', a, b), c)],
    ['a ** b ** c', binary('**', a, binary('**', b, c))],
    ['a || b && c', logical('||', a, logical('&&', b, c))],
    ['a == b && c', logical('&&', binary('==', a, b), c)],
    ['!a == b', binary('==', unary('!', a), b)],
    ['a ? b : c ? a : b', conditional(a, b, conditional(c, a, b))],
    ['a ?? b', logical('??', a, b)],
    ['a === b', binary('==', a, b)],
    ['a !== b', binary('!=', a, b)],
    ['a.b.c', member(member(a, 'b'), 'c')],
    ['a?.b', member(a, 'b', { optional: true })],
    ['a[0]', member(a, literal(0), { computed: true })],
    ['a?.[b]', member(a, b, { computed: true, optional: true })],
    ['msg.includes("timeout")', methodCall(ident('msg'), 'includes', [literal('timeout')])],
    ['a?.at(-1)', methodCall(a, 'at', [literal(-1)], { optional: true })],
    ['[1, a]', array([literal(1), a])],
    ["'it\\'s \"x\"'", literal('it\'s "x"')],
    ['"\\u0041\\n"', literal('A\n')],
    ['0.5e+1', literal(5)],
    ['-1', literal(-1)],
    ['-(1)', unary('-', literal(1))],
    ['typeof a', unary('typeof', a)],
    ['a.in', member(a, 'in')],
    [' true ', literal(true)],
    ['null', literal(null)],
    ['$x', ident('$x')],
    ['größe', ident('größe')],
  ])('%s', (text, node) => {
    expect(parseCondition(text)).toEqual(node)
  })

  it.each<[string, number, string]>([
    ['a = b', 3, 'use `==` instead of `=`'],
    ['a & b', 3, 'use `&&` instead of `&`'],
    ['a | b', 3, 'use `||` instead of `|`'],
    ['a <> b', 3, 'use `!=` instead of `<>`'],
    ['a and b', 3, 'use `&&` instead of `and`'],
    ['not a', 1, 'use `!` instead of `not`'],
    ['a in b', 3, 'use `list.includes(x)` instead of `in`'],
    ['a == undefined', 6, 'use `null` instead of `undefined`'],
    ['a++', 2, 'use `+ 1` instead of `++`'],
    ['a > b > c', 7, 'use `a > b && b > c` instead'],
    ['a == b == c', 8, 'use `a == b && b == c` instead'],
    ['a ?? b || c', 8, 'use parentheses'],
    ['-a ** b', 4, 'use parentheses'],
    ['(a + b', 7, '`)` is missing'],
    ['a ? b', 6, '`:` is missing'],
    ['a["x"', 6, '`]` is missing'],
    ['"abc', 1, 'use `"…"` instead of `"`'],
    ['"a\\d"', 1, 'is no value'],
    ['1.2.3', 1, '`1.2.3` is no value'],
    ['012', 1, '`012` is no value'],
    ['1e999', 1, '`1e999` is no value'],
    ['5px', 1, '`5px` is no value'],
    ['', 1, 'the end does not fit here'],
    ['a +', 4, 'the end does not fit here'],
    ['a b', 3, '`b` does not fit here'],
    ['a.0', 3, '`0` does not fit here'],
    ['.5', 1, '`.` does not fit here'],
    ['f(a)', 2, 'use `text.method(` instead of `(`'],
    ['a.__proto__', 3, '`__proto__` is forbidden'],
    ['constructor', 1, '`constructor` is forbidden'],
    ['(a?.b).c', 7, 'leave out the parentheses'],
    ['/x/', 1, '`/` does not fit here'],
    ['a;', 2, '`;` does not fit here'],
    ['[1,,2]', 4, '`,` does not fit here'],
  ])('%s is refused at column %i: %s', (text, column, correction) => {
    const { code, message, info } = errorOf(text)
    expect({ code, info }).toEqual({ code: 'EXPR_INVALID', info: { line: 1, column } })
    expect(message).toContain(correction)
  })

  it('a fault on a later line has that line', () => {
    expect(errorOf('a &&\n  b = c').info).toEqual({ line: 2, column: 5 })
  })

  it.each([
    ['(', ')'],
    ['!', ''],
    ['[', ']'],
    ['a ? ', ' : 1'],
    ['a ** ', ''],
    ['a + ', ''],
    ['', ' || a'],
  ])('nesting with %s %s ends at a limit, not at the stack', (open, close) => {
    const nested = (count: number): unknown =>
      compileExpr(parseCondition(open.repeat(count) + 'a' + close.repeat(count), { textLength: 1e6 }))
    expect(nested(50)).toBeTypeOf('function')
    expect(() => nested(3_000)).toThrow('the limit `depth` of 200')
    expect(() => parseCondition('a'.repeat(30_000))).toThrow('textLength')
  })
})

describe('whatever the text', () => {
  const pieces = fc.constantFrom(
    ...[
      'a',
      'b.c',
      '1',
      '.5',
      '"x"',
      "'",
      '(',
      ')',
      '[',
      ']',
      '?',
      ':',
      '?.',
      '??',
      '||',
      '&&',
      '!',
      '-',
      '+',
      '**',
      '=',
    ],
    ...[
      '==',
      '===',
      '<',
      '>=',
      '%',
      '/',
      ',',
      '.',
      '`',
      '{',
      '}',
      '\\',
      '\n',
      ' ',
      'typeof',
      'in',
      '__proto__',
      '=>',
      '💥',
    ],
  )
  it.each([
    ['random text', fc.string({ unit: 'binary', maxLength: 40 })],
    ['random signs', fc.array(pieces, { maxLength: 20 }).map((list) => list.join(''))],
  ])('reading %s gives a node or one of our errors, and so does evaluating it', (_, texts) => {
    fc.assert(
      fc.property(texts, (text) => {
        try {
          compileExpr(parseCondition(text))({ a: 1, b: { c: 'x' } })
        } catch (error) {
          expect(MandateError.isInstance(error)).toBe(true)
        }
      }),
      { numRuns: 3_000 },
    )
  })
})
