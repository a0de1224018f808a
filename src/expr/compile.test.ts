import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { MandateError } from '../core/index.ts'
import { arg, checkExpr, compileExpr, fuelOf, ident, literal, member, object, parseCondition } from './index.ts'
import { template } from './nodes/template.ts'
import type { Expr } from './index.ts'
import type { ExprLimits } from './limits.ts'
import type { Scope } from './compile.ts'

const scope = { a: { b: 5 }, c: 4, d: 'x', msg: 'a timeout!', list: [1, 'two', { y: 3 }], none: null, gap: undefined }

function valueOf(expr: Expr | string, over: Scope = scope, limits: Partial<ExprLimits> = {}): unknown {
  return compileExpr(typeof expr === 'string' ? parseCondition(expr) : expr, { limits })(over)
}

function errorOf(act: () => unknown): MandateError {
  try {
    act()
  } catch (error) {
    if (MandateError.isInstance(error)) return error
    throw error
  }
  throw new Error('nothing was thrown')
}

describe('evaluating', () => {
  it.each<[string, unknown]>([
    ["a.b + c*2 > 10 && d == 'x'", true],
    ['msg.includes("timeout")', true],
    ['msg.startsWith("a") && msg.endsWith("!")', true],
    ['msg.toUpperCase().slice(2, 6)', 'TIME'],
    ['msg.split(" ").join("-")', 'a-timeout!'],
    ['msg.length + list.length', 13],
    ['msg[0] + msg.at(-1)', 'a!'],
    ['list[2].y', 3],
    ['list.includes("two") && list.indexOf(2) == -1', true],
    ['list["0"]', 1],
    ['[c, 1].includes(4)', true],
    ['none == gap', true],
    ['c == "4"', false],
    ['a == a', true],
    ['[] == []', false],
    ['none ?? "d"', 'd'],
    ['none?.x.y.z', undefined],
    ['none?.x().y', undefined],
    ['a.nothing', undefined],
    ['a.nothing?.more.still', undefined],
    ['d.nothing', undefined],
    ['"n" + 1 + true', 'n1true'],
    ['"b" > "a"', true],
    ['0 || "y"', 'y'],
    ['0 && nothing', 0],
    ['c > 3 ? "big" : nothing', 'big'],
    ['typeof list', 'object'],
    ['-c ', -4],
    ['7 % 4 ** 2 / 2', 3.5],
    ['!none', true],
  ])('%s → %s', (text, expected) => {
    expect(valueOf(text)).toEqual(expected)
  })

  it('JSON nodes: bare values are literals, also where they look like names; nodes inside bare lists and objects are evaluated', () => {
    expect(valueOf('c')).toBe(4)
    expect(valueOf({ $expr: 'literal', value: 'c' })).toBe('c')
    expect(valueOf({ $expr: 'binary', op: '==', left: 'c', right: 'c' })).toBe(true)
    expect(valueOf({ url: 'c', list: [1, ident('c')], deep: { v: ident('d') } })).toEqual({
      url: 'c',
      list: [1, 4],
      deep: { v: 'x' },
    })
    expect(valueOf({ $expr: 'literal', value: { $expr: 'ident', name: 'c' } })).toEqual({ $expr: 'ident', name: 'c' })
    expect(valueOf(template(['<', '|', '>'], [ident('c'), 'z']))).toBe('<4|z>')
    expect(
      valueOf(
        object([
          { key: 'k', value: ident('c') },
          { key: ident('d'), value: 1, computed: true },
        ]),
      ),
    ).toEqual({ k: 4, x: 1 })
  })

  it('a text of thousands of values is made without going deeper for each', () => {
    const values = Array.from({ length: 3_000 }, () => ident('c'))
    const node = template(['', ...values.map(() => ',')], values)
    expect(valueOf(node, scope, { nodes: 20_000 })).toBe('4,'.repeat(3_000))
  })

  it('a field that a kind of node does not have means nothing', () => {
    expect(valueOf({ $expr: 'binary', op: '+', left: 1, right: { $expr: 'ident', name: 'c', value: 9 } })).toBe(5)
  })

  it('arguments are read by dotted paths; what is missing on the way is undefined', () => {
    const args = { user: { id: 7 }, 'a.b': 1 }
    expect(valueOf(arg('user.id'), { args })).toBe(7)
    expect(valueOf(arg('user.id.more.still'), { args })).toBeUndefined()
    expect(valueOf(arg('toString'), { args })).toBeUndefined()
    expect(() => valueOf(arg('user'), {})).toThrow('`args` is not known')
  })

  it('a compiled expression can be used again and again, and changes neither itself nor what it reads', () => {
    const node = checkExpr([ident('c'), { deep: [1] }])
    const run = compileExpr(node)
    const before = JSON.stringify(scope)
    const first = run(scope) as unknown[]
    first.push('mine')
    expect(run(scope)).toEqual([4, { deep: [1] }])
    expect(JSON.stringify(scope)).toBe(before)
    expect(() => (valueOf(literal([1])) as unknown[]).push(2)).toThrow(TypeError)
  })
})

