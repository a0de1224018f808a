import { describe, expect, test } from 'vitest'
import { schemaCheck } from './schema-check.ts'

const issue = (schema: unknown, value: unknown): string | undefined => schemaCheck(schema, 'the test')(value)

describe('a schema', () => {
  test.each([
    [{ type: 'string' }, 'x', 5],
    [{ type: ['string', 'null'] }, null, 5],
    [{ type: 'integer' }, 3, 3.5],
    [{ type: 'number' }, 3, '3'],
    [{ type: 'object', required: ['a'] }, { a: 1 }, {}],
    [{ type: 'object', properties: { a: { type: 'string' } } }, { a: 'x' }, { a: 1 }],
    [{ type: 'object', properties: {}, additionalProperties: false }, {}, { b: 1 }],
    [{ type: 'object', additionalProperties: { type: 'number' } }, { b: 1 }, { b: 'x' }],
    [{ type: 'array', items: { type: 'number' } }, [1, 2], [1, 'x']],
    [{ type: 'array', prefixItems: [{ type: 'string' }], items: { type: 'number' } }, ['a', 1], ['a', 'b']],
    [{ type: 'array', items: [{ type: 'string' }], minItems: 1, maxItems: 1 }, ['a'], [1]],
    [{ enum: ['a', 1, null] }, null, 'b'],
    [{ const: { a: [1] } }, { a: [1] }, { a: [2] }],
    [{ anyOf: [{ type: 'string' }, { type: 'null' }] }, null, 1],
    [{ oneOf: [{ type: 'number' }, { minimum: 5 }] }, 3, 7],
    [{ allOf: [{ minimum: 1 }, { maximum: 3 }] }, 2, 4],
    [{ not: { type: 'string' } }, 1, 'x'],
    [{ minimum: 1, exclusiveMaximum: 5, multipleOf: 0.1 }, 1.1, 5],
    [{ minLength: 2, maxLength: 3 }, 'ab', 'a'],
    [{ minProperties: 1, maxProperties: 1 }, { a: 1 }, {}],
    [true, 1, undefined],
  ])('%j takes %j and not %j', (schema, right, wrong) => {
    expect(issue(schema, right)).toBeUndefined()
    if (schema !== true) expect(issue(schema, wrong)).toMatch(/\w/)
  })

  test('says where something is wrong', () => {
    const schema = {
      type: 'object',
      properties: { users: { type: 'array', items: { type: 'object', required: ['id'] } } },
    }
    expect(issue(schema, { users: [{ id: 1 }, {}] })).toBe('users[1].id is missing')
  })

  test('reads own members only', () => {
    expect(issue({ type: 'object', required: ['toString'] }, {})).toContain('missing')
    expect(issue({ type: 'object', properties: { toString: { type: 'string' } } }, {})).toBeUndefined()
  })

  test('with a keyword that is not enforced is refused, since its author counts on it', () => {
    expect(() => schemaCheck({ $ref: '#/x' }, 'the test')).toThrow('$ref')
    expect(() => schemaCheck({ patternProperties: {} }, 'the test')).toThrow('patternProperties')
    expect(() => schemaCheck({ pattern: '(a+)+$' }, 'the test')).toThrow('pattern')
    expect(schemaCheck({ pattern: 'x' }, 'the test', (pattern, text) => text.includes(pattern))('yxz')).toBeUndefined()
  })

  test.each([
    { minimum: {} },
    { required: 'x' },
    { required: [1] },
    { enum: 5 },
    { properties: [] },
    { anyOf: {} },
    { type: 'object', properties: { a: null } },
    { items: 7 },
    { pattern: { toString: null } },
    { enum: [{ toString: null }], maxLength: 'x' },
    null,
    'string',
  ])('that makes no sense is refused: %j', (schema) => {
    expect(() => schemaCheck(schema, 'the test', () => true)).toThrow('cannot be used')
  })

  test('that is too deep is refused', () => {
    let schema: object = {}
    for (let i = 0; i < 1000; i++) schema = { not: schema }
    expect(() => schemaCheck(schema, 'the test')).toThrow('deeper')
  })
})
