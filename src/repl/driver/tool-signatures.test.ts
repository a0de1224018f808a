import { expect, it } from 'vitest'
import type { Json } from '../../core/index.ts'
import { toolSignatures } from './tool-signatures.ts'

const signature = (inputSchema: Json, name = 'act'): string => toolSignatures([{ name, inputSchema }])

it.each<[Json, string]>([
  [{ type: 'object', properties: {} }, 'tools.act(): Promise<any>'],
  [
    { type: 'object', properties: { q: { type: 'string' }, n: { type: 'integer' } }, required: ['q'] },
    'tools.act({ q: string, n?: number }): Promise<any>',
  ],
  [{ properties: { kind: { enum: ['a', 'b'] } } }, 'tools.act({ kind?: "a" | "b" }): Promise<any>'],
  [
    { type: 'object', properties: { ids: { type: 'array', items: { type: ['string', 'null'] } } } },
    'tools.act({ ids?: (string | null)[] }): Promise<any>',
  ],
  [
    { type: 'object', properties: { 'a-b': { anyOf: [{ type: 'number' }, { const: 'all' }] } } },
    'tools.act({ "a-b"?: number | "all" }): Promise<any>',
  ],
  [{ type: 'object', additionalProperties: { type: 'number' } }, 'tools.act({ [key: string]: number }): Promise<any>'],
  [true, 'tools.act(any): Promise<any>'],
])('the type of a schema is written as a caller would read it: %j', (schema, text) => {
  expect(signature(schema)).toBe(text)
})

it('a name that is no word is in brackets, and a description stands above on one line', () => {
  expect(signature({ type: 'object' }, 'kv.get')).toBe('tools["kv.get"](): Promise<any>')
  const spec = { name: 'act', description: ' Does\n it. ', inputSchema: { type: 'object' } }
  expect(toolSignatures([spec])).toBe('// Does it.\ntools.act(): Promise<any>')
})

it('what a tool gives has its type, and what is said of members stands beside them', () => {
  const inputSchema = {
    type: 'object',
    properties: { day: { type: 'string', description: 'YYYY-MM-DD,\n never */ later' }, all: true },
    required: ['day'],
  }
  const outputSchema = { type: 'object', properties: { hits: { type: 'array', items: { type: 'string' } } } }
  expect(toolSignatures([{ name: 'find', inputSchema, outputSchema }])).toBe(
    'tools.find({ day: string /* YYYY-MM-DD, never * / later */, all?: any }): Promise<{ hits?: string[] }>',
  )
  expect(toolSignatures([{ name: 'find', inputSchema: {}, outputSchema: { type: 'object' } }])).toBe(
    'tools.find(any): Promise<any>',
  )
})

it('a schema without end is cut', () => {
  const deep = (levels: number): Json =>
    levels === 0 ? { type: 'string' } : { type: 'object', properties: { a: deep(levels - 1) } }
  expect(signature(deep(50))).toBe('tools.act({ a?: { a?: { a?: { a?: any } } } }): Promise<any>')
})
