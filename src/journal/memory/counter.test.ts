import fc from 'fast-check'
import { expect, it } from 'vitest'
import { Counter } from './counter.ts'

it('sums what was added since a time, in whichever order the times came', () => {
  const moment = fc.integer({ min: 0, max: 20 })
  const amounts = fc.array(fc.record({ at: moment, amount: fc.integer({ min: 0, max: 5 }) }), { maxLength: 40 })
  fc.assert(
    fc.property(amounts, moment, (added, since) => {
      const counter = new Counter()
      for (const { at, amount } of added) counter.add(at, amount)
      expect(counter.sum(since)).toBe(added.reduce((sum, { at, amount }) => (at >= since ? sum + amount : sum), 0))
    }),
  )
})
