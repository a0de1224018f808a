import { describe, expect, test } from 'vitest'
import { Eval } from './eval.ts'

const tools = { double: (input: unknown) => (input as { n: number }).n * 2 }

describe('a program that is one function is called', () => {
  test.each([
    ['async () => { const x = await tools.double({ n: 4 }); return x }', 8],
    ['async () => tools.double({ n: 1 })', 2],
    ['async (tools) => { return await tools.double({ n: 3 }) }', 6],
    ['(async () => { return seed });', 5],
    ['() => ({ a: 1 })', { a: 1 }],
    ['async function main() { return seed + 1 }', 6],
    ['async function main(): Promise<number> { return seed + 1 }', 6],
    ['function solve() { const f = () => 3; return f() };', 3],
    ['async function again() { if (seed++ < 9) return again(); return seed }', 10],
    ['(async function again() { if (seed++ < 9) return again(); return seed })', 10],
    ['function helper(x) { return x * 2 }\nasync function main() { return helper(seed) }', 10],
    ['async () => { 5 }', undefined],
  ])('%s', async (source, expected) => {
    const { result, error } = await Eval(source, { tools, vars: { seed: 5 } })
    expect([result, error]).toEqual([expected, undefined])
  })

  test('one with parameters that no script has is a function, and the message says to call it', async () => {
    const { error } = await Eval('async (n) => n')
    expect(error?.message).toContain('A function cannot leave the program (at `result`). Call it')
  })

  test('a function that the program calls itself runs once', async () => {
    const { output } = await Eval('async function main() { console.log("ran") }\nmain()')
    expect(output).toEqual(['ran'])
  })
})
