import { expect, it } from 'vitest'
import { hashEffect } from '../effect.ts'
import type { OverseerPolicy } from '../mandate/guard-fields.ts'
import type { OversightView } from '../oversight/oversight.ts'
import { viewOf } from '../view.fixture.ts'
import type { ViewParts } from '../view.fixture.ts'
import { dueDriftCheck } from '../oversight/oversight.ts'
import { overseerGuard } from './overseer.ts'

const drift = { model: 'judge' }

function counted(state: Partial<OversightView> = {}): OversightView {
  return { toolCalls: 0, tokens: 0, drift: 0, isUnchecked: false, callsInMinute: () => 0, repeatsOf: () => 0, ...state }
}

it.each<[string, OverseerPolicy, Partial<OversightView>, ViewParts, string | undefined]>([
  ['nothing has happened', {}, {}, {}, undefined],
  ['as many tokens as allowed', {}, { tokens: 100_000 }, {}, undefined],
  ['one token more', {}, { tokens: 100_001 }, {}, 'kill tokens'],
  ['more than a limit of its own', { maxTokens: 10 }, { tokens: 11 }, {}, 'kill tokens'],
  ['a model call after too many tokens', {}, { tokens: 100_001 }, { kind: 'model' }, 'kill tokens'],
  [
    "the overseer's own call after too many tokens",
    {},
    { tokens: 100_001 },
    { kind: 'model', isOverseer: true },
    undefined,
  ],
  [
    'a call that only says it is the overseer',
    {},
    { tokens: 100_001 },
    { effect: { origin: 'overseer' } },
    'kill tokens',
  ],
  ['the thirtieth call of a minute', {}, { callsInMinute: () => 29 }, {}, undefined],
  ['the thirty-first', {}, { callsInMinute: () => 30 }, {}, 'ask pace'],
  ['a model call at that pace', {}, { callsInMinute: () => 30 }, { kind: 'model' }, undefined],
  ['the second equal call', {}, { repeatsOf: () => 1 }, {}, undefined],
  ['the third', {}, { repeatsOf: () => 2 }, {}, 'kill loop'],
  ['the third, where five are allowed', { maxRepeats: 5 }, { repeatsOf: () => 2 }, {}, undefined],
  ['a loop at too high a pace', {}, { repeatsOf: () => 2, callsInMinute: () => 99 }, {}, 'kill loop'],
  ['drift at too high a pace', { drift }, { drift: 3, callsInMinute: () => 99 }, {}, 'kill drift'],
  ['one doubt', { drift }, { drift: 1 }, {}, 'allow drift-warning'],
  ['two doubts', { drift }, { drift: 2 }, {}, 'allow drift-warning'],
  ['three doubts', { drift }, { drift: 3 }, {}, 'kill drift'],
  ['a check without an answer', { drift }, { isUnchecked: true }, {}, 'ask drift-unchecked'],
  [
    'a check without an answer, where it may pass',
    { drift: { ...drift, onFailure: 'allow' } },
    { isUnchecked: true },
    {},
    'allow drift-unchecked',
  ],
  ['doubts that nobody asked for', {}, { drift: 3 }, {}, undefined],
])('%s', async (_, overseer, state, parts, expected) => {
  const verdict = await overseerGuard.check(viewOf({ ...parts, mandate: { overseer }, oversight: counted(state) }))
  expect(verdict === undefined ? undefined : `${verdict.verdict} ${verdict.rule}`).toBe(expected)
})

it('equal calls are recognized by their canonical input', async () => {
  const hash = hashEffect('tool', 'search', { a: 1, b: 2 })
  const oversight = counted({ repeatsOf: (given) => (given === hash ? 2 : 0) })
  const verdict = await overseerGuard.check(viewOf({ mandate: { overseer: {} }, oversight, input: { b: 2, a: 1 } }))
  expect(verdict).toMatchObject({ verdict: 'kill', rule: 'loop' })
})

it('a drift check is due before every fifth call, or as often as the mandate says', () => {
  const due = (every?: number): number[] =>
    Array.from({ length: 11 }, (_, calls) => calls).filter(
      (calls) => dueDriftCheck({ drift: { ...drift, every } }, calls) !== undefined,
    )
  expect([due(), due(3)]).toEqual([
    [4, 9],
    [2, 5, 8],
  ])
  expect([dueDriftCheck({}, 4), dueDriftCheck(undefined, 4)]).toEqual([undefined, undefined])
})

it('is not asked where there is none', () => {
  expect([{}, { overseer: {} }].map((mandate) => overseerGuard.appliesTo!(mandate))).toEqual([false, true])
})
