import { expect, test } from 'vitest'
import {
  BUDGET_UNITS,
  DEFAULT_RUN_LIMITS,
  budgetLimits,
  canonical,
  describeOutcome,
  failed,
  joinLabels,
  ok,
  runLimits,
} from './index.ts'

test('given limits override the defaults, which are immutable', () => {
  expect(runLimits({ parallel: 2, attempts: undefined } as never)).toEqual({ ...DEFAULT_RUN_LIMITS, parallel: 2 })
  expect(Object.isFrozen(runLimits())).toBe(true)
  expect(Object.isFrozen(DEFAULT_RUN_LIMITS)).toBe(true)
})

test('zero is a limit, and no limit at all is left out of what is journaled', () => {
  expect(budgetLimits({ steps: 0, money: undefined, timeMs: Infinity })).toEqual({ steps: 0 })
  expect(() => canonical(budgetLimits(Object.fromEntries(BUDGET_UNITS.map((unit) => [unit, Infinity]))))).not.toThrow()
})

test.each([
  [{ steps: -1 }, 'budget.steps'],
  [{ money: Number.NaN }, 'budget.money'],
  [{ tokens: 5 }, 'totalTokens'],
  [{ steps: '5' }, 'budget.steps'],
  [null, 'object of numbers'],
])('%o is refused with its name', (given, named) => {
  expect(() => budgetLimits(given as never)).toThrow(
    expect.objectContaining({ code: 'CONFIG_INVALID', message: expect.stringContaining(named) }),
  )
})

test('labels join once each, in one order', () => {
  expect(joinLabels(['b', 'a'], undefined, ['a', 'c'])).toEqual(['a', 'b', 'c'])
  expect(joinLabels(undefined, [])).toEqual([])
  const only = ['x']
  expect(joinLabels(only, undefined)).toBe(only)
})

test('every outcome can be said in a sentence', () => {
  expect(describeOutcome(ok(1))).toBe('ok')
  expect(describeOutcome(failed('TIMEOUT', 'too slow'))).toBe('failed (TIMEOUT): too slow')
  expect(describeOutcome({ status: 'denied', code: 'DENIED', reason: 'no', rule: 'r1' })).toBe('denied by r1: no')
  expect(describeOutcome({ status: 'cancelled', reason: 'stop' })).toBe('cancelled: stop')
  expect(describeOutcome({ status: 'unknown', reason: 'crash' })).toBe('outcome unknown: crash')
})
