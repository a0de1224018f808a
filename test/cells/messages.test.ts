import vm from 'node:vm'
import { expect, test } from 'vitest'
import { Eval } from '../../src/vm/script/eval.ts'

/** What a piece of code throws, as a text; both engines evaluate this source. */
function caught(source: string): string {
  return `(() => { 'use strict'; try { ${source}; return 'nothing' } catch (e) { return e.name + ': ' + e.message } })()`
}

test.each([
  ['const { a } = null', "Cannot destructure property 'a' of 'null' as it is null."],
  ['const { a } = undefined', "Cannot destructure property 'a' of 'undefined' as it is undefined."],
  ['const {} = null', "Cannot destructure 'null' as it is null."],
  ['const { ...rest } = undefined', "Cannot destructure 'undefined' as it is undefined."],
  ['let x = null; const { a, b } = x', "Cannot destructure property 'a' of 'x' as it is null."],
  ['const o = { p: { q: null } }; const { a } = o.p.q', "Cannot destructure property 'a' of 'o.p.q' as it is null."],
  ['const o = {}; const { ["a"]: b } = o.p', "Cannot destructure 'o.p' as it is undefined."],
  ['const list = [null]; const { 0: a } = list[0]', "Cannot destructure property '0' of 'list[0]' as it is null."],
  ['const f = () => null; const { a } = f()', "Cannot destructure property 'a' of 'f(...)' as it is null."],
  ['const o = { m() {} }; const { a } = o.m()', "Cannot destructure property 'a' of 'o.m(...)' as it is undefined."],
  ['let o; const { a } = o?.p', "Cannot destructure property 'a' of '(intermediate value)' as it is undefined."],
  ['let a; let x = null; ({ a } = x)', "Cannot destructure property 'a' of 'x' as it is null."],
  ['(({ a }) => a)(null)', "Cannot destructure property 'a' of 'object null' as it is null."],
  ['(({ a }) => a)()', "Cannot destructure property 'a' of 'undefined' as it is undefined."],
  ['class A { constructor({ a }) {} } new A()', "Cannot destructure property 'a' of 'undefined' as it is undefined."],
  ['const { a = 1 } = null', "Cannot read properties of null (reading 'a')"],
  ['const { a: { b } } = {}', "Cannot read properties of undefined (reading 'b')"],
  ['const { a } = { get a() { return null.b } }', "Cannot read properties of null (reading 'b')"],
  ['Symbol() + ""', 'Cannot convert a Symbol value to a string'],
  ['"" + Symbol.iterator', 'Cannot convert a Symbol value to a string'],
  ['[] + Symbol()', 'Cannot convert a Symbol value to a string'],
  ['let text = "a"; text += Symbol()', 'Cannot convert a Symbol value to a string'],
  ['Symbol() + 1', 'Cannot convert a Symbol value to a number'],
  ['Symbol() - ""', 'Cannot convert a Symbol value to a number'],
  ['`${Symbol()}`', 'Cannot convert a Symbol value to a string'],
])('%s throws with the message of the real engine', async (source, message) => {
  const { result } = await Eval(`return ${caught(source)}`)
  expect(result).toBe(`TypeError: ${message}`)
  expect(vm.runInThisContext(caught(source))).toBe(result)
})

test('a symbol is equal only to itself', async () => {
  const source = '(() => { const s = Symbol(); return [s == s, s == 1, s == "", s == Symbol(), s != {}, s == null] })()'
  expect((await Eval(`return ${source}`)).result).toEqual(vm.runInThisContext(source))
})
