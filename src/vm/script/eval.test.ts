import { describe, expect, test } from 'vitest'
import { MandateError } from '../../core/index.ts'
import { Eval, SafeFunction } from './eval.ts'

describe('Eval', () => {
  test('a script sees its variables and nothing else, and gives the value of its last expression', async () => {
    const { result } = await Eval('items.filter((x) => x > limit).length', { vars: { items: [1, 5, 9], limit: 4 } })
    expect(result).toBe(2)
    expect((await Eval('typeof process + typeof globalThis + typeof require')).result).toBe('undefined'.repeat(3))
  })

  test('variables are copies: the caller keeps its own', async () => {
    const items = [1]
    const { result } = await Eval('items.push(2); items', { vars: { items } })
    expect(result).toEqual([1, 2])
    expect(items).toEqual([1])
  })

  test('a script may declare a name it was given, and be given the name args', async () => {
    expect((await Eval('const x = 2; x', { vars: { x: 1 } })).result).toBe(2)
    expect((await Eval('args[0] + x', { vars: { args: [1], x: 2 } })).result).toBe(3)
  })

  test('the value is that of return, of the last expression, of the last branch or of the last try', async () => {
    const value = async (source: string): Promise<unknown> => (await Eval(source)).result
    expect(await value('1; return 2; 3')).toBe(2)
    expect(await value('1; 2')).toBe(2)
    expect(await value('if (true) { 5 } else { 6 }')).toBe(5)
    expect(await value('try { null.x } catch (e) { e.name }')).toBe('TypeError')
    expect(await value('const x = 1')).toBeUndefined()
    expect(await value('for (const x of [1]) x')).toBeUndefined()
    expect(await value('1; function f() {}')).toBe(1)
  })

  test('tools are awaited, run in parallel, and their failures can be caught', async () => {
    const log: string[] = []
    const tools = {
      double: async (input: unknown) => {
        log.push(`start ${String(input)}`)
        await Promise.resolve()
        log.push(`end ${String(input)}`)
        return Number(input) * 2
      },
      fail: () => {
        throw new MandateError('TOOL_FAILED', 'no luck')
      },
    }
    const source = `
      const list = await Promise.all([1, 2].map((x) => tools.double(x)))
      try { await tools.fail() } catch (error) { list.push(error.message) }
      list`
    const { result, error } = await Eval(source, { tools })
    expect(error).toBeUndefined()
    expect(result).toEqual([2, 4, 'no luck'])
    expect(log.slice(0, 2)).toEqual(['start 1', 'start 2'])
  })

  test('what is printed comes back as lines', async () => {
    const { output } = await Eval('console.log("a", 1, { b: [undefined, "x"] }); console.error(new TypeError("t"))')
    expect(output).toEqual(['a 1 {"b":[undefined,"x"]}', 'TypeError: t'])
  })

  test('a script that cannot be read is an error with its place, not an exception', async () => {
    const { error, result } = await Eval('let a = 1\nwith (a) {}')
    expect(result).toBeUndefined()
    expect(error).toMatchObject({ code: 'INPUT_INVALID', line: 2, column: 1, info: { feature: 'with' } })
  })

  test('the clock and chance are those it is given', async () => {
    const { result } = await Eval('[Date.now(), new Date().toISOString(), Math.random()]', {
      now: () => 86_400_000,
      random: () => 0.25,
    })
    expect(result).toEqual([86_400_000, '1970-01-02T00:00:00.000Z', 0.25])
  })

  test('fuel is the same for the same script', async () => {
    const source = 'let s = 0; for (let i = 0; i < 100; i++) s += [1, 2, 3].map((x) => x * i).length; s'
    const [first, second] = [await Eval(source), await Eval(source)]
    expect(first.fuelUsed).toBeGreaterThan(0)
    expect(second.fuelUsed).toBe(first.fuelUsed)
  })

  test('a limit ends the script and cannot be caught', async () => {
    const { error } = await Eval('try { for (;;) {} } catch { 1 } finally { 2 }', { limits: { fuel: 10 } })
    expect(error).toMatchObject({ code: 'LIMIT_EXCEEDED', info: { limit: 'fuel' } })
  })
})

describe('SafeFunction', () => {
  test('it is read once and runs alone at each call', async () => {
    const count = SafeFunction(['list', 'x'], 'list.push(x); return list.length')
    const list = [1]
    expect((await count(list, 2)).result).toBe(2)
    expect((await count(list, 3)).result).toBe(2)
  })

  test('a body that cannot be read is refused at once', () => {
    expect(() => SafeFunction(['a'], 'return import(a)')).toThrow('`import` is not available')
    expect(() => SafeFunction(['a b'], 'return 1')).toThrow('cannot be the name of a variable')
    expect(() => SafeFunction('a' as never, 'return a')).toThrow('The parameters are a list of names')
  })
})
