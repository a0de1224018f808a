import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { assistantMessage, systemMessage, toolMessage, userMessage } from '../message.ts'
import type { Message } from '../message.ts'
import type { ModelRequest } from '../model.ts'
import { brokenRules } from './broken-rules.ts'
import { keepRules } from './keep-rules.ts'
import { PROVIDER_RULES, rulesOf } from './rules.ts'

const families = [...Object.keys(PROVIDER_RULES), 'ollama']
const rules = (family: string) => rulesOf(`${family}.chat`, family === 'ollama')

const name = fc.stringMatching(/^[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}$/)
const property = fc.record({ type: fc.constantFrom('string', 'number', 'object') })
const object = fc.record(
  {
    type: fc.constant('object'),
    properties: fc.dictionary(fc.constantFrom('a', 'b', 'kind'), property, { minKeys: 1 }),
    required: fc.subarray(['a', 'b', 'kind']),
    additionalProperties: fc.constantFrom(true, false),
  },
  { requiredKeys: ['type', 'properties'] },
)
const schema = fc.oneof(
  object,
  fc.record({ anyOf: fc.array(object, { minLength: 1, maxLength: 3 }) }),
  fc.record({
    type: fc.constant('object'),
    oneOf: fc.array(object, { minLength: 1, maxLength: 3 }),
    description: fc.string(),
  }),
  fc.record({ allOf: fc.array(object, { minLength: 1, maxLength: 3 }), not: object }),
  fc.constant({}),
)

/** A conversation in which every call has its result, with calls of any names and ids, and instructions anywhere. */
const conversation = fc
  .array(
    fc.record({
      kind: fc.constantFrom('user', 'system', 'text', 'call', 'thought'),
      name,
      id: fc.string({ minLength: 1, maxLength: 60 }),
    }),
    { maxLength: 8 },
  )
  .map((steps) =>
    steps.flatMap(({ kind, name: tool, id }, index): Message[] => {
      if (kind === 'user') return [userMessage('Go on.')]
      if (kind === 'system') return [systemMessage('Be brief.')]
      if (kind === 'text') return [assistantMessage('Well.')]
      if (kind === 'thought')
        return [
          assistantMessage([
            { type: 'reasoning', text: 'hm', providerMetadata: { someone: { signature: 's' } } },
            { type: 'text', text: 'So.' },
          ]),
        ]
      const call = { toolCallId: `${id}${index}`, name: tool }
      return [
        assistantMessage([{ type: 'tool-call', ...call, input: {} }]),
        toolMessage([{ type: 'tool-result', ...call, status: 'ok', value: 1 }]),
      ]
    }),
  )

const request = fc
  .record({
    names: fc.uniqueArray(name, { maxLength: 5 }),
    schemas: fc.array(schema, { minLength: 5, maxLength: 5 }),
    messages: conversation,
    output: fc.option(schema),
  })
  .map(({ names, schemas, messages, output }): ModelRequest => ({
    messages: [userMessage('Begin.'), ...messages],
    tools: names.map((tool, index) => ({ name: tool, inputSchema: schemas[index]! as never })),
    ...(output === null ? {} : { responseFormat: { type: 'json', schema: output as never } }),
  }))

describe.each(families)('a request to %s', (family) => {
  test('keeps every rule, whatever an agent asks for', () => {
    fc.assert(
      fc.property(request, fc.boolean(), (given, enforces) => {
        expect(brokenRules(keepRules(given, rules(family), { enforces }).request, rules(family))).toEqual([])
      }),
      { numRuns: 300 },
    )
  })

  test('gives every tool its own name back', () => {
    fc.assert(
      fc.property(request, (given) => {
        const kept = keepRules(given, rules(family))
        const sent = (kept.request.tools ?? []).map((tool) => kept.names.own(tool.name))
        expect(sent).toEqual((given.tools ?? []).map((tool) => tool.name))
      }),
      { numRuns: 100 },
    )
  })

  test('is given as it is if nothing in it breaks a rule', () => {
    const plain: ModelRequest = {
      messages: [systemMessage('Be brief.'), userMessage('Hi')],
      tools: [{ name: 'look', inputSchema: { type: 'object', properties: {} } }],
    }
    expect(keepRules(plain, rules(family)).request).toEqual(plain)
  })
})

test('a union at the top of a schema becomes an object with the members of all its forms', () => {
  const form = (kind: string, own: object) => ({
    type: 'object',
    properties: { kind: { type: 'string', const: kind }, ...own },
    required: ['kind', ...Object.keys(own)],
    additionalProperties: false,
  })
  const given = { oneOf: [form('mail', { to: { type: 'string' } }), form('call', { number: { type: 'string' } })] }
  const { request: kept } = keepRules(
    { messages: [userMessage('Hi')], tools: [{ name: 'notify', inputSchema: given }] },
    rules('openai'),
  )
  expect(kept.tools![0]!.inputSchema).toEqual({
    type: 'object',
    properties: {
      kind: { type: 'string', enum: ['mail', 'call'] },
      to: { type: 'string' },
      number: { type: 'string' },
    },
    required: ['kind'],
    additionalProperties: false,
    description: expect.stringContaining('"const":"call"'),
  })
})

test('a host that decided about strict schemas itself is heard', () => {
  const output = { type: 'object', properties: { note: { type: 'string' } } } as const
  const given: ModelRequest = { messages: [userMessage('Hi')], responseFormat: { type: 'json', schema: output } }
  expect(keepRules(given, rules('openai')).request.providerOptions).toEqual({ openai: { strictJsonSchema: false } })
  expect(keepRules(given, rules('openai'), { strict: true }).request.providerOptions).toBeUndefined()
})

test('names that two tools would share are told apart', () => {
  const tools = ['a.b', 'a__b', 'a.b.c', 'a.b__c'].map((tool) => ({ name: tool, inputSchema: {} }))
  const { request: kept, names } = keepRules({ messages: [userMessage('Hi')], tools }, rules('openai'))
  const sent = kept.tools!.map((tool) => tool.name)
  expect(new Set(sent).size).toBe(4)
  expect(sent[1]).toBe('a__b')
  expect(sent.map((one) => names.own(one))).toEqual(tools.map((tool) => tool.name))
  expect(names.own('functions.a__b')).toBe('a__b')
})
