import { describe, expect, test } from 'vitest'
import { Eval } from '../eval.ts'

/** What the script gives, or the name of what it throws. */
async function given(source: string): Promise<unknown> {
  const { result, error } = await Eval(source)
  return error === undefined ? result : (error.name ?? error.message)
}

describe('classes of scripts mean what they mean elsewhere', () => {
  const cases: readonly (readonly [string, unknown])[] = [
    ['class A {} return typeof A + new A().constructor.name', 'functionA'],
    ['class A {} A()', 'TypeError'],
    ['class A { #x = 1; static of(o) { return o.#x } } A.of({})', 'TypeError'],
    ['class A {} class B extends A { constructor() { this.x = 1 } } new B()', 'ReferenceError'],
    ['class A { get x() { return 1 } } new A().x = 2', 'TypeError'],
    ['const f = () => 1; new f()', 'TypeError'],
    ['class A { m() { return 1 } } return Object.keys(new A()).length', 0],
    ['const y = 9; class A { z = y; constructor(y) { this.y = y } } return new A(1)', { z: 9, y: 1 }],
    ['class A { constructor() { return { other: 1 } } } return new A()', { other: 1 }],
    ['class A { static a = 1; static b = this.a + 1 } return A.b', 2],
    ['function F() {} const G = F; return [new G() instanceof F, new  G().constructor === F]', [true, true]],
    ['function make(K) { return new K() } function F() {} return make(F) instanceof F', true],
    ['function f() {} const text = "new f"; return [typeof f.prototype, new f() instanceof f]', ['object', true]],
    ['const o = { m() {} }; new o.m()', 'TypeError'],
    ['async function f() {} new f()', 'TypeError'],
    ['class A extends Error {} return new A("x") instanceof Error', true],
  ]

  test.each(cases)('%s', async (source, wanted) => {
    expect(await given(source)).toEqual(wanted)
  })
})

test('what cannot be extended is refused with the way out', async () => {
  const { error } = await Eval('class Bag extends Map {} return new Bag().size')
  expect(error).toMatchObject({ info: { kind: 'refused' } })
  expect(error?.message).toContain('Keep a Map in a field instead')
})

test('the types of numbers, texts and truth values cannot be extended, and the message has code that works', async () => {
  for (const type of ['Number', 'String', 'Boolean']) {
    const { error } = await Eval(`class Mine extends ${type} {} return 1`)
    expect(error, type).toMatchObject({ info: { kind: 'refused' } })
    const [code] = /class Store \{ #items = \w+\(\);/.exec(error!.message)!
    expect((await Eval(`${code} } return typeof new Store()`)).result).toBe('object')
  }
})

test('assigning to super is refused with what to write instead', async () => {
  const { error } = await Eval('class A {} class B extends A { m() { super.x = 1 } } new B().m()')
  expect(error?.message).toContain('assign to `this` instead')
})

test('a getter that never ends is stopped by its fuel, and no catch sees it', async () => {
  const source = 'const o = { get x() { for (;;) {} } }; try { o.x } catch { return 1 }'
  const { error } = await Eval(source, { limits: { fuel: 5 } })
  expect(error?.code).toBe('LIMIT_EXCEEDED')
})

test('constructors that call themselves are stopped by the depth of calls', async () => {
  const { error } = await Eval('class A { constructor() { this.a = new A() } } new A()')
  expect(error?.code).toBe('LIMIT_EXCEEDED')
})

test('neither a prototype nor a constructor leads to the host', async () => {
  for (const source of [
    'return ({}).constructor.constructor("return process")()',
    'return Object.getPrototypeOf({}).constructor',
    'class A {} return A.constructor("return 1")()',
    'class A {} return new A().__proto__',
    'Object.getPrototypeOf([]).push = () => 1',
  ])
    expect((await Eval(source)).error, source).toBeDefined()
})
