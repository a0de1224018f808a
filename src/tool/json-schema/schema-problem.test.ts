import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { defineTool } from '../define-tool.ts'
import { readOutputSchema, readSchema } from '../schema.ts'

const taking = (inputSchema: object) => () => defineTool({ name: 't', inputSchema, run: () => 1 })

describe('what was written as a JSON Schema and is none is refused, with the fix', () => {
  it.each([
    [{ amount: 'number' }, "properties: { amount: { type: 'number' } }"],
    [{ amount: { type: 'number' } }, "properties: { amount: { type: 'number', … } }"],
    [{ to: 'text', amount: 'float' }, "{ to: { type: 'string' }, amount: { type: 'number' } }"],
    [{ amount: 1 }, "properties: { amount: { type: 'number' } }"],
    [{ type: 'object', amount: { type: 'number' } }, 'A member stands under `properties`'],
    [{ type: 'object', propertis: { a: { type: 'string' } } }, 'Did you mean `properties`?'],
    [{ type: 'object', properties: { a: 'string' } }, "Write { type: 'string' }"],
    [{ properties: { a: { tpye: 'string' } } }, 'Did you mean `type`?'],
    [{ properties: { a: { type: 'nubmer' } } }, 'Did you mean "number"?'],
    [{ properties: { a: { type: 'int' } } }, 'Did you mean "integer"?'],
    [{ properties: { a: { type: 'date' } } }, 'Use one of: string'],
    [{ properties: { a: { type: 'string', required: true } } }, 'a list of names, beside `properties`'],
    [{ properties: { a: { type: 'number', minimum: '5' } } }, 'Give a number'],
    [{ properties: { a: { enum: 'x' } } }, 'Give a list of values'],
    [{ properties: { a: { type: 'array', items: 'string' } } }, "Write { type: 'string' }"],
    [{ type: 'object', additionalProperies: false }, 'Did you mean `additionalProperties`?'],
    [{ anyOf: { type: 'object' } }, 'Give a list of schemas'],
  ])('%j', (schema, fix) => {
    expect(taking(schema)).toThrow(fix)
    expect(taking(schema)).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }))
    expect(() => readSchema(schema, { owner: 'The agent', field: 'output' })).toThrow(fix)
    expect(() => readOutputSchema(schema, { owner: 'Tool "t"', field: 'outputSchema' })).toThrow(fix)
  })
})

it('schemas that are some are read as they are, with keywords of other documents in them', () => {
  for (const schema of [
    {},
    { description: 'Anything.' },
    { type: 'object', properties: { type: { type: 'string' }, properties: {}, any: true } },
    { $ref: '#/$defs/a', $defs: { a: { type: 'object' } } },
    { type: 'object', properties: { a: { type: ['string', 'null'], nullable: true, example: 'x', 'x-order': 1 } } },
    { oneOf: [{ type: 'object', properties: { b: { const: 1 } } }, { type: 'object' }] },
    { $schema: 'http://json-schema.org/draft-04/schema#', type: 'object', id: 'a', definitions: {} },
    { type: 'object', markdownDescription: 'What an editor shows.', properties: { a: { type: 'string', order: 3 } } },
  ])
    expect(taking(schema), JSON.stringify(schema)).not.toThrow()
})

it('a schema of a library is the business of the library', () => {
  expect(taking(z.object({ amount: z.number() }))).not.toThrow()
  expect(taking({ jsonSchema: { type: 'object', propertis: {} } })).not.toThrow()
})
