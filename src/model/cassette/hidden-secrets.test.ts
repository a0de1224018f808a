import { expect, test } from 'vitest'
import type { Json } from '../../core/index.ts'
import { userMessage } from '../message.ts'
import type { ModelPart, ModelRequest } from '../model.ts'
import { modelOf, partsOf, shelf } from './cassette.fixture.ts'
import { cassette } from './cassette.ts'
import { hidingBy } from './hidden-secrets.ts'
import { secretTokens } from './secret-tokens.ts'

const secret = 'correct horse battery'

test('a known secret is in no recording, however it was cut into pieces, and the recording still fits the request', async () => {
  const storage = shelf()
  const options = { storage, secrets: { phrase: secret, part: 'horse' } }
  const request: ModelRequest = { messages: [userMessage(`The phrase is ${secret}.`)] }
  const parts: ModelPart[] = [
    { type: 'text-delta', text: 'You said cor' },
    { type: 'text-delta', text: 'rect ho' },
    { type: 'text-delta', text: 'rse battery!' },
    { type: 'tool-call', toolCallId: 'c', name: 'keep', input: { [secret]: [secret] } },
    { type: 'text-delta', text: 'Kept. ' },
    { type: 'text-delta', text: 'Done.' },
  ]
  // Whoever records sees the real thing; only what is written down is redacted.
  expect(await partsOf(cassette({ ...options, mode: 'record' }).model(modelOf(parts)), request)).toEqual(parts)
  const text = [...storage.texts.values()].join()
  for (const piece of ['correct', 'horse', 'battery']) expect(text).not.toContain(piece)
  expect(await partsOf(cassette({ ...options, mode: 'replay' }).model(modelOf([])), request)).toEqual([
    { type: 'text-delta', text: 'You said [secret:phrase]!' },
    { type: 'tool-call', toolCallId: 'c', name: 'keep', input: { '[secret:phrase]': ['[secret:phrase]'] } },
    { type: 'text-delta', text: 'Kept. ' },
    { type: 'text-delta', text: 'Done.' },
  ])
  // The next request carries what was played back instead of the secret, and must be known by the same key.
  const echoed: ModelRequest = { messages: [userMessage('The phrase is [secret:phrase].')] }
  expect(await partsOf(cassette({ ...options, mode: 'replay' }).model(modelOf([])), echoed)).toHaveLength(4)
})

test('the pieces of other streams are looked at together too', () => {
  const hiding = hidingBy(undefined, { phrase: secret })
  const items = [
    { type: 'text-delta', id: '1', delta: 'correct ' },
    { type: 'text-delta', id: '1', delta: 'horse battery' },
    'correct',
    ' horse battery.',
    { other: 1 },
  ]
  expect(hiding.events(items.map((item) => ({ item })))).toEqual([
    { item: { type: 'text-delta', id: '1', delta: '[secret:phrase]' } },
    { item: '[secret:phrase].' },
    { item: { other: 1 } },
  ])
})

test('headers of the transport are never stored, and others lose their credentials', () => {
  const { json } = hidingBy(undefined, {})
  expect(json({ providerOptions: { openai: { headers: { 'x-org': 'a' }, user: 'u' } } })).toEqual({
    providerOptions: { openai: { user: 'u' } },
  })
  expect(json({ providerMetadata: { openai: { responseHeaders: { date: 'x' }, id: 'r' } } })).toEqual({
    providerMetadata: { openai: { id: 'r' } },
  })
  const page: Json = {
    status: 200,
    headers: { 'content-type': 'text/html', 'Set-Cookie': ['a=1', 'b=2'], Authorization: 'x', 'X-Api-Key': 'y' },
    requestHeaders: [
      ['cookie', 'c'],
      ['accept', '*'],
    ],
  }
  expect(json(page)).toEqual({
    status: 200,
    headers: {
      'content-type': 'text/html',
      'Set-Cookie': '[not recorded]',
      Authorization: '[not recorded]',
      'X-Api-Key': '[not recorded]',
    },
    requestHeaders: [
      ['cookie', '[not recorded]'],
      ['accept', '*'],
    ],
  })
  // A schema that speaks of headers is no header.
  const schema: Json = {
    properties: { headers: { type: 'object', properties: { authorization: { type: 'string' } } } },
  }
  expect(json(schema)).toEqual(schema)
})

const letters = 'aB3'.repeat(12)

test.each([
  ['sk-', `proj-${letters}`],
  ['ghp', `_${letters}`],
  ['xoxb-', `123-${letters}`],
  ['AKIA', 'ABCDEFGH12345678'],
  ['eyJ', `hbGciOiJIUzI1.${letters}.${letters}`],
  ['Bearer ', letters],
  ['https://user:', `${letters}@host.example/`],
  ['MY_API_KEY=', letters],
  ['-----BEGIN RSA PRIVATE', ` KEY-----\n${letters}\n-----END RSA PRIVATE KEY-----`],
])('what looks like a token is hidden without being known: %s…', (start, rest) => {
  const hidden = secretTokens.text(`see ${start}${rest} there`)
  expect(hidden).not.toContain(letters)
  expect(hidden).toContain('[secret')
  expect(secretTokens.text(hidden)).toBe(hidden)
})

test.each([
  'sk-learn-classifier-with-many-words',
  'the token economy: unsurprisingly-long-words',
  'https://host.example:8080/path',
  'key: value, secret: none, password: (not set)',
  'A commit 4f0c9e1d2b3a49586770f1e2d3c4b5a697887766',
])('what only resembles a token is kept: %s', (text) => {
  expect(secretTokens.text(text)).toBe(text)
})