describe('refusing', () => {
  it.each<[string, string]>([
    ['nothing', '`nothing` is not known; known are: a, c, d, msg, list, none, gap'],
    ['toString', '`toString` is not known'],
    ['none.x', 'Nothing can be read of `none`, which is null. Use `?.` where it may be'],
    ['a.nothing.more', 'Nothing can be read of `a.nothing`, which is missing'],
    ['gap.trim()', 'Nothing can be read of `gap`, which is missing'],
    ['gap > 3', '`>` cannot take `gap`, which is missing, and a number. Use `??`'],
    ['c > "3"', '`>` cannot take'],
    ['none + 1', '`+` cannot take `none`, which is null'],
    ['gap + "x"', '`+` cannot take'],
    ['a - 1', '`-` cannot take `a`, which is an object'],
    ['-d', '`-` cannot take `d`, which is a string'],
    ['list + 1', '`+` cannot take'],
    ['msg.repeat(3)', 'There is no `repeat(a number)` of a string. There are: includes,'],
    ['msg.constructor', 'forbidden'],
    ['msg["constructor"]', 'No member may be named by a string'],
    ['a[list]', 'No member may be named by a list'],
    ['list.join({})', 'does not fit'],
    ['list.slice(a)', 'There is no `slice(an object)` of a list'],
    ['list.join("-")', 'A text cannot take an object'],
    ['c.toFixed(2)', 'There is no `toFixed(a number)` of a number'],
    ['a.b.includes(1)', 'There is no `includes(a number)` of a number'],
  ])('%s: %s', (text, message) => {
    const error = errorOf(() => valueOf(text))
    expect(error.message).toContain(message)
    expect(['EXPR_FAILED', 'EXPR_INVALID']).toContain(error.code)
  })

  it('with given names only these are read, and another one is found before anything runs', () => {
    const names = { now: (view: { at: number }) => view.at }
    expect(compileExpr<{ at: number }>(parseCondition('now + 1'), { names })({ at: 2 })).toBe(3)
    expect(() => compileExpr<{ at: number }>(parseCondition('false && at'), { names })).toThrow(
      '`at` is not known; known are: now',
    )
  })
})

