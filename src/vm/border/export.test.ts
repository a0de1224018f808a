import { expect, test } from 'vitest'
import { Eval } from '../script/eval.ts'
import { runScript } from '../machine/script.fixture.ts'

test.each(['1 / 0', '-1 / 0', '0 / 0', '{ deep: [1, 0 / 0] }'])(
  'a call is not made with %s, which JSON cannot hold: the script is told',
  async (value) => {
    const seen: unknown[] = []
    const pay = (input: unknown): null => {
      seen.push(input)
      return null
    }
    const script = `try { await tools.pay(${value}); return 'paid' } catch (error) { return error.message }`
    const { result } = await Eval(script, { tools: { pay } })
    expect(result).toMatch(/(?:Infinity|NaN) cannot be given to a call/)
    expect(seen).toEqual([])
  },
)

test('what a program returns is written as JSON writes it', async () => {
  expect((await Eval('return [1 / 0, 2]')).result).toEqual([null, 2])
})

test('a number that JSON cannot hold leaves as null, and a warning says where', async () => {
  const { result, warnings } = await runScript('({ a: [1, 0 / 0], b: 1 / 0, c: 2 })')
  expect(result).toEqual({ a: [1, null], b: null, c: 2 })
  expect(warnings).toEqual([
    'NaN left the program as null (at `/a/1`): JSON has no such number.',
    'Infinity left the program as null (at `/b`): JSON has no such number.',
  ])
  expect((await runScript('-1 / 0')).warnings).toEqual([expect.stringContaining('at `result`')])
})
