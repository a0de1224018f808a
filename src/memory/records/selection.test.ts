import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { compareJson } from '../query.ts'
import { Selection } from './selection.ts'

test('what is kept along the way is what sorting everything at the end would give', () => {
  fc.assert(
    fc.property(
      fc.array(fc.oneof(fc.integer({ min: 0, max: 50 }), fc.string({ maxLength: 2 })), {
        maxLength: 5_000,
        size: 'max',
      }),
      fc.record({
        offset: fc.integer({ min: 0, max: 5 }),
        limit: fc.integer({ min: 0, max: 20 }),
        descending: fc.boolean(),
      }),
      (fields, options) => {
        const selection = new Selection<string>({ ...options, orderBy: 'f' })
        for (const [index, f] of fields.entries()) selection.add(`k${index}`, `k${index}`, { f })
        const sign = options.descending ? -1 : 1
        const wanted = fields
          .map((f, index) => ({ f, key: `k${index}` }))
          .sort((a, b) => sign * (compareJson(a.f, b.f) || compareJson(a.key, b.key)))
        const { offset, limit } = options
        expect(selection.list()).toEqual(wanted.slice(offset, offset + limit).map(({ key }) => key))
      },
    ),
    { numRuns: 60 },
  )
})
