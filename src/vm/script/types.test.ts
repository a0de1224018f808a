import { parseSync } from 'oxc-parser'
import { describe, expect, test } from 'vitest'
import { script } from './script.ts'

/** TypeScript, and the same without its types. */
const pairs: readonly (readonly [typed: string, plain: string])[] = [
  ['let x: number = 1', 'let x = 1'],
  ['let x!: number; x = 1', 'let x; x = 1'],
  ['const f = (a: number, b?: string): void => {}', 'const f = (a, b) => {}'],
  ['const f = async <T,>(x: T): Promise<T> => x', 'const f = async (x) => x'],
  ['const f = <T extends object = {}>(x: T) => x', 'const f = (x) => x'],
  [
    'function f<T>(this: void, x: T, ...rest: T[]): x is string { return true }',
    'function f(x, ...rest) { return true }',
  ],
  ['const y = x as unknown as string', 'const y = x'],
  ['const y = x satisfies Foo, z = [1] as const', 'const y = x, z = [1]'],
  ['const y = x!.a![0]!.b()', 'const y = x.a[0].b()'],
  ['const m = new Map<string, Array<number>>()', 'const m = new Map()'],
  ['const v = f<Record<string, number>>(1)', 'const v = f(1)'],
  ['interface A<T> extends B<T>, C { a: T; b(): void; readonly [k: string]: unknown }\n1', '1'],
  ['type Q<T> = { a: T } | ((x: number) => string) | keyof T & `a${string}`[]\n1', '1'],
  ['type C<T> = T extends (infer U)[] ? U : never; 1', '1'],
  ['declare const tools: { search(q: { q: string }): Promise<string[]> }\n1', '1'],
  ['declare function f(x: number): string\n1', '1'],
  [
    'function f(a: string): void\nfunction f(a: number): void\nfunction f(a: any) { return a }',
    'function f(a) { return a }',
  ],
  ['try { f() } catch (e: unknown) { g(e as Error) }', 'try { f() } catch (e) { g(e) }'],
  ['for (const k of Object.keys(o) as (keyof typeof o)[]) g(k)', 'for (const k of Object.keys(o)) g(k)'],
  ['const { a, b }: { a: number; b: string[] } = o', 'const { a, b } = o'],
  ['const [a, b]: [number, string] = o', 'const [a, b] = o'],
  ['const f = ({ a }: { a: number }, [b]: number[] = [1]): number => a + b', 'const f = ({ a }, [b] = [1]) => a + b'],
  [
    'const o = { m<T>(x: T): T { return x }, async n(y?: number): Promise<void> {} }',
    'const o = { m(x) { return x }, async n(y) {} }',
  ],
  ['const c = a ? (b) : (d)', 'const c = a ? (b) : (d)'],
  ['const c = a ? (b as number) : d', 'const c = a ? (b) : d'],
  ['const c = <string>a', 'const c = a'],
  ['let a = b < c, d = e > (f)', 'let a = b < c, d = e > (f)'],
  ['const type = 1; type; const as = 2; as', 'const type = 1; type; const as = 2; as'],
  ['const f = (cb: (err: Error | null, data?: string) => void): void => cb(null)', 'const f = (cb) => cb(null)'],
  ['const f = function (x: number): asserts x is 5 {}', 'const f = function (x) {}'],
  ['const n = (x as { a: { b: number }[] }).a[0]?.b ?? 0', 'const n = (x).a[0]?.b ?? 0'],
  ['abstract: 1', 'abstract: 1'],
  ['let u: unique symbol, t: typeof a.b, i: import("x").Y, n: -1 | "s" | null', 'let u, t, i, n'],
]

/** Positions differ; everything else must not. */
function shape(source: string): string {
  return JSON.stringify(script(source), (key, value: unknown) => (key === 'at' ? undefined : value))
}

describe('types', () => {
  test.each(pairs)('%s', (typed, plain) => {
    expect(parseSync('a.ts', typed).errors, 'the sample is TypeScript').toEqual([])
    expect(shape(typed)).toBe(shape(plain))
  })
})
