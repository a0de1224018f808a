import { describe, expect, it } from 'vitest'
import type { Json } from '../../core/index.ts'
import type { Validation } from '../effect.ts'
import { viewOf } from '../view.fixture.ts'
import { schemaGuard } from './schema.ts'

function check(input: Json, validation: Validation | Promise<Validation>): unknown {
  return schemaGuard.check(viewOf({ input, facts: { validate: () => validation } }))
}

describe('the schema guard', () => {
  it('has nothing against a target without a schema', () => {
    expect(schemaGuard.check(viewOf())).toBeUndefined()
  })

  it.each<[string, Json, Json]>([
    ['the same object', { a: 1, b: [2] }, { b: [2], a: 1 }],
    ['the same list', [1, { x: null }], [1, { x: null }]],
    ['the same text', 'x', 'x'],
  ])('has nothing against an input that stays as it is: %s', (_, input, value) => {
    expect(check(input, { ok: true, value })).toBeUndefined()
  })

  it.each<[string, Json, Json]>([
    ['a coerced number', { n: '5' }, { n: 5 }],
    ['a default filled in', { a: 1 }, { a: 1, b: 2 }],
    ['an unknown member dropped', { a: 1, b: 2 }, { a: 1 }],
    ['a list that got shorter', [1, 2], [1]],
    ['a list instead of an object', {}, []],
  ])('hands on what the schema made of the input: %s', (_, input, value) => {
    expect(check(input, { ok: true, value })).toMatchObject({ verdict: 'modify', input: value })
  })

  it('lists every issue for the model, one per line', () => {
    expect(check({}, { ok: false, issues: ['url: is missing', 'limit: must be a number'] })).toEqual({
      verdict: 'deny',
      code: 'SCHEMA_INVALID',
      reason:
        'The input of "search" is not valid. Correct it and try again:\n- url: is missing\n- limit: must be a number',
    })
  })

  it('a flood of issues stays readable', () => {
    const issues = Array.from({ length: 500 }, () => 'x'.repeat(10_000))
    const verdict = check({}, { ok: false, issues }) as { reason: string }
    expect(verdict.reason.length).toBeLessThan(4_000)
    expect(verdict.reason).toContain('and 490 more')
  })

  it('waits for a validator that takes its time', async () => {
    await expect(check({ n: '5' }, Promise.resolve({ ok: true, value: { n: 5 } }))).resolves.toMatchObject({
      verdict: 'modify',
    })
  })

  it('a validator that says nothing, or throws, has not said yes: that is the fault of the tool', () => {
    expect(check({}, undefined as never)).toMatchObject({ verdict: 'deny', rule: 'validator', code: 'TOOL_FAILED' })
  })
})
