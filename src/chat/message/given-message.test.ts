import { expect, it } from 'vitest'
import { readMessage } from './given-message.ts'
import type { GivenMessage } from './given-message.ts'

const read = (given: unknown): object =>
  readMessage(given as GivenMessage, { roles: ['user'], newId: () => 'new', now: () => 7 })

it.each([
  { content: 'Hi.' },
  { content: [{ type: 'text', text: 'Hi.' }], id: 'm1', createdAt: 0 },
  { content: [{ type: 'image', mediaType: 'image/png', data: 'QUJD' }] },
  { content: [{ type: 'file', mediaType: 'application/pdf', url: 'https://example.com/a.pdf' }] },
])('a message is read as it is: %j', (given) => {
  const text = [{ type: 'text', text: 'Hi.' }]
  const content = typeof given.content === 'string' ? text : given.content
  expect(read(given)).toEqual({ id: 'new', createdAt: 7, role: 'user', ...given, content })
})

// Kept in a conversation, each would make all of its later turns fail, or break whoever reads it.
it.each([
  { content: [] },
  { content: [{ type: 'text', text: '' }] },
  { content: [{ type: 'image' }] },
  { content: [{ type: 'image', mediaType: 'image/png' }] },
  { content: [{ type: 'image', mediaType: 7, data: 'QUJD' }] },
  { content: [{ type: 'image', mediaType: 'image/png', data: 'no base64!' }] },
  { content: [{ type: 'file', mediaType: 'application/pdf', url: 'a.pdf' }] },
  { content: 'Hi.', createdAt: 'today' },
  { content: 'Hi.', createdAt: Number.NaN },
])('a message that cannot be kept is refused: %j', (given) => {
  expect(() => read(given)).toThrow(expect.objectContaining({ code: 'INPUT_INVALID' }))
})
