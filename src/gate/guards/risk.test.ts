import { expect, it } from 'vitest'
import { RISKS } from '../../tool/index.ts'
import { viewOf } from '../view.fixture.ts'
import { riskGuard } from './risk.ts'

it.each(RISKS.flatMap((max, limit) => RISKS.map((risk, rank) => [max, risk, rank > limit] as const)))(
  'under "%s" at most, "%s" is refused: %s',
  async (riskMax, risk, isRefused) => {
    const verdict = await riskGuard.check(viewOf({ mandate: { riskMax }, risk }))
    expect(verdict).toEqual(isRefused ? expect.objectContaining({ verdict: 'deny', rule: risk }) : undefined)
  },
)

it('is not asked where no limit is set', () => {
  expect(riskGuard.appliesTo!({})).toBe(false)
  expect(riskGuard.appliesTo!({ riskMax: 'read' })).toBe(true)
})
