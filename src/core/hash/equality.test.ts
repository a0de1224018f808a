import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isSame } from './equality.ts'
import { canonical } from './canonical.ts'
import type { Json } from '../json.ts'

/** Few different leaves and keys, so that equal values are not rare. */
const value = fc.letrec<{ json: Json }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom<Json>(0, -0, 1, '', 'a', null, true, false),
    fc.array(tie('json'), { maxLength: 2 }),
    fc.dictionary(fc.constantFrom('a', 'b', '__proto__'), tie('json'), { maxKeys: 2 }),
  ),
})).json

describe('sameness', () => {
  it('two values are the same exactly when their canonical spellings are', () => {
    fc.assert(
      fc.property(value, value, (a, b) => {
        expect(isSame(a, b)).toBe(canonical(a) === canonical(b))
        expect(isSame(a, structuredClone(a))).toBe(true)
      }),
      { numRuns: 2_000 },
    )
  })

  it('a member that is undefined is not there', () => {
    expect(isSame({ a: 1, b: undefined as never }, { a: 1 })).toBe(true)
    expect(isSame({ a: undefined as never }, { b: undefined as never })).toBe(true)
    expect(isSame({ a: undefined as never }, { a: null })).toBe(false)
  })
})
