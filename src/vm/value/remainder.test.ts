import fc from 'fast-check'
import { expect, test } from 'vitest'
import { remainder } from './remainder.ts'

const numbers = fc.oneof(
  fc.double(),
  fc.integer(),
  fc.maxSafeInteger(),
  fc.constantFrom(0, -0, 1, 2, 3, 2 ** 26, 2 ** 53 - 1, 2 ** 53 - 2, 2 ** 52, 1e308, 5e-324),
)

test('a remainder is the one that the language gives', () => {
  fc.assert(
    fc.property(numbers, numbers, (a, b) => {
      expect(Object.is(remainder(a, b), a % b)).toBe(true)
    }),
    { numRuns: 20_000 },
  )
})

test('nor does a whole quotient of large numbers round it away', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 2 ** 31 }), fc.integer({ min: 1, max: 2 ** 21 }), (b, k) => {
      for (const a of [b * k - 1, b * k, b * k + 1]) expect(remainder(a, b)).toBe(a % b)
    }),
    { numRuns: 20_000 },
  )
})
