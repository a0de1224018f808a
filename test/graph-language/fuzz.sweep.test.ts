import { expect, test } from 'vitest'
import { isFull, rotate } from '../rotation.ts'
import { fuzz } from './fuzz.ts'

const seeds = rotate(
  Array.from({ length: 40 }, (_, index) => 1000 + index),
  'changed .rag texts',
)

test.each(seeds)('seed %i: no changed text crashes the compiler, hangs it or loses its meaning', (seed) => {
  expect(fuzz(seed, isFull ? 10_000 : 4000).compiled).toBeGreaterThan(200)
})
