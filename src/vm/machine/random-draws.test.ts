import { expect, test } from 'vitest'
import { drawsFrom } from './random-draws.ts'

const counting = (): (() => number) => {
  let at = 0
  return () => ++at / 100
}

test('numbers that labels lead to take none from the others, which stay as they were', () => {
  const draw = drawsFrom(counting())
  const web = ['untrusted:web']
  const clean: number[] = []
  for (let i = 0; i < 3; i++) {
    for (let j = 0; j < i; j++) draw(web)
    clean.push(draw([]))
  }
  expect(clean).toEqual([0.01, 0.02, 0.03])
})

test('each set of labels has its own numbers, in whatever order the labels are given', () => {
  const one = drawsFrom(counting())
  const other = drawsFrom(counting())
  const numbers = [one(['a', 'b']), one(['a']), one(['b', 'a']), one(['a'])]
  expect(new Set(numbers).size).toBe(4)
  expect([other(['a']), other(['a'])]).toEqual([numbers[1], numbers[3]])
  expect([other(['b', 'a']), other(['a', 'b', 'a'])]).toEqual([numbers[0], numbers[2]])
})
