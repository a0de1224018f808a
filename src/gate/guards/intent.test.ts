import { expect, it } from 'vitest'
import type { Effect, Intent } from '../effect.ts'
import { viewOf } from '../view.fixture.ts'
import { intentGuard } from './intent.ts'

const intent: Intent = { toolName: 'search', purpose: 'p', expectedOutcome: 'o', riskLevel: 'read' }
const mandate = { intentRequired: true }

it.each<[string, Partial<Effect>, string | undefined]>([
  ['a call with its intent', { intent }, undefined],
  ['a call without one', {}, 'missing'],
  ['a call whose intent could not be read', { intentProblem: 'It is not valid JSON.' }, 'malformed'],
  ['a call with the intent of another', { intent: { ...intent, toolName: 'other' } }, 'mismatch'],
  ['a call whose intent says nothing', { intent: { toolName: 'search' } as Intent }, 'malformed'],
  ['a call whose intent is a text', { intent: 'search' as unknown as Intent }, 'malformed'],
  ['a call of a planner, which is a call like any other', { origin: 'planner' }, 'missing'],
  ['a call of a fallback', { origin: 'fallback' }, 'missing'],
  ['a call that claims to be the overseer', { origin: 'overseer' }, 'missing'],
  ['a hand-over to an agent', { kind: 'agent' }, 'missing'],
  ['a model call', { kind: 'model' }, undefined],
  ['a memory write', { kind: 'memory' }, undefined],
  ['a question', { kind: 'question' }, undefined],
])('%s', async (_, effect, rule) => {
  const verdict = await intentGuard.check(viewOf({ effect, mandate }))
  expect(verdict).toEqual(
    rule === undefined ? undefined : expect.objectContaining({ verdict: 'deny', rule, code: 'INTENT_MISSING' }),
  )
})

it('the denial shows the form that would have passed', async () => {
  const verdict = await intentGuard.check(viewOf({ mandate }))
  expect(verdict?.reason).toContain('<intent>{"toolName": "search"')
})

it('is not asked where the mandate does not require it', () => {
  expect(intentGuard.appliesTo!({})).toBe(false)
  expect(intentGuard.appliesTo!({ intentRequired: false })).toBe(false)
  expect(intentGuard.appliesTo!(mandate)).toBe(true)
})
