import { expect, test } from 'vitest'
import { defineTool } from '../define-tool.ts'

const toolWith = (inputSchema: object): ReturnType<typeof defineTool> =>
  defineTool({ name: 't', inputSchema: inputSchema as never, run: () => null })
const textWith = (member: object): ReturnType<typeof defineTool> =>
  toolWith({ type: 'object', properties: { s: { type: 'string', ...member } } })

test.each([
  ['^(a+)+$', `${'a'.repeat(60)}!`],
  ['^(\\w+\\s?)*$', `${'a'.repeat(60)}!`],
  ['(x+x+)+y', 'x'.repeat(200)],
  ['\\d+$', `${'1'.repeat(200_000)}x`],
])('a pattern that is slow for a backtracking engine is checked in linear time: %s', async (pattern, s) => {
  // The backtracking engine would take minutes to years: that this ends at all is the evidence.
  expect((await textWith({ pattern }).validate({ s })).valid).toBe(false)
})

test('a pattern still accepts what fits, and its message names it', async () => {
  const tool = textWith({ pattern: '^[a-z]+$' })
  expect((await tool.validate({ s: 'abc' })).valid).toBe(true)
  expect(await tool.validate({ s: 'ABC' })).toMatchObject({
    valid: false,
    issues: [{ message: expect.stringContaining('/^[a-z]+$/') as string }],
  })
})

test('a pattern beside a format holds with it', async () => {
  const tool = textWith({ pattern: 'example', format: 'email' })
  expect((await tool.validate({ s: 'a@example.org' })).valid).toBe(true)
  expect((await tool.validate({ s: 'a@other.org' })).valid).toBe(false)
  expect((await tool.validate({ s: 'example' })).valid).toBe(false)
})

test('a pattern that cannot be linear is refused with what is wrong', async () => {
  await expect((async () => textWith({ pattern: '(a)\\1' }).validate({ s: 'aa' }))()).rejects.toMatchObject({
    code: 'SCHEMA_INVALID',
  })
})

test('name patterns are bounded: nested quantifiers and very long names are refused', async () => {
  const nested = toolWith({ type: 'object', patternProperties: { '^(a+)+$': {} } })
  await expect((async () => nested.validate({ a: 1 }))()).rejects.toMatchObject({ code: 'SCHEMA_INVALID' })
  const plain = toolWith({
    type: 'object',
    patternProperties: { '^x-': { type: 'number' } },
    additionalProperties: false,
  })
  expect((await plain.validate({ 'x-a': 1 })).valid).toBe(true)
  expect((await plain.validate({ 'x-a': 'no' })).valid).toBe(false)
  expect((await plain.validate({ [`x-${'a'.repeat(1_000)}`]: 1 })).valid).toBe(false)
})