describe('the host', () => {
  class Account {
    readonly id = 1
    get secret(): string {
      throw new Error('a getter ran')
    }
    pay(): void {}
  }
  const own = { account: new Account(), run: () => 1, list: [() => 1], map: new Map([['k', 1]]) }

  it('only own members are read: nothing inherited, no getter of a class, no function', () => {
    expect(valueOf('account.id', own)).toBe(1)
    expect(valueOf('account.secret', own)).toBeUndefined()
    expect(valueOf('account.pay', own)).toBeUndefined()
    expect(valueOf('map.size', own)).toBeUndefined()
    expect(valueOf('account["toString"]', own)).toBeUndefined()
    for (const text of ['run', 'list[0]', 'list.at(0)']) expect(() => valueOf(text, own), text).toThrow('is a function')
    expect(() => valueOf('account.pay()', own)).toThrow('There is no `pay()` of an object')
    expect(() => valueOf('map.get("k")', own)).toThrow('There is no `get(a string)` of an object')
  })

  it('a method is the one of the language, also when the receiver has one of that name', () => {
    const list = Object.assign([1, 2], { includes: () => true, join: () => 'mine' })
    expect(valueOf('list.includes(3)', { list })).toBe(false)
    expect(valueOf('list.join("")', { list })).toBe('12')
  })

  it.each(['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'valueOf'])(
    '%s leads nowhere',
    (name) => {
      const tries: Expr[] = [
        ident(name),
        arg(name),
        arg(`a.${name}`),
        member(ident('a'), name),
        member(ident('a'), name, { computed: true }),
        member(literal('text'), name),
        object([{ key: name, value: { polluted: true } }]),
        object([{ key: name, value: { polluted: true }, computed: true }]),
        JSON.parse(`{ "${name}": { "polluted": true } }`) as Expr,
        { $expr: 'methodCall', object: ident('a'), method: name, arguments: [] },
        { $expr: 'call', callee: ident(name), arguments: [] },
      ]
      for (const expr of tries) {
        let value: unknown
        try {
          value = valueOf(expr, { a: { own: 1 }, args: { a: {} } })
        } catch (error) {
          expect(MandateError.isInstance(error)).toBe(true)
        }
        expect(typeof value === 'function').toBe(false)
        expect(Object.getPrototypeOf(value ?? {})).toBe(Object.prototype)
      }
      expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
    },
  )

  it('data that throws when it is read gives one of our errors', () => {
    const throwing = (): never => {
      throw new Error('trap')
    }
    const trap = new Proxy({}, { getOwnPropertyDescriptor: throwing, ownKeys: throwing })
    expect(errorOf(() => valueOf('a.b', { a: trap })).code).toBe('EXPR_FAILED')
    expect(errorOf(() => compileExpr(trap as Expr)).code).toBe('EXPR_INVALID')
  })
})

describe('checking', () => {
  const deep = (depth: number): Expr => {
    let node: Expr = 1
    for (let i = 0; i < depth; i++) node = { $expr: 'unary', op: '!', argument: node } as Expr
    return node
  }
  const cycle: { [key: string]: unknown } = { $expr: 'unary', op: '!' }
  cycle['argument'] = cycle

  it.each<[string, unknown, readonly string[], string]>([
    ['an unknown kind', { $expr: 'eval', code: '1' }, [], '`eval` is no expression'],
    [
      'a kind of programs',
      { $expr: 'unary', op: '!', argument: { $expr: 'await', argument: 1 } },
      ['argument'],
      '`await`',
    ],
    ['a missing operand', { $expr: 'binary', op: '+', left: 1 }, ['right'], 'it is missing'],
    ['an unknown operator', { $expr: 'binary', op: 'in', left: 1, right: 2 }, [], '`op` is not known'],
    ['an unknown sign', { $expr: 'unary', op: '~', argument: 1 }, [], '`op` is not known'],
    ['an unknown word', { $expr: 'logical', op: 'and', left: 1, right: 2 }, [], '`op` is not known'],
    ['no list', { $expr: 'array', elements: 'abc' }, [], '`elements` must be a list'],
    ['a property that is none', { $expr: 'object', properties: [null] }, [], 'a name is missing'],
    ['a literal without a value', { $expr: 'literal' }, [], 'it is missing'],
    ['no properties', { $expr: 'object', properties: {} }, [], '`properties` must be a list'],
    ['too few parts', { $expr: 'template', parts: [], values: [1] }, [], '`parts` do not fit `values`'],
    ['a name that is none', { $expr: 'ident', name: 5 }, [], 'a name is missing or forbidden'],
    ['a forbidden name', { $expr: 'ident', name: '__proto__' }, [], 'a name is missing or forbidden'],
    ['a forbidden path', { $kind: 'arg', path: 'a.constructor' }, [], 'a name is missing or forbidden'],
    ['a path that is none', { $kind: 'arg', path: 5 }, [], 'a name is missing or forbidden'],
    [
      'a key of hidden power',
      JSON.parse('{"$expr":"literal","value":{"__proto__":1}}'),
      ['value', '__proto__'],
      'plain data',
    ],
    ['a function', { $expr: 'literal', value: { f: () => 1 } }, ['value', 'f'], 'plain data'],
    ['an instance', { $expr: 'literal', value: new Map() }, ['value'], 'plain data'],
    [
      'a getter',
      {
        $expr: 'unary',
        op: '!',
        get argument() {
          return 1
        },
      },
      ['argument'],
      'plain data',
    ],
    ['no number', { $expr: 'literal', value: Number.NaN }, ['value'], 'plain data'],
    ['nothing', undefined, [], 'plain data'],
  ])('%s is refused with its path', (_, value, path, message) => {
    const error = errorOf(() => checkExpr(value))
    expect({ code: error.code, info: error.info }).toEqual({ code: 'EXPR_INVALID', info: { path } })
    expect(error.message).toContain(message)
  })

  it.each<[keyof ExprLimits, unknown]>([
    ['depth', deep(1_000)],
    ['depth', deep(50_000)],
    ['depth', cycle],
    ['nodes', { $expr: 'array', elements: Array.from({ length: 20_000 }, () => 1) }],
  ])('what is too large or has no end meets the limit %s', (limit, value) => {
    expect(errorOf(() => checkExpr(value))).toMatchObject({ code: 'LIMIT_EXCEEDED', info: { limit } })
  })

  it('gives a frozen copy, which the caller cannot change any more', () => {
    const given = { $expr: 'literal', value: { list: [1] } }
    const checked = checkExpr(given)
    given.value.list.push(2)
    expect(checked).toEqual({ $expr: 'literal', value: { list: [1] } })
    expect(Object.isFrozen((checked as { value: { list: unknown } }).value.list)).toBe(true)
  })

  it('any input gives a copy or a defined error, and so does evaluating the copy', () => {
    const kind = fc.constantFrom(
      'literal',
      'ident',
      'member',
      'binary',
      'unary',
      'logical',
      'array',
      'object',
      'template',
      'methodCall',
      'call',
      'x',
    )
    const key = fc.constantFrom(
      '$expr',
      '$kind',
      'op',
      'left',
      'right',
      'object',
      'property',
      'properties',
      'key',
      'value',
      'values',
      'parts',
      'elements',
      'arguments',
      'argument',
      'method',
      'name',
      'path',
      'computed',
      'optional',
      'at',
    )
    const { any } = fc.letrec<{ any: unknown }>((tie) => ({
      any: fc.oneof(
        { maxDepth: 5 },
        fc.constantFrom('a', '+', '&&', '!', 'includes', 'arg', '__proto__', 1, -0, true, null, undefined),
        kind,
        fc.array(tie('any'), { maxLength: 3 }),
        fc.dictionary(key, tie('any'), { maxKeys: 5 }),
        fc.tuple(kind, fc.dictionary(key, tie('any'), { maxKeys: 5 })).map(([$expr, rest]) => ({ ...rest, $expr })),
      ),
    }))
    fc.assert(
      fc.property(
        fc.oneof(any, fc.anything({ withDate: true, withMap: true, withNullPrototype: true, withSparseArray: true })),
        (value) => {
          try {
            compileExpr(checkExpr(value))({ a: [1], args: {} })
          } catch (error) {
            expect(MandateError.isInstance(error)).toBe(true)
          }
        },
      ),
      { numRuns: 3_000 },
    )
  })
})

describe('fuel', () => {
  function usedBy(text: string, over: Scope = scope): number {
    const fuel = fuelOf(10)
    compileExpr(parseCondition(text))(over, fuel)
    return fuel.total - fuel.left
  }

  it.each<[string, number]>([
    ['c', 100],
    ['a.b + c', 400],
    ['c > 9 && a.b > 1 && a.b > 2', 500],
    ['c > 1 ? c : a.b.c.d', 500],
    ['none ?? c', 300],
    ['msg.includes("t")', 310],
    ['list.includes(1)', 330],
    ['"ab" + "cd"', 304],
    ['list.slice(0, 2).join("--")', 656],
  ])('%s costs %i units: 100 a node that is reached, 1 a character, 10 a member', (text, units) => {
    expect(usedBy(text)).toBe(units)
  })

  it('runs out before the work is done, with that error', () => {
    const run = compileExpr(parseCondition('text.toUpperCase()'))
    const text = 'x'.repeat(50_000)
    expect(errorOf(() => run({ text }, fuelOf(1)))).toMatchObject({
      code: 'LIMIT_EXCEEDED',
      info: { limit: 'fuel', max: 1 },
    })
    expect(run({ text }, fuelOf(6))).toHaveLength(50_000)
  })

  it('is shared by evaluations that are given the same, and its own for each that is given none', () => {
    const run = compileExpr(parseCondition('c + c'), { limits: { fuel: 0.03 } })
    const fuel = fuelOf(0.05)
    run(scope, fuel)
    expect(() => run(scope, fuel)).toThrow('the limit `fuel` of 0.05')
    expect([run(scope), run(scope)]).toEqual([8, 8])
  })

  it.each([Number.NaN, -1, Number.POSITIVE_INFINITY])('%s is no amount', (units) => {
    expect(() => fuelOf(units)).toThrow(MandateError)
  })

  it('looking for a long text in a long one is paid by both', () => {
    const over = { text: 'a'.repeat(10_000), part: `b${'a'.repeat(5_000)}` }
    expect(() => compileExpr(parseCondition('text.includes(part)'))(over, fuelOf(40))).toThrow('fuel')
  })
})

describe('limits', () => {
  it.each<[string, Partial<ExprLimits>, keyof ExprLimits]>([
    ['d + d + d', { stringLength: 2 }, 'stringLength'],
    ['list.slice(0, 2).join("-----")', { stringLength: 5 }, 'stringLength'],
    ['msg.split("")', { arrayLength: 5 }, 'arrayLength'],
  ])('%s with %o ends at %s', (text, limits, limit) => {
    expect(errorOf(() => valueOf(text, scope, limits))).toMatchObject({ code: 'LIMIT_EXCEEDED', info: { limit } })
  })
})
