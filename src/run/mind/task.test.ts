import { expect, test } from 'vitest'
import { call, kernelWith, outputOf, program, runMain, tool } from '../kernel/kernel.fixture.ts'
import { Task } from './task.ts'

test('equal names inside one strand are numbered from the second on', () => {
  const task = new Task('', 's')
  expect([task.key('tool'), task.key('tool'), task.key('model'), task.key('tool')]).toEqual([
    'tool',
    'tool#2',
    'model',
    'tool#3',
  ])
})

test('a strand inside a strand carries the path of both, and counts for itself', () => {
  const turn = new Task('', 's').child('turn:1')
  turn.key('tool')
  const inner = turn.child('branch')
  expect([inner.key('tool'), inner.key('tool'), turn.key('tool')]).toEqual([
    'turn:1/branch/tool',
    'turn:1/branch/tool#2',
    'turn:1/tool#2',
  ])
})

test('two strands of one name have different paths', () => {
  const task = new Task('', 's')
  expect([task.child('a').path, task.child('a').path]).toEqual(['a', 'a#2'])
})

test('random numbers depend on the seed and the path of the strand, and on nothing else', () => {
  const draw = (seed: string, path: string): number[] => {
    const { random } = new Task(path, seed)
    return [random.next(), random.next()]
  }
  expect(draw('s', 'a')).toEqual(draw('s', 'a'))
  expect(draw('s', 'a')).not.toEqual(draw('s', 'b'))
  expect(draw('s', 'a')).not.toEqual(draw('t', 'a'))
})

test('a strand draws the same numbers however much others draw beside it', async () => {
  const draws = async (noise: number): Promise<unknown> => {
    const main = program('main', async (_, context) => {
      const [mine] = await Promise.all([
        context.task('mine', async (strand) => [strand.random(), strand.newId('x').slice(-11), strand.random()]),
        context.task('noise', async (strand) => Array.from({ length: noise }, () => strand.random()).length),
      ])
      return mine
    })
    return outputOf(
      await kernelWith({ minds: [main] }).run({ kind: 'program', name: 'main', input: null, seed: 'fixed' }),
    )
  }
  expect(await draws(0)).toEqual(await draws(5))
})

test('names that would give two effects one key are refused, and nothing is answered from the wrong one', async () => {
  let calls = 0
  const main = program('main', async (_, context) => {
    const first = context.task('a', (strand) => call(strand, 'count', 1, 'b'))
    await expect(call(context, 'count', 2, 'a/b')).rejects.toMatchObject({ code: 'INPUT_INVALID' })
    return (await first).status
  })
  const kernel = kernelWith({ minds: [main], tools: [tool('count', () => ++calls)] })
  expect(outputOf(await runMain(kernel))).toBe('ok')
  expect(calls).toBe(1)
})
