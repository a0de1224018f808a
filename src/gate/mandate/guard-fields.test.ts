import { expect, it } from 'vitest'
import { checkMandate } from './check-mandate.ts'

const rate = { tool: 'a', max: 1, perMs: 1 }
const rule = { id: 'r', on: ['prompt'], words: ['x'], then: 'block' }

it.each([
  { intentRequired: true },
  { riskMax: 'write' },
  { rates: [] },
  { rates: [rate, { ...rate, tool: 'a*', per: 'all', max: 0 }] },
  {
    content: [
      rule,
      { ...rule, id: 's', then: 'rewrite', with: '' },
      { id: 't', on: ['tool-output'], filter: 'f', tools: ['a*'] },
    ],
  },
  { overseer: {} },
  { overseer: { maxTokens: 0, maxCallsPerMinute: 1, maxRepeats: 2, drift: { model: 'm', every: 1, max: 1 } } },
])('%j is a mandate', (mandate) => {
  expect(checkMandate(mandate)).toEqual(mandate)
})

it.each<[unknown, string]>([
  [{ intentRequired: 'yes' }, '`mandate.intentRequired` must be true or false'],
  [{ riskMax: 'writ' }, 'Did you mean "write"?'],
  [{ rates: {} }, '`mandate.rates` must be a list'],
  [{ rates: ['a'] }, '`mandate.rates[0]` must be an object'],
  [{ rates: [{ ...rate, max: -1 }] }, '`mandate.rates[0].max` must be a whole number from 0'],
  [{ rates: [{ ...rate, max: Number.NaN }] }, '`mandate.rates[0].max`'],
  [{ rates: [{ ...rate, perMs: 0 }] }, '`mandate.rates[0].perMs`'],
  [{ rates: [{ ...rate, tool: '*a' }] }, 'may only stand at the end'],
  [{ rates: [{ ...rate, per: 'user' }] }, 'Use one of: identity, run, all'],
  [{ rates: [{ ...rate, perSecond: 1 }] }, '`mandate.rates[0].perSecond` is not known'],
  [{ content: [{ ...rule, on: [] }] }, '`mandate.content[0].on` must list'],
  [{ content: [{ ...rule, on: ['promt'] }] }, 'Did you mean "prompt"?'],
  [{ content: [{ ...rule, words: undefined }] }, 'either `words`'],
  [{ content: [{ ...rule, filter: 'f' }] }, 'either `words`'],
  [{ content: [{ ...rule, words: [] }] }, '`mandate.content[0].words`'],
  [{ content: [{ ...rule, words: [''] }] }, '`mandate.content[0].words[0]`'],
  [{ content: [{ ...rule, then: undefined }] }, '`mandate.content[0].then`'],
  [{ content: [{ ...rule, then: 'rewrite' }] }, '`mandate.content[0].with`'],
  [{ content: [{ id: 'r', on: ['prompt'], filter: 'f', then: 'block' }] }, 'a filter says itself'],
  [{ content: [rule, rule] }, '`mandate.content[1].id` is used'],
  [{ content: [{ ...rule, id: '' }] }, '`mandate.content[0].id`'],
  [{ overseer: true }, '`mandate.overseer` must be an object'],
  [{ overseer: { maxTokens: 1.5 } }, '`mandate.overseer.maxTokens`'],
  [{ overseer: { maxRepeats: 1 } }, '`mandate.overseer.maxRepeats` must be a whole number from 2'],
  [{ overseer: { drift: {} } }, '`mandate.overseer.drift.model`'],
  [{ overseer: { drift: { model: 'm', every: 0 } } }, '`mandate.overseer.drift.every`'],
  [{ overseer: { tokens: 1 } }, '`mandate.overseer.tokens` is not known'],
])('%j is refused with its fix', (mandate, message) => {
  expect(() => checkMandate(mandate)).toThrow(
    expect.objectContaining({ code: 'CONFIG_INVALID', message: expect.stringContaining(message) }),
  )
})
